/// Everything after the CIB has been read: from constraints to the transition graph.
///
/// Each pass is a class; [org.systole.schedulerd.plan.Planner] runs them in order over one
/// [org.systole.schedulerd.model.WorkingSet]. The order in which actions and orderings are created
/// is part of the result (it numbers the graph), and so is the order in which scores are added.
@NullMarked
package org.systole.schedulerd.plan;

import org.jspecify.annotations.NullMarked;
