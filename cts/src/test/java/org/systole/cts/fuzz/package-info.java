/// Input that means no good, for whatever of the daemons takes input.
@NullMarked
package org.systole.cts.fuzz;

import org.jspecify.annotations.NullMarked;
