@NullMarked
package org.systole.common.values;

import org.jspecify.annotations.NullMarked;
