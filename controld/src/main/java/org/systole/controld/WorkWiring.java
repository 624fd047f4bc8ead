package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.cluster.Levels;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Log;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.dc.Departures;
import org.systole.controld.hosts.HostRights;
import org.systole.controld.io.CommandServer;
import org.systole.controld.io.FencerLink;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.HistoryXml;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.LocalOperations;
import org.systole.controld.remote.RememberedConnections;
import org.systole.controld.remote.RemoteRecords;
import org.systole.controld.transition.LoadReport;
import org.systole.controld.transition.Orders;
import org.systole.controld.transition.TransitionEngine;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;

/// What the parts that have resources started and stopped, nodes fenced and commands answered need
/// of the rest.
final class WorkWiring extends Wiring
    implements Orders.Host,
        Orders.Local,
        LocalOperations.Host,
        LeftRunning.Host,
        FencerLink.Host,
        CommandServer.Host,
        Departures.Host,
        LoadReport.Host {
  private static final int FATAL = 100;
  private static final int PANIC = 101;

  WorkWiring(World world, Controller it) {
    super(world, it);
  }

  @Override
  public long stay(NodeName node) {
    var id = it.book.id(node);
    return id == null ? 0 : it.book.stay(id);
  }

  @Override
  public @Nullable NodeName dcName() {
    var dc = it.watch.id();
    return dc == null ? null : it.book.name(dc);
  }

  @Override
  public void letGo() {
    it.leaving.letGo();
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    it.cib.write(changes, _ -> done.run());
  }

  @Override
  public void clearFailures(AttrMessage.ClearFailures failures) {
    it.attributes.clearFailures(failures);
  }

  @Override
  public void recordExpectedDown(NodeId node, Runnable done) {
    it.records.recordExpectedDown(node, done);
  }

  @Override
  public boolean isRecordedDown(NodeName node) {
    return it.records.isDownAndClean(node);
  }

  @Override
  public void recordDown(NodeName node) {
    it.records.recordDown(node);
  }

  @Override
  public void fencedByOthers(NodeName node, String why) {
    it.hosts.dc().fencedByOthers(node, why);
  }

  @Override
  public void quiet() {
    it.planner.planning().retry();
  }

  @Override
  public @Nullable String objection(GraphAction action) {
    return it.admissions.objection(action);
  }

  @Override
  public void fence(GraphAction action, int transition) {
    it.fencing.fence(action, transition);
  }

  @Override
  public double loadThreshold() {
    return it.options.loadThreshold();
  }

  @Override
  public int nodeActionLimit() {
    return it.options.nodeActionLimit();
  }

  @Override
  public int fencingMaxAttempts() {
    return it.options.fencingMaxAttempts();
  }

  @Override
  public long plannedIn() {
    return it.planner.plannedIn();
  }

  @Override
  public Duration fencingTimeout() {
    return it.engine.graph().fencingTimeout();
  }

  @Override
  public Log transitionLog() {
    return it.engine.names().log();
  }

  @Override
  public boolean isUnderWay(int transition) {
    return it.engine.busy() && it.engine.names().number() == transition;
  }

  @Override
  public void ended(int transition, int action, boolean succeeded) {
    it.engine.ended(transition, action, succeeded);
  }

  @Override
  public void restart(String why) {
    it.engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why);
  }

  @Override
  public void giveUp(String why) {
    it.engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.WAIT, why);
  }

  @Override
  public void alert(FenceMessage.Fenced event, String text) {
    var record = event.record();
    it.alerts.fencing(record.target(), record.action(), text, event.rc());
  }

  @Override
  public void fencedOurselves(NodeName origin) {
    world.log().critical("This node was fenced, as " + origin + " asked");
    // with panic the supervisor reboots the machine: this daemon may not
    world.exit(it.options.panicWhenFenced() ? PANIC : FATAL, "this node was fenced");
  }

  @Override
  public @Nullable Element cib() {
    return it.cib.cib();
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    it.cib.expect(written, limit, then);
  }

  @Override
  public @Nullable String objection(OperationName operation) {
    if (it.leaving.isWanted() && Task.START.is(operation)) {
      return "this node is shutting down";
    }
    if (Task.STOP.is(operation)) {
      return null;
    }
    return switch (state()) {
      case NOT_DC, POLICY_ENGINE, TRANSITION_ENGINE -> null;
      case STARTING,
          PENDING,
          ELECTION,
          INTEGRATION,
          FINALIZE_JOIN,
          IDLE,
          RELEASE_DC,
          RECOVERY,
          STOPPING,
          TERMINATE ->
          "the controller cannot do so in state " + state().text();
    };
  }

  /// Why a live migration must not begin, null if it may. Its target may be on another side by now, which does not know of it, and has this
  /// node fenced, and not the target.
  @Nullable String objection(OperationRequest migration) {
    var why = objection(migration.operation());
    var target = NodeName.of(migration.metaValue("migrate_target"));
    var member = target != null && isRemote(target) ? RemoteRecords.connection(it.cib.cib(), target) : target;
    return why == null && member != null && !isMember(member) ? member + " is not in the cluster" : why;
  }

  @Override
  public void announce(OperationResult pending, Element state, Runnable written, Consumer<@Nullable String> then) {
    it.remote.sends(nodeName(), pending.request());
    it.cib.write(
        List.of(CibOp.put("status", state)),
        known -> {
          written.run();
          then.accept(known ? objection(pending.request()) : "the CIB could not be told of it");
        });
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    var dc = it.watch.id();
    if (dc != null) {
      send(dc, new PeerMessage.Ack(XmlWriter.compact(operation.xml())));
    }
  }

  @Override
  public void reported(OperationResult result) {
    it.alerts.resource(it.self.localName(), result);
  }

  @Override
  public void runs(List<LeftRunning.Resource> resources) {
    it.leftRunning.keep(resources);
  }

  @Override
  public void executorReady() {
    it.neighbours.ready(Neighbours.EXECUTOR);
    it.checkReady();
  }

  @Override
  public void executorLost(String why) {
    it.neighbours.lost(Neighbours.EXECUTOR, why);
  }

  @Override
  public List<ResourceId> knownResources() {
    return it.operations.runner().knownResources();
  }

  @Override
  public void presume(LeftRunning.Resource resource) {
    it.operations.runner().presume(resource);
  }

  @Override
  public void look(LeftRunning.Resource resource, Runnable done) {
    it.operations.runner().look(resource, done);
  }

  @Override
  public void execute(GraphAction action, String key) {
    it.remote.execute(action, key);
  }

  @Override
  public void forgetFailure(@Nullable NodeName node, ResourceId resource) {
    it.remote.forgetFailure(node, resource);
  }

  @Override
  public CtlMessage.Nodes nodes() {
    var nodes = new ArrayList<CtlMessage.Node>();
    for (var id : it.book.ids()) {
      nodes.add(new CtlMessage.Node(id, it.book.name(id), isMember(id), isOnline(id)));
    }
    return new CtlMessage.Nodes(
        nodeName(), nodes, it.members.quorate(), it.members.membershipNumber());
  }

  @Override
  public CtlMessage.Reply hosts(CtlMessage.HostsQuery query) {
    return it.hosts.dc().hosts(query);
  }

  @Override
  public @Nullable String deniedOfHosts(Credentials peer, CtlMessage.Request request) {
    return HostRights.denied(it.cib.cib(), peer, request);
  }

  @Override
  public void orderHost(CtlMessage.OrderHost order, Consumer<CtlMessage.Reply> done) {
    it.hosts.dc().order(order, done);
  }

  @Override
  public void tryHost(NodeName host, Consumer<CtlMessage.Reply> done) {
    it.hosts.dc().tryOut(host, done);
  }

  @Override
  public CtlMessage.Work work() {
    return new CtlMessage.Work(
        it.dc.idle(),
        state().text(),
        it.engine.busy() ? it.engine.running() : List.of(),
        it.engine.busy() ? it.engine.progress() : null);
  }

  @Override
  public void removeNode(NodeName node, Consumer<Boolean> done) {
    var id = it.book.id(node);
    if (id != null) {
      it.book.forget(id);
    }
    var remote = it.book.remote(node);
    var called = remote == null ? node : remote;
    it.attributes.removeNode(called, remote != null);
    var name = CibXPath.literal(called.text());
    var changes = new ArrayList<>(RememberedConnections.forgottenByThoseGone(it.cib.cib(), called));
    changes.add(CibOp.deleteAllXPath("/cib/configuration/nodes/node[@uname=%s]".formatted(name)));
    changes.add(CibOp.deleteAllXPath("/cib/status/node_state[@uname=%s]".formatted(name)));
    it.cib.write(changes, done);
  }

  @Override
  public @Nullable String madeBy(NodeName node) {
    var remote = it.book.remote(node);
    return remote == null ? null : RemoteRecords.madeBy(it.cib.cib(), remote);
  }

  @Override
  public boolean remembersConnection(NodeName node) {
    return RememberedConnections.has(it.cib.cib(), node);
  }

  @Override
  public List<String> mayRunOn(NodeName node) {
    var remote = it.book.remote(node);
    return RememberedConnections.mayRunOn(it.cib.cib(), remote == null ? node : remote);
  }

  @Override
  public Duration removeOnceUnlisted(NodeName node) {
    return it.departures.await(node);
  }

  @Override
  public boolean isMember(NodeName node) {
    var id = it.book.id(node);
    return id != null && isMember(id);
  }

  @Override
  public boolean isListed(NodeName node) {
    var id = it.book.id(node);
    return id != null && it.book.isConfigured(id);
  }

  @Override
  public void forget(NodeName node) {
    removeNode(
        node,
        fine -> {
          if (!fine) {
            world
                .log()
                .error(
                    "The CIB could not be changed for %1$s to be removed: 'crm_node --force -R %1$s'"
                        .formatted(node));
          }
        });
  }

  @Override
  public NodeName memberFor(NodeName node) {
    return it.remote.memberFor(node);
  }

  @Override
  public List<NodeName> remoteNodes() {
    return RemoteRecords.connected(it.cib.cib());
  }

  @Override
  public boolean isAway(NodeName node) {
    return isRemote(node) && it.connections.on(node) == null;
  }

  @Override
  public boolean mayGiveUp() {
    return it.peers.speaks(Levels.STARTS_GIVEN_UP);
  }

  @Override
  public void clearHistory(String resource, NodeName node, Consumer<@Nullable String> done) {
    if (isRemote(node)) {
      var named = ResourceId.of(resource);
      if (named == null && !resource.isEmpty()) {
        world.post(() -> done.accept(null)); // nothing can have a history under what is no name
      } else {
        it.remote.clearHistory(named, node, done);
      }
      return;
    }
    var known = it.remote.knownResources();
    var id = ResourceId.of(resource);
    var one = id == null ? List.<ResourceId>of() : List.of(id);
    if (resource.isEmpty() ? !known.isEmpty() : known.containsAll(one) && !one.isEmpty()) {
      // the resources may run, and are to be probed even where startup probes are off
      var lost = HistoryXml.lost(Element.of("lrm", "id", nodeId().text()));
      var state = HistoryXml.node(nodeId(), nodeName()).add(lost).build();
      it.cib.write(List.of(CibOp.put("status", state)), _ -> {});
    }
    it.remote.forget(resource.isEmpty() ? known : one, done);
  }

  @Override
  public void inventory(List<String> wanted, Consumer<CtlMessage.Reply> done) {
    it.jigs.inventory(
        wanted,
        reply ->
            done.accept(
                switch (reply) {
                  case ExecMessage.Inventory(var json) ->
                      new CtlMessage.Inventory(nodeName(), json);
                  case ExecMessage.Refused(var why) ->
                      new CtlMessage.Refused(CtlMessage.Reason.FAILED, why);
                  case ExecMessage.Reply other ->
                      new CtlMessage.Refused(
                          CtlMessage.Reason.FAILED, "the executor answered " + other);
                }));
  }

  @Override
  public void askDevice(CtlMessage.AskDevice asked, Consumer<CtlMessage.Reply> done) {
    it.fencing.ask(
        asked,
        why ->
            done.accept(
                why.isEmpty()
                    ? new CtlMessage.Done()
                    : new CtlMessage.Refused(CtlMessage.Reason.FAILED, why)));
  }

  @Override
  public @Nullable String recordPretendedFailure(ResourceId resource, NodeName node, AgentName agent) {
    return it.remote.recordPretendedFailure(resource, node, agent);
  }
}
