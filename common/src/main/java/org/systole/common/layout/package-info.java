@NullMarked
package org.systole.common.layout;

import org.jspecify.annotations.NullMarked;
