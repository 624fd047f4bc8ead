/// The command of host HA.
@NullMarked
package org.systole.tools.hosts;

import org.jspecify.annotations.NullMarked;
