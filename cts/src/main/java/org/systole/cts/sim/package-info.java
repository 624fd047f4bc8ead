/// The simulator: a whole cluster, every daemon of every node, in one thread on virtual time, from
/// one seed.
///
/// [SimCluster] is the way in. What runs in it is the code that ships; below it stand a simulated
/// transport (JGroups' place), local sockets, disks, agents and power switches. The same seed and
/// the same steps give the same run to the last event; [SimTrace#hash] tells.
@NullMarked
package org.systole.cts.sim;

import org.jspecify.annotations.NullMarked;
