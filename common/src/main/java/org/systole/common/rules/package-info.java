/// Rules of the configuration and the blocks of name-value pairs they guard. Pure functions; the
/// time is a parameter.
@NullMarked
package org.systole.common.rules;

import org.jspecify.annotations.NullMarked;
