package org.systole.controld.client;

import java.util.List;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;

/// What commands and the controller of a node say to each other over `ctl.sock`. A request about
/// another node is passed on to it, or to the DC, by the controller that was asked.
///
/// Only root and the cluster's own user may ask for what changes anything.
public sealed interface CtlMessage {
  ClientProtocol<Request, Reply, NoEvent> PROTOCOL =
      ClientProtocol.of(Protocol.of("controller", 1, CtlMessage.class), Request.class, Reply.class);
  String SOCKET = "ctl";

  sealed interface Request extends CtlMessage {}

  sealed interface Reply extends CtlMessage {}

  /// Asks what a node's controller is doing. Answered with [State], or [Refused].
  ///
  /// @param node the node's name; empty for the local one
  record StateQuery(String node) implements Request, Allowed.ToMembers {}

  /// @param state such as `S_IDLE`
  /// @param dc the DC as that node sees it, empty if it knows of none
  record State(String node, String state, String dc) implements Reply {}

  /// Asks who is DC. Answered with [Dc].
  record DcQuery() implements Request, Allowed.ToMembers {}

  /// @param node empty if there is none at present
  record Dc(String node) implements Reply {}

  /// Asks for the nodes. Answered with [Nodes].
  record NodesQuery() implements Request, Allowed.ToMembers {}

  /// @param nodes all configured nodes, sorted by id
  /// @param quorate whether this node takes part in the quorum
  record Nodes(String local, List<Node> nodes, boolean quorate, long membership) implements Reply {}

  /// @param member it is in the membership
  /// @param controlled its controller is there too
  record Node(int id, String name, boolean member, boolean controlled) {}

  /// Takes a node that is gone out of configuration and status. Answered with [Done] or [Refused].
  record RemoveNode(String node) implements Request, Allowed.ToNobodyElse {}

  /// Forgets a resource's history on a node, so that it is probed again. Answered with [Done] or
  /// [Refused].
  ///
  /// @param resource as in the history; empty for all resources of the node
  /// @param node the node's name; empty for all nodes
  record ClearHistory(String resource, String node) implements Request, Allowed.ToNobodyElse {}

  /// Asks whether this client may change anything, so that a command of several steps does not fail
  /// halfway. Answered with [Done], or [Refused].
  record MayChange() implements Request, Allowed.ToNobodyElse {}

  /// Pretends that a running resource has failed. Answered with [Done] or [Refused].
  ///
  /// @param provider empty if the standard has none
  record FailResource(String resource, String node, String standard, String provider, String type)
      implements Request, Allowed.ToNobodyElse {}

  /// Asks whether the cluster has anything left to do. Answered with [Work], or [Refused] if there
  /// is no DC.
  record WorkQuery() implements Request, Allowed.ToMembers {}

  /// @param idle the DC has nothing left to carry out and nothing is being recorded
  /// @param pending operations under way, such as `web_start_0 on node1`
  record Work(boolean idle, String state, List<String> pending) implements Reply {}

  /// Asks the node's controller to leave the cluster in good order. Answered with [Done]; it ends
  /// when its resources have been moved away.
  record Shutdown() implements Request, Allowed.ToNobodyElse {}

  /// Has a DC elected again. Answered with [Done].
  record Elect() implements Request, Allowed.ToNobodyElse {}

  record Done() implements Reply {}

  /// Why it was not done.
  enum Reason {
    /// No such node or resource.
    UNKNOWN,
    DENIED,
    /// The node, or a DC, cannot be reached now.
    UNREACHABLE,
    /// It must not be done in the present state.
    NOT_NOW,
    /// It was tried and failed.
    FAILED
  }

  record Refused(Reason reason, String why) implements Reply {}
}
