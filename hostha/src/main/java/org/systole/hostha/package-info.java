/// Host HA: decides, host by host, what is to be checked, recovered and fenced. A core without any
/// world: time and answers come in, orders go out.
@NullMarked
package org.systole.hostha;

import org.jspecify.annotations.NullMarked;
