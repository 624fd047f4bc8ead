/// The transport between nodes, over JGroups on TCP. Real world: it has threads, clocks and sockets
/// of its own. A class that extends a protocol of JGroups is called after it.
@NullMarked
package org.systole.pacemakerd.jgroups;

import org.jspecify.annotations.NullMarked;
