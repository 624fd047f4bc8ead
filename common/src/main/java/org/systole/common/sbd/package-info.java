/// The node's watchdog and the disks for messages between nodes, in the terms of SBD: its settings
/// and its format on disk. Nothing here reads or writes anything.
@NullMarked
package org.systole.common.sbd;

import org.jspecify.annotations.NullMarked;
