/// The scheduler as a library: a configuration and a moment in, a transition graph out.
///
/// A run is a row of passes over one [org.systole.scheduler.model.WorkingSet];
/// [org.systole.scheduler.Planner] runs them in order. Each pass has a package, and uses only those
/// of earlier passes. The order in which actions and orderings are created is part of the result
/// (it numbers the graph), and so is the order in which scores are added.
@NullMarked
package org.systole.scheduler;

import org.jspecify.annotations.NullMarked;
