@NullMarked
package org.systole.common.world;

import org.jspecify.annotations.NullMarked;
