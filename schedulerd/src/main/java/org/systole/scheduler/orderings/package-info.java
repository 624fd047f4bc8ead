/// Orderings that follow from the kinds of resources, and what all orderings mean for the actions
/// there are.
@NullMarked
package org.systole.scheduler.orderings;

import org.jspecify.annotations.NullMarked;
