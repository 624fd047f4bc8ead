@NullMarked
package org.systole.common.rules;

import org.jspecify.annotations.NullMarked;
