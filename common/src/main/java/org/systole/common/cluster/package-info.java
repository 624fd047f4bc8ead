@NullMarked
package org.systole.common.cluster;

import org.jspecify.annotations.NullMarked;
