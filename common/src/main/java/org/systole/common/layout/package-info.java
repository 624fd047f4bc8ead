/// Where every file of a node is.
@NullMarked
package org.systole.common.layout;

import org.jspecify.annotations.NullMarked;
