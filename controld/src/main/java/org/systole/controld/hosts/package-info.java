/// Host HA in the DC: the decider of `org.systole.hostha`, what carries out its orders, and what the CIB
/// is told. Nothing of it is there in a cluster that does not use it.
@NullMarked
package org.systole.controld.hosts;

import org.jspecify.annotations.NullMarked;
