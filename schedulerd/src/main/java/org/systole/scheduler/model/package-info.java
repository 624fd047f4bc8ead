/// The working set of one scheduler run: the cluster as read from a CIB, and what the passes decide
/// about it.
///
/// The classes here are a blackboard: passes read and write their columns. Which pass may write
/// which is said at each writer ([org.systole.scheduler.model.WrittenBy]) and kept by a test. One
/// run belongs to one thread; nothing here is shared.
@NullMarked
package org.systole.scheduler.model;

import org.jspecify.annotations.NullMarked;
