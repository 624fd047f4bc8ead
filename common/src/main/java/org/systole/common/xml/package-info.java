/// The one XML tree of all parts, immutable, with its reader and writer.
@NullMarked
package org.systole.common.xml;

import org.jspecify.annotations.NullMarked;
