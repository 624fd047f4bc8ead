/// Runs the scheduler over inputs changed at random.
@NullMarked
package org.systole.scheduler.fuzz;

import org.jspecify.annotations.NullMarked;
