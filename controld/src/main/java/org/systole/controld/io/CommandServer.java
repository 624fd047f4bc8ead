package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// Serves commands on `ctl.sock`, and passes on what another node or the DC has to answer.
public final class CommandServer
    implements RpcServer.Handler<CtlMessage.Request, CtlMessage.Reply, NoEvent> {
  private static final Duration RELAY_TIMEOUT = Duration.ofSeconds(60);
  private static final int RELAYS_MAX = 1000;

  private record Waiting(Consumer<CtlMessage.Reply> answer, World.Timer timer) {}

  /// What the server needs of the controller.
  public interface Host {
    NodeName nodeName();

    State state();

    /// Null if there is none at present.
    @Nullable NodeName dcName();

    boolean isDc();

    @Nullable NodeId dcId();

    /// Null if no node has this name.
    @Nullable NodeId nodeId(NodeName name);

    /// The member that acts for a node: the node itself, or the one connected to a remote node.
    NodeName memberFor(NodeName node);

    /// The remote nodes that members are connected to.
    List<NodeName> remoteNodes();

    NodeName nodeName(NodeId id);

    boolean isOnline(NodeId id);

    boolean isMember(NodeId id);

    /// Whether the node list of the cluster's configuration file has it.
    boolean isConfigured(NodeId id);

    /// The nodes whose controllers are there, sorted by id.
    List<NodeId> online();

    /// All nodes ever heard of, and whether this side has quorum.
    CtlMessage.Nodes nodes();

    /// What the DC is doing.
    CtlMessage.Reply work();

    /// The hosts that host HA looks after.
    CtlMessage.Reply hosts(CtlMessage.HostsQuery query);

    /// Why a request about hosts is not its sender's to make; null if it is, or is about something else.
    @Nullable String deniedOfHosts(Credentials peer, CtlMessage.Request request);

    /// Has host HA do something.
    ///
    /// @param done told once
    void orderHost(CtlMessage.OrderHost order, Consumer<CtlMessage.Reply> done);

    /// Has host HA check a host for a person.
    ///
    /// @param done told once
    void tryHost(NodeName host, Consumer<CtlMessage.Reply> done);

    void offer(Input input);

    void send(NodeId node, PeerMessage message);

    /// Forgets a node that is no member; `done` is told whether the CIB could be changed.
    void removeNode(NodeName node, Consumer<Boolean> done);

    /// The resource by which the configuration has a remote or guest node of that name; null if there is none.
    @Nullable String madeBy(NodeName node);

    /// Whether members still have a history of the connection to that node.
    boolean remembersConnection(NodeName node);

    /// The resources that run on a remote or guest node for all that is known, or may.
    List<String> mayRunOn(NodeName node);

    /// Forgets a node when it is out of the node list.
    ///
    /// @return how long that may take
    Duration removeOnceUnlisted(NodeName node);

    /// Forgets a resource's history, or that of all resources if it is empty; `done` is given null, or
    /// what went wrong.
    ///
    /// @param node this one, or a remote node that it is connected to
    void clearHistory(String resource, NodeName node, Consumer<@Nullable String> done);

    /// Asks this machine what agents and packages it has.
    ///
    /// @param done told once
    void inventory(List<String> wanted, Consumer<CtlMessage.Reply> done);

    /// Sees whether a fence device answers here.
    ///
    /// @param done told once
    void askDevice(CtlMessage.AskDevice asked, Consumer<CtlMessage.Reply> done);

    /// Whether a remote node is not connected to this one.
    boolean isAway(NodeName node);

    /// Records a failure that did not happen.
    ///
    /// @return what kept it from that, null for nothing
    @Nullable String recordPretendedFailure(ResourceId resource, NodeName node, AgentName agent);
  }

  private final World world;
  private final Host host;
  private final Map<Long, Waiting> relayed = new HashMap<>();
  private final NodeRemovals removals;
  private long lastRelay;

  public CommandServer(World world, Host host) {
    this.world = world;
    this.host = host;
    this.removals = new NodeRemovals(world, host);
  }

  /// This node's copy of the CIB has changed.
  public void cibChanged() {
    removals.cibChanged();
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<CtlMessage.Reply> call,
      CtlMessage.Request request) {
    var elsewhere = session.peer().node();
    var denied = host.deniedOfHosts(session.peer(), request);
    if (denied != null) {
      call.reply(refused(CtlMessage.Reason.DENIED, denied));
      return;
    }
    route(
        request,
        answer ->
            call.reply(
                elsewhere != null && answer instanceof CtlMessage.Nodes it
                    ? new CtlMessage.Nodes(elsewhere, it.nodes(), it.quorate(), it.membership())
                    : answer));
  }

  @Override
  public CtlMessage.Reply denied(CtlMessage.Request request, String why) {
    return refused(CtlMessage.Reason.DENIED, why);
  }

  private void route(CtlMessage.Request request, Consumer<CtlMessage.Reply> answer) {
    switch (request) {
      case CtlMessage.StateQuery(var node) -> toNode(node, request, answer);
      case CtlMessage.InventoryQuery(var node, _) -> toNode(node, request, answer);
      case CtlMessage.AskDevice it -> toNode(it.node(), request, answer);
      case CtlMessage.DcQuery _,
          CtlMessage.NodesQuery _,
          CtlMessage.Shutdown _,
          CtlMessage.Elect _,
          CtlMessage.MayChange _ ->
          here(request, answer);
      case CtlMessage.WorkQuery _,
          CtlMessage.RemoveNode _,
          CtlMessage.HostsQuery _,
          CtlMessage.OrderHost _,
          CtlMessage.TryHost _ ->
          toDc(request, answer);
      case CtlMessage.ClearHistory(var resource, var node) -> {
        var name = NodeName.of(node);
        if (node.isEmpty()) {
          everywhere(resource, answer);
        } else if (name == null) {
          answer.accept(refused(CtlMessage.Reason.UNKNOWN, "that is not a valid node name"));
        } else {
          toNode(host.memberFor(name), request, answer);
        }
      }
      case CtlMessage.FailResource it -> toNode(host.memberFor(it.node()), request, answer);
    }
  }

  /// @param node null for this one
  private void toNode(
      @Nullable NodeName node, CtlMessage.Request request, Consumer<CtlMessage.Reply> answer) {
    if (node == null || node.equals(host.nodeName())) {
      here(request, answer);
      return;
    }
    var id = host.nodeId(node);
    if (id == null) {
      answer.accept(refused(CtlMessage.Reason.UNKNOWN, "no node has the name " + node));
    } else if (!host.isOnline(id)) {
      answer.accept(
          refused(
              CtlMessage.Reason.UNREACHABLE,
              "the controller of %s is not running or not in the cluster".formatted(node)));
    } else {
      relay(id, request, answer);
    }
  }

  private void toDc(CtlMessage.Request request, Consumer<CtlMessage.Reply> answer) {
    var dc = host.dcId();
    if (host.isDc()) {
      here(request, answer);
    } else if (dc == null) {
      answer.accept(refused(CtlMessage.Reason.UNREACHABLE, "the cluster has no DC at present"));
    } else {
      relay(dc, request, answer);
    }
  }

  private void everywhere(String resource, Consumer<CtlMessage.Reply> answer) {
    var remote = host.remoteNodes();
    var nodes = new ArrayList<>(remote);
    host.online().forEach(it -> nodes.add(host.nodeName(it)));
    var left = new int[] {nodes.size()};
    var worst = new ArrayList<CtlMessage.Reply>();
    for (var node : nodes) {
      toNode(
          host.memberFor(node),
          new CtlMessage.ClearHistory(resource, node.text()),
          it -> {
            var gone = // as a member that is not online: its connection has just been lost
                it instanceof CtlMessage.Refused(var reason, _)
                    && reason == CtlMessage.Reason.UNREACHABLE
                    && remote.contains(node);
            if (it instanceof CtlMessage.Refused && !gone) {
              worst.add(it);
            }
            if (--left[0] == 0) {
              answer.accept(worst.isEmpty() ? new CtlMessage.Done() : worst.getFirst());
            }
          });
    }
    if (nodes.isEmpty()) {
      answer.accept(refused(CtlMessage.Reason.UNREACHABLE, "no node is online"));
    }
  }

  private void relay(NodeId node, CtlMessage.Request request, Consumer<CtlMessage.Reply> answer) {
    if (relayed.size() >= RELAYS_MAX) {
      answer.accept(refused(CtlMessage.Reason.NOT_NOW, "too many requests wait for other nodes"));
      return;
    }
    var number = ++lastRelay;
    var timer =
        world.after(
            RELAY_TIMEOUT,
            () ->
                finish(
                    number,
                    refused(
                        CtlMessage.Reason.UNREACHABLE,
                        "%s did not answer".formatted(host.nodeName(node)))));
    relayed.put(number, new Waiting(answer, timer));
    host.send(node, new PeerMessage.Relay(number, CtlMessage.PROTOCOL.request(0, request)));
  }

  private void finish(long number, CtlMessage.Reply answer) {
    var waiting = relayed.remove(number);
    if (waiting != null) {
      waiting.timer().cancel();
      waiting.answer().accept(answer);
    }
  }

  /// A request another node's controller passed on to this one.
  public void relayed(NodeId from, PeerMessage.Relay relay) {
    try {
      var request = CtlMessage.PROTOCOL.requestIn(relay.frame()).body();
      here(
          request,
          answer ->
              host.send(
                  from,
                  new PeerMessage.RelayAnswer(
                      relay.number(), CtlMessage.PROTOCOL.reply(0, answer))));
    } catch (Protocol.ProtocolException e) {
      world.log().warning("Cannot read a request passed on: " + e.getMessage());
      // `stonith_admin --paths` knows by these words that a node of another build was asked.
      var why = "%s does not understand the request: %s".formatted(host.nodeName(), e.getMessage());
      host.send(
          from,
          new PeerMessage.RelayAnswer(
              relay.number(),
              CtlMessage.PROTOCOL.reply(0, refused(CtlMessage.Reason.FAILED, why))));
    }
  }

  public void answered(PeerMessage.RelayAnswer answer) {
    try {
      finish(answer.number(), CtlMessage.PROTOCOL.replyIn(answer.frame()));
    } catch (Protocol.ProtocolException e) {
      finish(answer.number(), refused(CtlMessage.Reason.FAILED, e.getMessage()));
    }
  }

  private void here(CtlMessage.Request request, Consumer<CtlMessage.Reply> answer) {
    switch (request) {
      case CtlMessage.StateQuery _ ->
          answer.accept(
              new CtlMessage.State(host.nodeName(), host.state().text(), host.dcName()));
      case CtlMessage.InventoryQuery(_, var wanted) -> host.inventory(wanted, answer);
      case CtlMessage.AskDevice it -> host.askDevice(it, answer);
      case CtlMessage.DcQuery _ -> answer.accept(new CtlMessage.Dc(host.dcName()));
      case CtlMessage.NodesQuery _ -> answer.accept(host.nodes());
      case CtlMessage.WorkQuery _ -> answer.accept(asDc(host::work));
      case CtlMessage.HostsQuery it -> answer.accept(asDc(() -> host.hosts(it)));
      case CtlMessage.OrderHost it -> ifDc(answer, () -> host.orderHost(it, answer));
      case CtlMessage.TryHost(var name) -> ifDc(answer, () -> host.tryHost(name, answer));
      case CtlMessage.RemoveNode(var node) -> remove(node, answer);
      case CtlMessage.ClearHistory(var resource, var node) -> clear(resource, node, answer);
      case CtlMessage.FailResource it -> fail(it, answer);
      case CtlMessage.MayChange _ -> answer.accept(new CtlMessage.Done());
      case CtlMessage.Shutdown _ -> {
        host.offer(new Input.ShutdownRequested("a command asks for it"));
        answer.accept(new CtlMessage.Done());
      }
      case CtlMessage.Elect _ -> {
        host.offer(new Input.ElectionCalled("a command asks for it"));
        answer.accept(new CtlMessage.Done());
      }
    }
  }

  private CtlMessage.Reply asDc(Supplier<CtlMessage.Reply> reply) {
    return host.isDc() ? reply.get() : noLongerDc();
  }

  private void ifDc(Consumer<CtlMessage.Reply> answer, Runnable then) {
    if (host.isDc()) {
      then.run();
    } else {
      answer.accept(noLongerDc());
    }
  }

  private static CtlMessage.Reply noLongerDc() {
    return refused(CtlMessage.Reason.UNREACHABLE, "this node is no longer DC");
  }

  private void remove(NodeName node, Consumer<CtlMessage.Reply> answer) {
    var id = host.nodeId(node);
    if (id != null && host.isMember(id)) {
      answer.accept(
          refused(
              CtlMessage.Reason.NOT_NOW,
              node + " is a member of the cluster; stop it there first"));
      return;
    }
    if (id != null && host.isConfigured(id)) {
      var patience = host.removeOnceUnlisted(node);
      answer.accept(
          refused(
              CtlMessage.Reason.NOT_NOW,
              node
                  + " is in the node list of corosync.conf, so it would be back at once and be fenced;"
                  + " take it out there on all nodes and have that read (corosync-cfgtool -R): it is"
                  + " removed with it then, if that is done within %d minutes"
                      .formatted(patience.toMinutes())));
      return;
    }
    removals.begin(node, answer);
  }

  private void clear(String resource, String node, Consumer<CtlMessage.Reply> answer) {
    var named = NodeName.of(node);
    var name = named == null ? host.nodeName() : named;
    host.clearHistory(
        resource,
        name,
        problem -> {
          var reason =
              host.isAway(name) ? CtlMessage.Reason.UNREACHABLE : CtlMessage.Reason.FAILED;
          answer.accept(problem == null ? new CtlMessage.Done() : refused(reason, problem));
        });
  }

  private void fail(CtlMessage.FailResource it, Consumer<CtlMessage.Reply> answer) {
    var agent = new AgentName(it.standard(), it.provider(), it.type());
    var problem = host.recordPretendedFailure(it.resource(), it.node(), agent);
    answer.accept(
        problem == null
            ? new CtlMessage.Done()
            : refused(CtlMessage.Reason.UNREACHABLE, problem));
  }

  static CtlMessage.Reply refused(CtlMessage.Reason reason, String why) {
    return new CtlMessage.Refused(reason, why);
  }
}
