/// The node's link: membership, quorum, and the one order of all group messages. Pure: time, disk
/// and transport come from its World and its Channels.
@NullMarked
package org.systole.pacemakerd.link;

import org.jspecify.annotations.NullMarked;
