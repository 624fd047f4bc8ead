/// The life of a host as data: its states, what can happen to it, what is to be done, and the table
/// that says which follows from which. Nothing here acts.
@NullMarked
package org.systole.hostha.fsm;

import org.jspecify.annotations.NullMarked;
