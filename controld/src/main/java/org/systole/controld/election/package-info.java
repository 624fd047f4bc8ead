/// Who is DC: the election of one, and the watch over the one there is.
@NullMarked
package org.systole.controld.election;

import org.jspecify.annotations.NullMarked;
