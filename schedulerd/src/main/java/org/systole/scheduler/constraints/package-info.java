/// Constraints as they are configured: what the CIB says about places, orders, colocations and
/// tickets, read into the working set.
@NullMarked
package org.systole.scheduler.constraints;

import org.jspecify.annotations.NullMarked;
