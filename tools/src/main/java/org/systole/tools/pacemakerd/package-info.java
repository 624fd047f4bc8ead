/// The supervisor of a node, and the link: membership, quorum, and the groups of all daemons over
/// the node's one channel.
@NullMarked
package org.systole.tools.pacemakerd;

import org.jspecify.annotations.NullMarked;
