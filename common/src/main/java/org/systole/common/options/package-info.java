/// The options users can set, with their types, defaults and meaning.
@NullMarked
package org.systole.common.options;

import org.jspecify.annotations.NullMarked;
