/// What the CIB says about host HA, as all daemons and commands read it.
@NullMarked
package org.systole.common.hosts;

import org.jspecify.annotations.NullMarked;
