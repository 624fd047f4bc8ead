package org.systole.controld.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
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
      ClientProtocol.of(Protocol.of("controller", 1, CtlMessage.class), Request.class, Reply.class)
          .withRefusal(why -> new Refused(Reason.UNKNOWN, why));
  String SOCKET = "ctl";

  sealed interface Request extends CtlMessage {}

  sealed interface Reply extends CtlMessage {}

  /// Asks what a node's controller is doing. Answered with [State], or [Refused].
  ///
  /// @param node null for the local one
  record StateQuery(@Nullable NodeName node) implements Request, Allowed.ToMembers {}

  /// @param node null if it does not know its name yet
  /// @param state such as `S_IDLE`
  /// @param dc the DC as that node sees it, null if it knows of none
  record State(@Nullable NodeName node, String state, @Nullable NodeName dc) implements Reply {}

  /// Asks who is DC. Answered with [Dc].
  record DcQuery() implements Request, Allowed.ToMembers {}

  /// @param node null if there is none at present
  record Dc(@Nullable NodeName node) implements Reply {}

  /// Asks for the nodes. Answered with [Nodes].
  record NodesQuery() implements Request, Allowed.ToMembers {}

  /// @param nodes all configured nodes, sorted by id
  /// @param quorate whether this node takes part in the quorum
  record Nodes(NodeName local, List<Node> nodes, boolean quorate, long membership)
      implements Reply {}

  /// @param member it is in the membership
  /// @param controlled its controller is there too
  record Node(NodeId id, NodeName name, boolean member, boolean controlled) {}

  /// Takes a node that is gone out of configuration and status. Answered with [Done] or [Refused].
  record RemoveNode(NodeName node) implements Request, Allowed.ToNobodyElse {}

  /// Forgets a resource's history on a node, so that it is probed again. Answered with [Done] or
  /// [Refused].
  ///
  /// Both are texts: a message that lacks one must not be one for all.
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
  record FailResource(
      ResourceId resource, NodeName node, String standard, String provider, String type)
      implements Request, Allowed.ToNobodyElse {}

  /// Asks whether the cluster has anything left to do. Answered with [Work], or [Refused] if there
  /// is no DC.
  record WorkQuery() implements Request, Allowed.ToMembers {}

  /// @param idle the DC has nothing left to carry out and nothing is being recorded
  /// @param pending operations under way, such as `web_start_0 on node1`
  /// @param transition the one under way; null if there is none, or an older DC does not say
  record Work(
      boolean idle, String state, List<String> pending, @Nullable Transition transition)
      implements Reply {}

  /// How far a transition is.
  ///
  /// @param number as in the DC's log
  /// @param done steps that have been carried out, or were given up
  /// @param total all steps
  record Transition(int number, int done, int total) {}

  /// Asks the node's controller to leave the cluster in good order. Answered with [Done]; it ends
  /// when its resources have been moved away.
  record Shutdown() implements Request, Allowed.ToNobodyElse {}

  /// Has a DC elected again. Answered with [Done].
  record Elect() implements Request, Allowed.ToNobodyElse {}

  /// Asks how hosts are that host HA looks after. Answered with [Hosts], or [Refused] if there is no DC. A DC of an earlier
  /// build answers with all there is, whatever is asked for.
  ///
  /// @param host the one that is asked for; null for all
  /// @param brief whether without histories; null, as of a command of an earlier build, for with them. Those of very many hosts are left out as a message takes so much only
  record HostsQuery(@Nullable NodeName host, @Nullable Boolean brief) implements Request, Allowed.WithinLists {}

  /// @param hosts by name; none if host HA is not in use
  /// @param doubts what in the configuration can hardly be meant
  record Hosts(List<HaHost> hosts, List<HaQueue> queues, List<String> doubts) implements Reply {}

  /// A host.
  ///
  /// @param partition the narrowest it is in; empty for none
  /// @param state such as `SUSPECT`
  /// @param since seconds since 1970
  /// @param why why it is in its state, or what keeps it there; may be empty
  /// @param power `ON`, `OFF` or `UNKNOWN`; empty if it was not read yet
  /// @param recoveries begun since it last passed a health check
  /// @param looks of its last investigation
  /// @param failures how many of them saw nothing
  /// @param blind how many of them could not look
  /// @param held why a person wants it left alone; null if nobody does
  /// @param history its last moves, oldest first, since this DC looks after it
  /// @param powerAt when its power was so, in seconds since 1970; null if that is not known
  record HaHost(
      NodeName name,
      String partition,
      String state,
      long since,
      String why,
      String power,
      int recoveries,
      int looks,
      int failures,
      int blind,
      boolean maintenance,
      @Nullable String held,
      List<HostMove> history,
      @Nullable Long powerAt) {}

  /// @param at seconds since 1970
  record HostMove(long at, String from, String to, String event, String why) {}

  /// @param refused how many hosts found no room in it so far
  record HaQueue(String kind, int waiting, int running, long refused) {}

  /// What a person wants about a host.
  enum HostOrder {
    HOLD,
    RELEASE,
    RECOVER,
    FENCE,
    CONFIRM,
    CLEAR,
    CHECK
  }

  /// Has host HA do something about a host. Answered with [Done] or [Refused].
  ///
  /// @param why for `HOLD`; may be empty
  record OrderHost(NodeName host, HostOrder what, String why)
      implements Request, Allowed.ToNamed {}

  /// Has all checks of a host done once, so that a person sees what comes of them; nothing follows from
  /// that. Answered with [Tried] or [Refused].
  record TryHost(NodeName host) implements Request, Allowed.ToNamed {}

  record Tried(List<HaTry> checks) implements Reply {}

  /// A check that was tried.
  ///
  /// @param check `eligible`, `health`, `activity` or `power`
  /// @param by the host that looked; empty for the host itself, or its fence devices
  /// @param well whether the answer is a good one
  /// @param said the answer
  record HaTry(String check, String by, boolean well, String said) {}

  /// Asks what agents and packages a member has. Answered with [Inventory], or [Refused].
  ///
  /// @param node null for the local one
  /// @param wanted agents to look for, such as `ocf:heartbeat:pgsql`
  record InventoryQuery(@Nullable NodeName node, List<String> wanted)
      implements Request, Allowed.ToMembers {}

  /// @param json an object: `inventory` of agents by their kind, `packages` with their versions, and
  ///     `missing` of those that were looked for, where any is
  record Inventory(NodeName node, String json) implements Reply {}

  /// Has a member ask a fence device for the power of a node, to see whether the device answers there.
  /// Answered with [Done] if it does, or [Refused].
  ///
  /// @param node the member that asks; null for the local one
  record AskDevice(@Nullable NodeName node, String device, NodeName target, long timeoutMillis)
      implements Request, Allowed.ToNobodyElse {}

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
    FAILED,
    /// It takes a quorum.
    NO_QUORUM
  }

  /// What the words of a refusal begin with where something was ordered all the same, and may be forgotten.
  String ORDERED = "It was ordered";

  record Refused(Reason reason, String why) implements Reply {}
}
