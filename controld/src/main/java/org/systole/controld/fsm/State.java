package org.systole.controld.fsm;

/// Where a controller is in its life. What may happen in a state is in [Transitions], nowhere else.
public enum State {
  /// Connecting to the other daemons of the node.
  STARTING("S_STARTING"),
  /// Up, and waiting for a DC to let this node in.
  PENDING("S_PENDING"),
  /// Votes are being counted.
  ELECTION("S_ELECTION"),
  /// Another node is DC; this one takes orders.
  NOT_DC("S_NOT_DC"),
  /// DC: nodes are invited and their requests collected.
  INTEGRATION("S_INTEGRATION"),
  /// DC: nodes that answered are let in and get the CIB.
  FINALIZE_JOIN("S_FINALIZE_JOIN"),
  /// DC: the scheduler is asked.
  POLICY_ENGINE("S_POLICY_ENGINE"),
  /// DC: a transition is carried out.
  TRANSITION_ENGINE("S_TRANSITION_ENGINE"),
  /// DC: nothing is left to do.
  IDLE("S_IDLE"),
  /// Was DC, and hands over.
  RELEASE_DC("S_RELEASE_DC"),
  /// This controller has lost something it cannot work without; it exits, to be started again.
  RECOVERY("S_RECOVERY"),
  /// Leaving in good order.
  STOPPING("S_STOPPING"),
  /// About to exit.
  TERMINATE("S_TERMINATE");

  private final String text;

  State(String text) {
    this.text = text;
  }

  /// As commands print it.
  public String text() {
    return text;
  }

  /// Whether this is a state of a DC that runs the cluster.
  public boolean governs() {
    return switch (this) {
      case INTEGRATION, FINALIZE_JOIN, POLICY_ENGINE, TRANSITION_ENGINE, IDLE -> true;
      case STARTING, PENDING, ELECTION, NOT_DC, RELEASE_DC, RECOVERY, STOPPING, TERMINATE -> false;
    };
  }
}
