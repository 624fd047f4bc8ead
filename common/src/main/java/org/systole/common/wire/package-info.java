@NullMarked
package org.systole.common.wire;

import org.jspecify.annotations.NullMarked;
