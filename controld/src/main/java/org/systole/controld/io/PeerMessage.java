package org.systole.controld.io;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol;

/// What the controllers of different nodes say to each other in the group `ctl`.
public sealed interface PeerMessage {
  Protocol<PeerMessage> PROTOCOL = Protocol.of("controllers", 1, PeerMessage.class);
  String GROUP = "ctl";

  /// To all: the sender is DC.
  record Heartbeat(long epoch) implements PeerMessage {}

  /// To all, or again to one: the sender wants to be DC.
  ///
  /// @param round the sender's own count of elections
  /// @param memberSince the number of the membership in which its present stay began
  /// @param leaving it is shutting down and wins only over others that are too
  /// @param epoch the highest the sender has heard of: the winner must go beyond
  record Vote(long round, String featureSet, long memberSince, boolean leaving, long epoch)
      implements PeerMessage {}

  /// To one: the sender gives way to the receiver in that round of the receiver's.
  record NoVote(long round) implements PeerMessage {}

  /// To all, or to a DC that was heard: the sender is there and has no DC.
  ///
  /// @param epoch the highest it has heard of
  record Announce(long epoch) implements PeerMessage {}

  record Offer(long epoch, long joinId) implements PeerMessage {}

  /// @param names what the sender calls the members that it sees, itself among them; earlier builds do not say
  record Request(long joinId, String featureSet, @Nullable Map<NodeId, NodeName> names) implements PeerMessage {}

  record Result(long joinId, boolean accepted, String why) implements PeerMessage {}

  /// @param status the sender's `node_state` element with the history of its resources
  /// @param admitted a side with quorum has let the sender in since it started
  record Confirm(long joinId, String status, boolean admitted) implements PeerMessage {}

  /// From the DC: execute a resource action.
  ///
  /// @param action the graph's `rsc_op` element
  /// @param key the transition key
  record Execute(String action, String key) implements PeerMessage {}

  /// From the DC: execute an action of the cluster's own, such as `do_shutdown`.
  record Cluster(String action, String key) implements PeerMessage {}

  /// To the DC: the result of an action that is not recorded in the CIB.
  ///
  /// @param operation an `lrm_rsc_op` element
  record Ack(String operation) implements PeerMessage {}

  /// To the DC: the sender wants to leave.
  record LeaveRequest() implements PeerMessage {}

  /// To who has operations carried out on a node: a resource is about to be moved there live. Said from level 18 on.
  ///
  /// @param parameters with which it is sent, names without `OCF_RESKEY_`: the configuration may have others by the time it arrives
  record Arrival(NodeName node, NodeName source, ResourceId resource, AgentName agent, Map<String, String> parameters)
      implements PeerMessage {}

  /// To all: how busy the sender is.
  ///
  /// @param jobs how many actions at a time it takes at most when idle
  record Load(Mode mode, int jobs) implements PeerMessage {
    /// How busy a node is; each step allows it less at a time.
    public enum Mode {
      NONE,
      LOW,
      MEDIUM,
      HIGH,
      EXTREME
    }
  }

  /// From the DC: run a jig. A run that was begun before is not begun again.
  ///
  /// @param noderole as `ROLE@NODE`
  /// @param given the JSON object that the jig is told
  /// @param once whether it may run only once, so that no other run ends it; earlier builds do not say
  /// @param spared the roles that may run only once by now, of those that were begun on the node; nor do they
  record RunJig(
      long epoch,
      String noderole,
      int run,
      String jig,
      String role,
      long timeoutMillis,
      String given,
      @Nullable Boolean once,
      @Nullable List<String> spared)
      implements PeerMessage {}

  /// From the DC: what became of a run that it has not ordered, or has heard nothing of?
  record AskJig(long epoch, String noderole, int run) implements PeerMessage {}

  /// From the DC: end a run, or a check after it, if it is under way; nobody wants it any more. Said from
  /// level 11 on.
  record EndJig(long epoch, String noderole, int run) implements PeerMessage {}

  /// To the DC: a run has ended.
  ///
  /// @param result the name of an `ExecMessage.JigResult`
  /// @param text the jig's answer, or what went wrong
  record JigNews(String noderole, int run, String result, String text, String given)
      implements PeerMessage {}

  /// From the DC: look whether a noderole is fit still. Said from level 7 on.
  ///
  /// @param run the noderole's last run
  record CheckJig(
      long epoch,
      String noderole,
      int run,
      String jig,
      String role,
      long timeoutMillis,
      String given)
      implements PeerMessage {}

  /// To the DC: what was found.
  ///
  /// @param result the name of an `ExecMessage.JigResult`
  /// @param text what is wrong; empty if nothing is
  record CheckNews(String noderole, int run, String result, String text) implements PeerMessage {}

  /// A command's request, passed on.
  ///
  /// @param frame the request as the command sent it
  record Relay(long number, byte[] frame) implements PeerMessage {}

  record RelayAnswer(long number, byte[] frame) implements PeerMessage {}

  /// An action of an agent that is nobody's resource.
  ///
  /// @param parameters names without `OCF_RESKEY_`
  record AgentCall(AgentName agent, OperationName action, Map<String, String> parameters) {}

  /// From the DC: ask a remote node, over the receiver's connection to it. Said from level 5 on.
  /// Answered with [AgentRan].
  ///
  /// @param number the sender's own
  /// @param call what an agent is to do there; null to see only whether the node answers
  /// @param server where the node serves, if a connection may be made for this alone where the receiver
  ///     has none; null to do without
  record RunAgent(
      long number,
      NodeName node,
      @Nullable AgentCall call,
      @Nullable String server,
      int port,
      long timeoutMillis)
      implements PeerMessage {}

  /// What came of it.
  ///
  /// @param reached whether the node has answered
  /// @param reason the agent's, or what went wrong; may be empty
  /// @param output what the agent wrote
  record AgentRan(
      long number, boolean reached, int rc, ExecStatus status, String reason, String output)
      implements PeerMessage {}

  /// From the DC: read the power of a host, with the devices that the receiver may use. Said from
  /// level 8 on. Answered with [PowerRead].
  ///
  /// @param number the sender's own
  record ReadPower(long number, NodeName host, long timeoutMillis) implements PeerMessage {}

  /// What was read.
  ///
  /// @param state `ON`, `OFF`, `UNKNOWN`, or `NONE` if the sender may use no device for the host
  record PowerRead(long number, String state) implements PeerMessage {}
}
