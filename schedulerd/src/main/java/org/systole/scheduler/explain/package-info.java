/// Answers why a resource is where it is, and not elsewhere, from what a run has noted.
@NullMarked
package org.systole.scheduler.explain;

import org.jspecify.annotations.NullMarked;
