/// Real nodes on this machine, each in a directory tree of its own: what the demo, the lab and the
/// benchmark start, stop and look at.
@NullMarked
package org.systole.cts.local;

import org.jspecify.annotations.NullMarked;
