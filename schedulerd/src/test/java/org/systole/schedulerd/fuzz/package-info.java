/// Runs the scheduler over inputs changed at random.
@NullMarked
package org.systole.schedulerd.fuzz;

import org.jspecify.annotations.NullMarked;
