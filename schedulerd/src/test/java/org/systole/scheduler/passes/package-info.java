@NullMarked
package org.systole.scheduler.passes;

import org.jspecify.annotations.NullMarked;
