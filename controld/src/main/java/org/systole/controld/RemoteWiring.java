package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.Levels;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.ClearedFailure;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.OperationRunner;
import org.systole.controld.operations.RemovedResources;
import org.systole.controld.proxy.ProxyRoom;
import org.systole.controld.remote.OnTheirWay;
import org.systole.controld.remote.RemoteHost;
import org.systole.controld.remote.RemoteRecords;
import org.systole.controld.remote.TellingRoom;

/// What connections to remote nodes need of the rest, and which operations are theirs.
final class RemoteWiring extends Wiring implements RemoteHost {
  private final Supplier<SecureStreams> network;
  private final ProxyRoom commandRoom = new ProxyRoom();
  private final TellingRoom tellingRoom = new TellingRoom();
  private final OnTheirWay onTheirWay;
  private @Nullable SecureStreams streams;

  RemoteWiring(World world, Controller it, Supplier<SecureStreams> network) {
    super(world, it);
    this.network = network;
    this.onTheirWay = new OnTheirWay(world);
  }

  /// Made when it is first needed: most clusters have no remote nodes.
  @Override
  public SecureStreams network() {
    var made = streams;
    if (made == null) {
      made = network.get();
      streams = made;
    }
    return made;
  }

  @Override
  public @Nullable Element cib() {
    return it.cib.cib();
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    it.cib.write(changes, _ -> done.run());
  }

  /// What a member records of its connections is true under any DC. What it sets in the configuration a DC
  /// has ordered, and no person waits for it: it is not made once there is a later DC, and need not
  /// wait, with two nodes, until the other one has been fenced.
  @Override
  public void writeAndTell(List<CibOp> changes, Consumer<Boolean> done) {
    var record = CibOp.areOfStatus(changes);
    it.cib.writeAsDc(changes, record ? 0 : it.watch.highestEpoch(), done);
  }

  @Override
  public void writeIfThere(List<CibOp> changes, Consumer<Boolean> done) {
    it.cib.writeIfThere(changes, done);
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    it.cib.expect(written, limit, then);
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    it.work.acknowledge(operation);
  }

  @Override
  public @Nullable String objection(OperationName operation) {
    return it.work.objection(operation);
  }

  @Override
  public @Nullable String objection(OperationRequest migration) {
    return it.work.objection(migration);
  }

  @Override
  public void sends(NodeName source, OperationRequest migration) {
    var arrival = arrival(source, migration);
    if (arrival != null) {
      it.peers.broadcast(arrival);
    }
  }

  private PeerMessage.@Nullable Arrival arrival(NodeName source, OperationRequest migration) {
    var target = NodeName.of(migration.metaValue("migrate_target"));
    return target == null || !it.peers.speaks(Levels.ARRIVALS_TOLD)
        ? null
        : new PeerMessage.Arrival(target, source, migration.resource(), migration.agent(), migration.ownParameters());
  }

  /// Controllers have come. One that was lost just now may not have written down what it was told of live migrations that go on. Who has
  /// asked a remote node for one may be lost as well: all others have heard of it.
  void came(List<NodeId> controllers) {
    sendAgain(nodeName(), it.operations.runner(), controllers);
    it.connections.all().forEach((node, runner) -> sendAgain(node, runner, controllers));
    for (var each : controllers) {
      var member = it.book.name(each);
      onTheirWay.toMember(member, it.cib.cib()).forEach(sent -> sendAgain(member, sent, each));
    }
  }

  private void sendAgain(NodeName target, LeftRunning.Resource sent, NodeId controller) {
    var source = sent.source();
    if (source != null && it.peers.speaks(Levels.ARRIVALS_TOLD)) {
      it.peers.send(controller, new PeerMessage.Arrival(target, source, sent.id(), sent.agent(), sent.parameters()));
    }
  }

  private void sendAgain(NodeName source, OperationRunner runner, List<NodeId> controllers) {
    for (var migration : runner.underWay()) {
      var arrival = migration.is(Task.MIGRATE_TO) ? arrival(source, migration) : null;
      if (arrival != null) {
        var member = isRemote(arrival.node()) ? null : it.book.id(arrival.node());
        controllers.stream()
            .filter(each -> isRemote(arrival.node()) || each.equals(member))
            .forEach(each -> it.peers.send(each, arrival));
      }
    }
  }

  /// Something is about to be moved live to this member, to another one, or to a remote node.
  void arrives(PeerMessage.Arrival arrival) {
    var sent = new LeftRunning.Resource(arrival.resource(), arrival.agent(), arrival.parameters(), arrival.source());
    if (arrival.node().equals(nodeName())) {
      it.operations.runner().arrives(sent);
    } else {
      it.connections.arrives(arrival.node(), sent);
    }
  }

  @Override
  public boolean tookResult(NodeName node, OperationResult result) {
    return it.hosts.tookResult(node, result);
  }

  @Override
  public ProxyRoom commandRoom() {
    return commandRoom;
  }

  @Override
  public OnTheirWay onTheirWay() {
    return onTheirWay;
  }

  @Override
  public TellingRoom tellingRoom() {
    return tellingRoom;
  }

  @Override
  public boolean isVisited(NodeName node) {
    return it.hosts.isVisited(node);
  }

  @Override
  public void reported(NodeName node, OperationResult result) {
    it.alerts.resource(node, result);
  }

  @Override
  public void forgetAttributes(NodeName node) {
    it.attributes.removeNode(node, true);
  }

  // Whose operation it is

  /// Has an action carried out by what this member has for it: its executor, a connection, or the
  /// executor at the other end of one.
  void execute(GraphAction action, String key) {
    var node = action.node();
    var primitive = action.primitive();
    if (node != null && action.isRouted() && !node.equals(nodeName())) {
      it.connections.execute(node, action, key);
    } else if (primitive != null && AgentName.of(primitive).isRemoteConnection()) {
      it.connections.runner().execute(action, key);
    } else {
      it.operations.runner().execute(action, key);
    }
  }

  /// What this member knows of a failed operation of a resource counts no more.
  void forgetFailure(@Nullable NodeName node, ResourceId resource) {
    var there = node == null ? null : it.connections.on(node);
    var id = there != null && node != null ? CibNodeId.ofRemote(node) : nodeId();
    if (there != null) {
      there.forgetFailure(resource, null, 0);
    } else {
      it.operations.runner().forgetFailure(resource, null, 0);
      it.connections.forgetFailure(resource);
    }
    var changes = ClearedFailure.changes(it.cib.cib(), id, resource);
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  /// Forgets resources of this member, connections included. That one is given away is not forgotten before another member has it: where
  /// that one tries in vain nobody would be said to be connected, and the node could be fenced, which is well.
  void forget(List<ResourceId> resources, Consumer<@Nullable String> done) {
    var own = new ArrayList<>(resources);
    var connections = it.connections.runner();
    var far = new ArrayList<>(connections.knownResources());
    far.retainAll(own);
    own.removeAll(far);
    far.removeIf(each -> it.connections.isToBeTaken(each) && RemoteRecords.madeBy(it.cib.cib(), new NodeName(each.text())) != null);
    connections.forget(
        far,
        problem -> {
          lookForRemoved(connections, far);
          if (problem != null) {
            done.accept(problem);
          } else {
            forget(it.operations.runner(), own, () -> null, done);
          }
        });
  }

  /// A connection that is not configured any more and is there: without it the cluster would take what runs on the node for stopped.
  private void lookForRemoved(OperationRunner connections, List<ResourceId> forgotten) {
    connections.leftRunning().stream()
        .filter(each -> forgotten.contains(each.id()) && RemoteRecords.madeBy(it.cib.cib(), new NodeName(each.id().text())) == null)
        .forEach(each -> connections.look(each, () -> {}));
  }

  /// The member that acts for a node: the node itself, or the one connected to a remote node.
  NodeName memberFor(NodeName node) {
    if (!isRemote(node)) {
      return node;
    }
    var member = RemoteRecords.connection(it.cib.cib(), node);
    return it.connections.on(node) != null || member == null ? nodeName() : member;
  }

  /// Forgets a resource's history on a remote node.
  ///
  /// @param resource null for all
  void clearHistory(
      @Nullable ResourceId resource, NodeName node, Consumer<@Nullable String> done) {
    var there = it.connections.on(node);
    if (there == null) {
      world.post(() -> done.accept("no member is connected to the remote node " + node));
      return;
    }
    var all = resource == null ? there.knownResources() : List.of(resource);
    var removed = removed(node);
    if (removed != null) {
      world.post(() -> done.accept(removed));
    } else {
      forget(there, all, () -> removed(node), done);
    }
  }

  /// Nobody would look there for what runs on a node that was removed meanwhile: what is known of it stays.
  private @Nullable String removed(NodeName node) {
    return RemoteRecords.madeBy(it.cib.cib(), node) == null
        ? "the configuration does not have the remote node %s any more, so that nobody would look for what runs there".formatted(node)
        : null;
  }

  /// What is not configured any more and may run is looked for: the cluster would not know of it, and never stop it.
  private void forget(
      OperationRunner runner, List<ResourceId> resources, Supplier<@Nullable String> kept, Consumer<@Nullable String> done) {
    runner.forget(
        resources,
        kept,
        problem -> {
          RemovedResources.look(runner, it.cib.cib());
          done.accept(problem);
        });
  }

  /// Records a failure that did not happen.
  ///
  /// @return what kept it from that, null for nothing
  @Nullable String recordPretendedFailure(ResourceId resource, NodeName node, AgentName agent) {
    var runner = agent.isRemoteConnection() ? it.connections.runner() : it.operations.runner();
    if (isRemote(node)) {
      runner = it.connections.on(node);
    }
    if (runner == null) {
      return "no member is connected to the remote node " + node;
    }
    runner.recordPretendedFailure(resource, agent);
    return null;
  }

  /// This node's `node_state` with the history of its resources, connections included.
  Element nodeState() {
    var state = it.operations.runner().state();
    var more = it.connections.runner().state().path("lrm", "lrm_resources");
    var lrm = state.first("lrm");
    var resources = lrm == null ? null : lrm.first("lrm_resources");
    if (lrm == null || resources == null || more == null || more.childCount() == 0) {
      return state;
    }
    var all = resources;
    for (var each : more.children()) {
      all = all.plus(each);
    }
    return state.replace(
        state.indexOf(lrm), lrm.replace(lrm.indexOf(resources), all));
  }

  /// The resources with a history here, connections included.
  List<ResourceId> knownResources() {
    return both(it.operations.runner().knownResources(), it.connections.runner().knownResources());
  }

  /// The resources that run here, connections included.
  List<ResourceId> activeResources() {
    return both(
        it.operations.runner().activeResources(), it.connections.runner().activeResources());
  }

  private static List<ResourceId> both(List<ResourceId> one, List<ResourceId> other) {
    var all = new ArrayList<>(one);
    all.addAll(other);
    return all;
  }

  /// A remote node that was connected, or connected anew, was not fenced since.
  void noticeReturns(Element before, Element after) {
    var status = after.first("status");
    var was = before.first("status");
    if (status == null || status == was) {
      return;
    }
    for (var at = 0; at < status.childCount(); at++) {
      var state = status.child(at);
      if (was != null && at < was.childCount() && was.child(at) == state) {
        continue; // so are all but one, of hundreds
      }
      var name = NodeName.of(state.get("uname"));
      if (name != null && RemoteRecords.isRemote(state)) {
        var since = RemoteRecords.since(state);
        if (!since.equals("0")
            && !since.equals(RemoteRecords.since(RemoteRecords.state(before, name)))) {
          it.fencing.appeared(name);
        }
      }
    }
  }
}
