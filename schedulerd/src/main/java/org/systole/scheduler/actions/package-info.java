/// What is to be done: starts, stops, probes, recurring operations, notifications and fencing.
@NullMarked
package org.systole.scheduler.actions;

import org.jspecify.annotations.NullMarked;
