/// The command for values that are kept out of the CIB.
@NullMarked
package org.systole.tools.secrets;

import org.jspecify.annotations.NullMarked;
