/// The demonstration: three nodes on one machine, started, watched, broken and stopped.
@NullMarked
package org.systole.tools.demo;

import org.jspecify.annotations.NullMarked;
