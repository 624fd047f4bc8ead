/// The fencer: knows the fence devices this node can use, and has nodes fenced.
///
/// The fencer that is asked for a fencing operation is its origin: it asks all fencers of the
/// cluster what they can do about the target, has one of them after the other act until the target
/// is fenced, and tells all of them the result. All code here runs on the daemon's loop.
@NullMarked
package org.systole.fenced;

import org.jspecify.annotations.NullMarked;
