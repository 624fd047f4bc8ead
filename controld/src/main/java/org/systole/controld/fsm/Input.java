package org.systole.controld.fsm;

import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Everything the state machine can be told.
public sealed interface Input {
  /// The process begins.
  record StartUp() implements Input {}

  /// All connections are up and the membership is known.
  record Ready() implements Input {}

  /// No DC was heard of for as long as one may be silent.
  record DcTimeout(String why) implements Input {}

  /// A new DC has to be found.
  record ElectionCalled(String why) implements Input {}

  record ElectionWon(String why) implements Input {}

  /// @param winner who beat this node
  record ElectionLost(NodeName winner) implements Input {}

  /// This DC must hand over.
  record ReleaseCalled(String why) implements Input {}

  /// Nothing of the DC's duties is left here.
  record Released() implements Input {}

  /// Nodes came; they want to be invited.
  record NodesChanged(String why) implements Input {}

  /// The DC invites this node.
  record Offered(NodeId from, long epoch, long joinId) implements Input {}

  /// An invited node asks for its place; DC only.
  record JoinRequested(NodeId from, long joinId, String featureSet) implements Input {}

  /// The DC took this node in.
  record JoinAccepted(NodeId from, long joinId) implements Input {}

  /// The DC turned this node down.
  record JoinRefused(NodeId from, long joinId, String why) implements Input {}

  /// A node confirms its place and says what it runs; DC only.
  ///
  /// @param status its `node_state` element as text
  record JoinConfirmed(NodeId from, long joinId, String status) implements Input {}

  /// All invited nodes have asked, or their time is up.
  record Integrated(long joinId) implements Input {}

  /// All who asked have confirmed, or their time is up.
  record Finalized(long joinId) implements Input {}

  /// The cluster may have to change.
  record ScheduleNeeded(String why) implements Input {}

  /// The scheduler's plan.
  record Planned(TransitionGraph graph) implements Input {}

  /// The transition has ended and nothing else is to be done.
  record TransitionDone() implements Input {}

  /// This node is asked to leave the cluster.
  record ShutdownRequested(String why) implements Input {}

  /// The cluster has taken leave of this node: end in good order.
  record StopNow(String why) implements Input {}

  /// The CIB manager of this node is gone for a moment, or came back with another CIB.
  record CibLost(String why) implements Input {}

  /// A daemon or the cluster is lost to this controller.
  record Broken(String why) implements Input {}

  /// End, whatever the state.
  record EndNow(String why) implements Input {}
}
