package org.systole.common.transition;

import java.util.Set;

/// How far one synapse of a [GraphRun] is.
final class SynapseState {
  /// Ends the lanes of what finds out about remote nodes. In no node's name.
  static final String FINDS_OUT = "\n";

  final int place;
  final Synapse synapse;
  final String lane;
  final Set<Integer> missing;
  int open;
  int readySince;
  boolean fired;
  boolean failed;

  SynapseState(int place, Synapse synapse) {
    this.place = place;
    this.synapse = synapse;
    this.lane = lane(synapse);
    this.missing = synapse.inputIds();
    this.open = synapse.actions().size();
  }

  /// The member whose room it takes, with a lane of its own for what finds out about remote nodes; empty
  /// for what is not bound to just one member.
  private static String lane(Synapse synapse) {
    var action = synapse.actions().size() == 1 ? synapse.actions().getFirst() : null;
    if (action == null || action.kind() != GraphAction.Kind.RESOURCE || action.isMigration()) {
      return "";
    }
    var executor = action.executor();
    return executor == null ? "" : executor.text() + (action.findsOut() ? FINDS_OUT : "");
  }
}
