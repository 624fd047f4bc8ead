/// What only the DC does, and what every node keeps so that it can become DC: joining, planning, the
/// nodes and their records in the CIB.
@NullMarked
package org.systole.controld.dc;

import org.jspecify.annotations.NullMarked;
