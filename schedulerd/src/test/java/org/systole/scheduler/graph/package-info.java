@NullMarked
package org.systole.scheduler.graph;

import org.jspecify.annotations.NullMarked;
