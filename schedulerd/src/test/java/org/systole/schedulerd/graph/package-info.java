@NullMarked
package org.systole.schedulerd.graph;

import org.jspecify.annotations.NullMarked;
