package org.systole.controld.fsm;

import java.util.Map;
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

  /// This node has handed over as DC.
  record Released() implements Input {}

  /// There are nodes to invite.
  record NodesChanged(String why) implements Input {}

  /// The DC invites this node.
  record Offered(NodeId from, long epoch, long joinId) implements Input {}

  /// An invited node answers the offer; DC only.
  ///
  /// @param names what it calls the members; empty if it does not say
  record JoinRequested(NodeId from, long joinId, String featureSet, Map<NodeId, NodeName> names)
      implements Input {}

  /// The DC lets this node in.
  record JoinAccepted(NodeId from, long joinId) implements Input {}

  /// The DC turned this node down.
  record JoinRefused(NodeId from, long joinId, String why) implements Input {}

  /// A node confirms that it was let in and reports what it runs; DC only.
  ///
  /// @param status its `node_state` element as text
  record JoinConfirmed(NodeId from, long joinId, String status) implements Input {}

  /// All invited nodes have answered, or their time is up.
  record Integrated(long joinId) implements Input {}

  /// All nodes let in have confirmed, or their time is up.
  record Finalized(long joinId) implements Input {}

  /// The scheduler has to be asked.
  record ScheduleNeeded(String why) implements Input {}

  /// The scheduler's plan.
  record Planned(TransitionGraph graph) implements Input {}

  /// The transition has ended and no other plan is needed.
  record TransitionDone() implements Input {}

  /// This node is asked to leave the cluster.
  record ShutdownRequested(String why) implements Input {}

  /// The cluster has let this node go, or nothing runs here: leave in good order.
  record StopNow(String why) implements Input {}

  /// The CIB manager of this node is gone for a moment, or came back with another CIB.
  record CibLost(String why) implements Input {}

  /// This controller has lost the cluster or a daemon it cannot work without.
  record Broken(String why) implements Input {}

  /// End, whatever the state.
  record EndNow(String why) implements Input {}

  /// The DC does not let this node in, and would not a moment later: the node is to be shut down.
  record TurnedDown(String why) implements Input {}
}
