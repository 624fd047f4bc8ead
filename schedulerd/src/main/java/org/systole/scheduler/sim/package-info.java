/// What would happen: a CIB is changed as if events had occurred, a transition is executed on it as
/// if agents had answered, and the result is shown.
@NullMarked
package org.systole.scheduler.sim;

import org.jspecify.annotations.NullMarked;
