/// The controller's behaviour as data: its states, what it can be told, what it wants done, and the
/// table that says which follows from which. Nothing here acts.
@NullMarked
package org.systole.controld.fsm;

import org.jspecify.annotations.NullMarked;
