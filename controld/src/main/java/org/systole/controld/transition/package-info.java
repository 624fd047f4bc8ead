/// Carrying out a plan: the transition that is under way, the orders it gives to nodes and daemons, and
/// how much may be done at a time.
@NullMarked
package org.systole.controld.transition;

import org.jspecify.annotations.NullMarked;
