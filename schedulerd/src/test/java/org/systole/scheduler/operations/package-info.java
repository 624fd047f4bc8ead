@NullMarked
package org.systole.scheduler.operations;

import org.jspecify.annotations.NullMarked;
