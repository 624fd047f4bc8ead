/// The controller: one per node. Together they elect the DC; the DC lets the nodes join, asks the
/// scheduler what to do and has it done.
///
/// Threading: everything here runs on the daemon's loop (see `org.systole.common.world`). The state
/// machine is data ([Transitions]): an input and a state give the next state and effects, and only
/// [Controller] carries effects out.
@NullMarked
package org.systole.controld;

import org.jspecify.annotations.NullMarked;
