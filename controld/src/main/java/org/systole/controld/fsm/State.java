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
  /// DC: those who asked get the CIB and their place.
  FINALIZE_JOIN("S_FINALIZE_JOIN"),
  /// DC: the scheduler is asked.
  POLICY_ENGINE("S_POLICY_ENGINE"),
  /// DC: a transition is carried out.
  TRANSITION_ENGINE("S_TRANSITION_ENGINE"),
  /// DC: all is as it should be.
  IDLE("S_IDLE"),
  /// Was DC, and hands the duty over.
  RELEASE_DC("S_RELEASE_DC"),
  /// Something broke; this controller gives up what it holds and starts anew.
  RECOVERY("S_RECOVERY"),
  /// Leaving in good order.
  STOPPING("S_STOPPING"),
  /// Gone as soon as the loop comes round.
  TERMINATE("S_TERMINATE");

  private final String text;

  State(String text) {
    this.text = text;
  }

  /// As commands print it.
  public String text() {
    return text;
  }

  /// Whether this is a state only the DC can be in, and in which the cluster is the DC's to run.
  public boolean governs() {
    return switch (this) {
      case INTEGRATION, FINALIZE_JOIN, POLICY_ENGINE, TRANSITION_ENGINE, IDLE -> true;
      case STARTING, PENDING, ELECTION, NOT_DC, RELEASE_DC, RECOVERY, STOPPING, TERMINATE -> false;
    };
  }
}
