/// Actions: how they are configured, created, found and ordered, and fencing.
///
/// Used both while the history is read (a failed stop asks for fencing) and while plans are made.
@NullMarked
package org.systole.scheduler.operations;

import org.jspecify.annotations.NullMarked;
