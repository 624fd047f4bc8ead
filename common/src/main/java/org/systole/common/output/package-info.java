@NullMarked
package org.systole.common.output;

import org.jspecify.annotations.NullMarked;
