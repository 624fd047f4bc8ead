/// Values as configurations write them: scores, intervals, dates, numbers, booleans, versions.
/// Immutable; reading them never looks at a clock.
@NullMarked
package org.systole.common.values;

import org.jspecify.annotations.NullMarked;
