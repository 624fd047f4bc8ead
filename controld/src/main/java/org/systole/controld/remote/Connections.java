package org.systole.controld.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.options.ClusterOptions;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.MetadataCache;
import org.systole.controld.operations.OperationRunner;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// The connections to remote nodes that this member has. What an executor and an agent are to other
/// resources, this is to `ocf:pacemaker:remote`; their history is this member's.
public final class Connections implements NodeExecutor, OperationRunner.Host {
  private static final String ACKNOWLEDGED = "controld_ack_event_directly";
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final World world;
  private final RemoteHost host;
  private final MetadataCache metadata;
  private final OperationRunner runner;
  private final Map<ResourceId, RemoteConnection> connections = new TreeMap<>();
  private final RemoteNames names = new RemoteNames();
  private long lastCall;
  private boolean prepared;

  /// @param metadata what agents say of themselves, as asked on this member
  public Connections(World world, RemoteHost host, MetadataCache metadata) {
    this.world = world;
    this.host = host;
    this.metadata = metadata;
    this.runner = new OperationRunner(world, this, this, metadata, () -> true);
  }

  /// The operations of the connections themselves.
  public OperationRunner runner() {
    return runner;
  }

  /// The connection to a remote node, null if this member never had one.
  @Nullable RemoteConnection of(NodeName node) {
    var id = ResourceId.of(node.text());
    return id == null ? null : connections.get(id);
  }

  /// The operations of a remote node, null if it is not connected to this member.
  public @Nullable OperationRunner on(NodeName node) {
    var connection = of(node);
    var remote = connection == null ? null : connection.remote();
    return remote == null ? null : remote.runner();
  }

  /// The operations of all remote nodes that are connected to this member.
  public Map<NodeName, OperationRunner> all() {
    var all = new TreeMap<NodeName, OperationRunner>();
    connected().forEach(it -> all.put(it.nodeName(), it.runner()));
    return all;
  }

  private Stream<RemoteNode> connected() {
    return connections.values().stream().map(RemoteConnection::remote).filter(Objects::nonNull);
  }

  /// Something is about to be moved live to another node: to a remote one this member may be connected, or be the next that is.
  public void arrives(NodeName node, LeftRunning.Resource sent) {
    var connection = of(node);
    var remote = connection == null ? null : connection.remote();
    host.onTheirWay().note(node, sent);
    if (remote != null) {
      remote.arrives(sent);
    }
  }

  /// What is known of a connection's failure counts no more, in the CIB either: it would have the node
  /// fenced once more as soon as that is connected again.
  public void forgetFailure(ResourceId resource) {
    if (runner.knownResources().contains(resource)) {
      runner.forgetFailure(resource, null, 0);
      host.write(List.of(RemoteRecords.withoutFailure(host.nodeId(), resource)), () -> {});
    }
  }

  /// The CIB has changed: nodes that are connected have to be in it.
  public void cibChanged(Element cib) {
    prepare(cib);
    runner.cibChanged();
    connected().forEach(it -> it.runner().cibChanged());
    connections.forEach((resource, it) -> it.cibChanged(cib, names.isMade(cib, resource.text())));
  }

  /// Plans and probes come before the first connection is asked for: time enough for what connections take. Most clusters have
  /// none.
  private void prepare(Element cib) {
    if (!prepared && names.isAnyMade(cib)) {
      prepared = true;
      host.network().prepare();
    }
  }

  /// Before this member is let in: what the CIB has of the nodes that are connected to it, and of the guests
  /// whose machines run here, must not be another side's, or missing. The DC would take what runs there for
  /// stopped, or for running what does not. Nor must this member say that it has what another one has by now.
  ///
  /// @param active the resources that run on this member
  /// @param then run once that is written, or a while after
  public void beforeJoining(List<ResourceId> active, Runnable then) {
    var connected = new ArrayList<CibOp>();
    connections.values().forEach(it -> connected.addAll(it.rejoined()));
    var unknown = RemoteRecords.guestsOf(host.cib(), active);
    unknown.removeIf(
        it -> {
          var connection = of(it);
          return connection != null && !connection.isLost();
        });
    var over = connections.entrySet().stream().filter(it -> it.getValue().isOver()).map(Map.Entry::getKey).toList();
    new BeforeJoining(world, host, then).write(connected, unknown, over, runner);
  }

  /// Does what the DC asks of a resource on a remote node.
  public void execute(NodeName node, GraphAction action, String key) {
    var connection = of(node);
    Runnable refusal = () -> refuse(node, action, key);
    if (connection != null && connection.afterwards(refusal)) {
      return; // asked for on what was known before, or of the member that had the node until now
    }
    var there = on(node);
    if (there != null) {
      there.execute(action, key);
    } else {
      refuse(node, action, key);
    }
  }

  private void refuse(NodeName node, GraphAction action, String key) {
    var request = action.request(key);
    if (request == null) {
      world.log().error("Ignoring a request that names no resource: " + action.key());
      return;
    }
    world.log().warning("Not doing %s: %s is not connected".formatted(action, node));
    var why = "the remote node is not connected to " + host.nodeName();
    var lost = lostForGood(node, request);
    var status = lost == null ? ExecStatus.INVALID : ExecStatus.NOT_CONNECTED;
    var result =
        OperationResult.made(
            request, OcfCode.UNKNOWN_ERROR, status, why, world.now().getEpochSecond());
    if (lost != null) {
      host.write(List.of(RemoteRecords.failed(host.cib(), node, result, "remote_node_lost")), lost::insist);
    } else {
      host.acknowledge(HistoryEntry.of(result, node, null, ACKNOWLEDGED).getFirst());
    }
  }

  /// A resource is to be stopped on a node that is lost and that nobody may fence: it would be asked for again
  /// and again, and nothing else be done. So it has failed, and the scheduler leaves the resource alone and goes
  /// on with all else. As long as another member may have the connection, or makes it, it has not.
  ///
  /// @return the connection; null if that is not so
  private @Nullable RemoteConnection lostForGood(NodeName node, OperationRequest request) {
    var cib = host.cib();
    var connection = of(node);
    return (request.is(Task.STOP) || request.is(Task.DEMOTE))
            && cib != null
            && !ClusterOptions.read(cib, world.now(), world.zone()).fencing()
            && RemoteRecords.isLast(cib, node, host.nodeName())
            && connection != null
            && connection.isLost()
        ? connection
        : null;
  }

  // The executor of connections

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public void execute(OperationRequest operation, Consumer<ExecMessage.Reply> done) {
    var resource = operation.resource();
    var node = NodeName.of(resource.text());
    if (node == null) {
      world.post(() -> done.accept(new ExecMessage.Refused(resource + " cannot be a node's name")));
      return;
    }
    var call = ++lastCall;
    world.post(() -> done.accept(new ExecMessage.Accepted(call)));
    connections
        .computeIfAbsent(
            resource,
            _ ->
                new RemoteConnection(
                    world,
                    host,
                    metadata,
                    resource,
                    node,
                    runner,
                    () -> ++lastCall))
        .execute(new Asked(operation, call));
  }

  @Override
  public void cancel(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      Consumer<ExecMessage.Reply> done) {
    var connection = connections.get(resource);
    var kind = operation + "_" + intervalMillis;
    if (connection != null && Task.START.is(operation)) {
      connection.giveUpStart();
    }
    var found = connection != null && connection.cancel(kind);
    world.post(() -> done.accept(new ExecMessage.Cancelled(found, false)));
  }

  /// Whether another member is to take this connection over, and has not yet.
  public boolean isToBeTaken(ResourceId resource) {
    var connection = connections.get(resource);
    return connection != null && connection.isToBeTaken();
  }

  @Override
  public void forget(ResourceId resource, Consumer<ExecMessage.Reply> done) {
    var connection = connections.get(resource);
    if (connection != null) {
      connection.forget();
      if (connection.isIdle()) {
        connections.remove(resource);
      }
    }
    world.post(() -> done.accept(new ExecMessage.Ok()));
  }

  // What their operations need

  @Override
  public NodeName nodeName() {
    return host.nodeName();
  }

  @Override
  public CibNodeId nodeId() {
    return host.nodeId();
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    host.write(changes, done);
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    host.acknowledge(operation);
  }

  /// That this member is connected to a node which is not configured any more by then stays on record until the connection is stopped. The
  /// node would count as one that nobody is connected to, and be fenced for what runs there, before it was looked for again.
  @Override
  public void delete(Map<ResourceId, String> paths, Runnable done) {
    var changes = new ArrayList<CibOp>();
    paths.forEach((resource, path) -> changes.add(CibOp.deleteAllXPath(isThere(resource) ? RememberedConnections.ifConfigured(resource, path) : path)));
    host.write(changes, done);
  }

  private boolean isThere(ResourceId resource) {
    var node = NodeName.of(resource.text());
    var maker = node == null ? null : RemoteRecords.madeBy(host.cib(), node);
    return node != null && on(node) != null && (maker == null || maker.equals(resource.text()));
  }

  /// A connection that breaks after it was given away has not failed where another member has it by then: the node would be
  /// fenced, though it is well. This member may not have read that yet. Nor does a move that failed before this start tell of
  /// anything: it takes the place of the stop that has made it good.
  @Override
  public void record(OperationResult result, Element state, Runnable done) {
    var connection = connections.get(result.resource());
    if (result.is(Task.START) || result.is(Task.MIGRATE_FROM)) {
      var changes = new ArrayList<CibOp>();
      changes.add(UnmadeMove.withoutFailures(host.nodeId(), result.resource()));
      if (result.failed()) {
        changes.add(UnmadeMove.withoutMonitors(host.nodeId(), result.resource()));
      }
      changes.add(CibOp.put("status", state));
      write(changes, done);
    } else if (saysNotThere(result)) {
      recordUnlessForgotten(result, state, done);
    } else if (connection == null || !connection.mayBeTaken() || !result.is(Task.ASYNC_MONITOR)) {
      OperationRunner.Host.super.record(result, state, done);
    } else {
      failUnlessTaken(connection, result.resource(), state, done);
    }
  }

  /// Whether a result says no more than that a connection is being stopped or looked for, or is not there. That one is not there is to be
  /// known only as long as it is configured, or may be elsewhere.
  private boolean saysNotThere(OperationResult result) {
    var begins = result.status() == ExecStatus.PENDING;
    var stops = result.is(Task.STOP) && (begins || result.isSuccess());
    var looks = result.is(Task.MONITOR) && !result.request().recurs() && (begins || result.is(OcfCode.NOT_RUNNING));
    var cib = host.cib();
    return stops || looks && cib != null && !names.isMade(cib, result.resource().text());
  }

  /// What is known of a connection may be deleted while it is being stopped, as somebody refreshes all, and its node be removed then. The DC
  /// is told all the same how it ended.
  private void recordUnlessForgotten(OperationResult result, Element state, Runnable done) {
    var resource = result.resource();
    Consumer<Boolean> told =
        made -> {
          if (made || result.status() == ExecStatus.PENDING) {
            done.run();
          } else {
            runner.forget(List.of(resource), _ -> done.run());
          }
        };
    host.writeIfThere(List.of(RememberedConnections.notThere(host.nodeId(), resource, state)), told);
  }

  /// Where the CIB cannot be changed that is told again: nobody else knows of it, and the node would be taken for connected for ever.
  private void failUnlessTaken(RemoteConnection connection, ResourceId resource, Element state, Runnable done) {
    var node = new NodeName(resource.text());
    BooleanSupplier untold = () -> connection.mayBeTaken() && RemoteRecords.isLast(host.cib(), node, host.nodeName());
    Runnable again =
        () -> {
          if (untold.getAsBoolean()) {
            failUnlessTaken(connection, resource, state, done);
          } else {
            runner.forgetFailure(resource, null, 0);
            done.run();
          }
        };
    Consumer<Boolean> told =
        made -> {
          if (made) {
            done.run();
          } else if (untold.getAsBoolean()) {
            world.after(AGAIN, again);
          } else {
            again.run();
          }
        };
    host.writeIfThere(List.of(GivenAway.connectionFailed(node, host.nodeName(), host.nodeId(), state)), told);
  }

  @Override
  public @Nullable Element cib() {
    return host.cib();
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    host.expect(written, limit, then);
  }

  /// A member that is to leave starts no resource, but it does make a connection: it was stopped elsewhere
  /// for that, and the remote node would be fenced. The next plan, which knows that the member is to leave,
  /// moves it on, or stops what runs there first.
  @Override
  public @Nullable String objection(OperationName operation) {
    var asked = Task.START.is(operation) ? Task.MIGRATE_FROM.operation() : operation;
    return host.objection(asked);
  }

  @Override
  public void runs(List<LeftRunning.Resource> resources) {
    // a connection ends with this process
  }

  @Override
  public void reported(OperationResult result) {
    host.reported(host.nodeName(), result);
  }
}
