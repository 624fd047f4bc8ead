/// Which node each resource is to be on, and which instances are to be promoted there.
@NullMarked
package org.systole.scheduler.assignment;

import org.jspecify.annotations.NullMarked;
