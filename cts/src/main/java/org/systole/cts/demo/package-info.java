/// The demonstration: three nodes on one machine, started, watched, broken and stopped.
@NullMarked
package org.systole.cts.demo;

import org.jspecify.annotations.NullMarked;
