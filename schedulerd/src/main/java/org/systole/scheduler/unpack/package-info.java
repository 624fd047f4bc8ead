/// Reads a CIB into a working set: options, nodes, resources, and from the status section what runs
/// where and what failed.
@NullMarked
package org.systole.scheduler.unpack;

import org.jspecify.annotations.NullMarked;
