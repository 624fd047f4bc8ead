/// Shows the state of a cluster and what is planned for it, as text and as elements. Used by every
/// command that shows status.
@NullMarked
package org.systole.scheduler.status;

import org.jspecify.annotations.NullMarked;
