/// Values of parameters that are kept out of the CIB.
@NullMarked
package org.systole.common.secrets;

import org.jspecify.annotations.NullMarked;
