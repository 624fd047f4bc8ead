package org.systole.controld.fsm;

import org.systole.common.transition.TransitionGraph;

/// What the state machine wants done. Data, so that a test can compare it and a log can print it.
public sealed interface Effect {
  record Connect() implements Effect {}

  /// Tell a DC that this node is there.
  record Announce() implements Effect {}

  /// Have an election called if no DC is heard of in time.
  record AwaitDc() implements Effect {}

  record Vote(String why) implements Effect {}

  record TakeOver() implements Effect {}

  /// Make this node's CIB the primary one again, in the same term.
  record RetakeCib() implements Effect {}

  /// Stop everything that only a DC does.
  record ReleaseDc(String why) implements Effect {}

  record OfferAll(String why) implements Effect {}

  /// Invite the nodes that have not joined yet.
  record OfferNew(String why) implements Effect {}

  record AnswerOffer(Input.Offered offer) implements Effect {}

  record Admit(Input.JoinRequested request) implements Effect {}

  record Finalize() implements Effect {}

  /// Confirm that this node was let in.
  record Confirm(Input.JoinAccepted result) implements Effect {}

  record Refused(Input.JoinRefused result) implements Effect {}

  record RecordNode(Input.JoinConfirmed confirmation) implements Effect {}

  record JoinDone() implements Effect {}

  record Schedule(String why) implements Effect {}

  record RunTransition(TransitionGraph graph) implements Effect {}

  record Settle() implements Effect {}

  /// Let what runs finish and start nothing more.
  record Halt(String why) implements Effect {}

  /// Ask the cluster to let this node go.
  record AskToLeave(String why) implements Effect {}

  /// Leave: nothing may run here any more.
  record Leave(String why) implements Effect {}

  /// The process ends.
  enum End {
    IN_ORDER(0),
    FAILED(1),
    /// The supervisor is not to start it again, but to shut the node down.
    FOR_GOOD(100);

    private final int status;

    End(int status) {
      this.status = status;
    }

    public int status() {
      return status;
    }
  }

  record Exit(End end, String why) implements Effect {}
}
