/// The transport between nodes, over JGroups on TCP. Real world: it has threads, clocks and sockets
/// of its own. Each class whose name ends like a JGroups protocol extends that one.
@NullMarked
package org.systole.pacemakerd.jgroups;

import org.jspecify.annotations.NullMarked;
