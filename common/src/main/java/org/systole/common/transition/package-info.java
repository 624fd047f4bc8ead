/// The transition graph and the engine that runs it: what the scheduler decided, as immutable data,
/// and how far it has been carried out.
///
/// A graph is a list of synapses; a synapse is the actions to run once all of its inputs are done.
/// The XML form is Pacemaker's, and both directions keep every attribute. The controller of the DC
/// runs graphs on the cluster, `crm_simulate` runs them on a CIB, both with the same [GraphRun].
@NullMarked
package org.systole.common.transition;

import org.jspecify.annotations.NullMarked;
