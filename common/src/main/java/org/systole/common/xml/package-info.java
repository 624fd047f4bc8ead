@NullMarked
package org.systole.common.xml;

import org.jspecify.annotations.NullMarked;
