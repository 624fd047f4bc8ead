@NullMarked
package org.systole.scheduler.scenarios;

import org.jspecify.annotations.NullMarked;
