/// The executor: runs resource agents on this node and reports what came of it.
///
/// One queue per resource, one operation of a resource at a time. All code here runs on the
/// daemon's loop; programs are run by the world.
@NullMarked
package org.systole.execd;

import org.jspecify.annotations.NullMarked;
