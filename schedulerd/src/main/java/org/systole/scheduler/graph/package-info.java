/// The transition graph as immutable data: what the scheduler decided, in the form the transition
/// engine runs.
///
/// A graph is a list of synapses; a synapse is the actions to run once all of its inputs are done.
/// The XML form is Pacemaker's, and both directions keep every attribute.
@NullMarked
package org.systole.scheduler.graph;

import org.jspecify.annotations.NullMarked;
