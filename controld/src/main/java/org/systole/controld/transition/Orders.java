package org.systole.controld.transition;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.CountedFailure;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.HistoryXml;
import org.systole.controld.remote.RemoteRecords;

/// Turns the actions of a transition into messages to the nodes and daemons that carry them out.
public final class Orders implements TransitionEngine.Host {
  private static final Duration COUNTED_WITHIN = Duration.ofSeconds(1);
  private static final String UNTOLD = "controld_record_action_event";

  /// What orders need of the controller.
  public interface Host {
    State state();

    void offer(Input input);

    void send(NodeId node, PeerMessage message);

    NodeName nodeName();

    /// Null if no node has this name.
    @Nullable NodeId nodeId(NodeName name);

    NodeName nodeName(NodeId id);

    boolean isOnline(NodeId id);

    /// Whether all members can be asked to give up what does not recur. An earlier build would take it for done.
    boolean mayGiveUp();

    /// The nodes whose controllers are there, sorted by id.
    List<NodeId> online();

    /// Nothing of a transition runs any more, and the state machine is not waiting for it.
    void quiet();

    /// Why an action must not be begun though it is planned, null if it may.
    @Nullable String objection(GraphAction action);

    /// Has a node fenced or unfenced; the end comes through [TransitionEngine#ended].
    void fence(GraphAction action, int transition);

    void ended(int transition, int action, boolean succeeded);

    /// Aborts the present transition, for another plan.
    void restart(String why);

    /// Whether a name is that of a remote node.
    boolean isRemote(NodeName node);

    /// Records that a node is down and runs nothing.
    void recordDown(NodeName node);

    /// Records that a node is expected to go down; runs `done` once that is written.
    void recordExpectedDown(NodeId node, Runnable done);

    void setAttribute(String name, NodeName node, @Nullable String value);

    void clearFailures(AttrMessage.ClearFailures failures);
  }

  /// What this node does itself when the DC asks for it.
  public interface Local {
    /// Everything was moved away from here: this node may go.
    void letGo();

    /// @param node on which it failed: this one, or a remote node
    void forgetFailure(@Nullable NodeName node, ResourceId resource);

    /// @param key the transition key
    void execute(GraphAction action, String key);
  }

  private final World world;
  private final Host host;
  private final Local local;
  private final CibLink cib;
  private final Throttle throttle;
  private final Map<Integer, NodeId> routed = new HashMap<>(); // who was asked for actions on remote nodes
  private long routedIn = -1; // in the transition of this number

  public Orders(World world, Host host, Local local, CibLink cib, Throttle throttle) {
    this.world = world;
    this.host = host;
    this.local = local;
    this.cib = cib;
    this.throttle = throttle;
  }

  @Override
  public State state() {
    return host.state();
  }

  @Override
  public void offer(Input input) {
    host.offer(input);
  }

  @Override
  public void quiet() {
    host.quiet();
  }

  @Override
  public int batchLimit(int configured) {
    return throttle.total(configured, host.online().size());
  }

  @Override
  public int jobLimit(NodeName node) {
    return throttle.jobs(node);
  }

  @Override
  public boolean isLocal(NodeName node) {
    return node.equals(host.nodeName());
  }

  @Override
  public void start(GraphAction action, TransitionKey key) {
    if (action.isFencing()) {
      host.fence(action, key.transition());
      return;
    }
    if (action.kind() == GraphAction.Kind.CLUSTER) {
      cluster(action, key);
      return;
    }
    if (action.is(Task.DELETE) && action.isOfCib()) {
      deleteHistory(action, key);
      return;
    }
    var node = executor(action);
    if (node == null || !host.isOnline(node)) {
      cannot(action, key);
      return;
    }
    send(node, action, key);
  }

  private void send(NodeId node, GraphAction action, TransitionKey key) {
    if (action.isRouted()) {
      if (key.transition() != routedIn) {
        routed.clear();
        routedIn = key.transition();
      }
      routed.put(action.id(), node);
    }
    host.send(node, new PeerMessage.Execute(XmlWriter.compact(action.xml()), key.toString()));
  }

  /// The member that had a remote node's connection does not do any more what it was asked for while that was being moved.
  @Override
  public boolean startElsewhere(GraphAction action, TransitionKey key) {
    var has = connectedMember(action);
    if (has == null
        || !isAskedOfAnother(action, key.transition())
        || !host.isOnline(has)
        || host.objection(action) != null) {
      return false;
    }
    world.log().info("%s has the connection by now: it is asked for %s".formatted(connected(action), action));
    send(has, action, key);
    return true;
  }

  @Override
  public void giveUp(GraphAction action, TransitionKey key) {
    var node = executor(action);
    var attributes = action.xml().first("attributes");
    if (node != null && attributes != null && host.isOnline(node) && host.mayGiveUp()) {
      world.log().info("Given up for what is more urgent: " + action);
      var names = attributes.with("CRM_meta_operation", action.operation());
      var cancel = action.xml().with("operation", Task.CANCEL.text()).replace(action.xml().indexOf(attributes), names);
      host.send(node, new PeerMessage.Execute(XmlWriter.compact(cancel), key.toString()));
    }
  }

  @Override
  public boolean isAskedOfAnother(GraphAction action, long transition) {
    var asked = transition == routedIn ? routed.get(action.id()) : null;
    var has = lastMember(action);
    return asked != null && has != null && !has.equals(asked);
  }

  @Override
  public boolean isAskedOf(GraphAction action, NodeId member, long transition) {
    return transition == routedIn && member.equals(routed.get(action.id()));
  }

  @Override
  public boolean isConnected(GraphAction action, CibNodeId member) {
    var has = lastMember(action);
    return has != null && member.equals(CibNodeId.of(has));
  }

  /// The member that has the connection, or had it last: a node that somebody has fenced counts as down before that one says that the
  /// connection is lost.
  private @Nullable NodeId lastMember(GraphAction action) {
    var node = action.node();
    var name = node == null || !action.isRouted() ? null : RemoteRecords.last(cib.cib(), node);
    return name == null ? null : host.nodeId(name);
  }

  /// What is said of remote nodes only is carried out here: a guest is down with what it ran in, and
  /// the status is to say which are in maintenance.
  @Override
  public void note(GraphAction pseudo) {
    if (pseudo.is(Task.FENCE)) {
      pseudo.downed().stream()
          .map(it -> new NodeName(it.text()))
          .filter(host::isRemote)
          .forEach(host::recordDown);
    } else if (TaskName.MAINTENANCE_NODES.equals(pseudo.operation())) {
      var changes = RemoteRecords.maintenance(pseudo.xml().first("maintenance"));
      if (!changes.isEmpty()) {
        cib.write(changes, _ -> {});
      }
    }
  }

  /// The member that carries an action out. The plan says who has, or will have, the connection of a
  /// remote node; when that was being moved and is to be stopped instead, it may name the member that
  /// never got it.
  private @Nullable NodeId executor(GraphAction action) {
    var connected = connected(action);
    var has = connected == null ? null : host.nodeId(connected);
    if (has != null && host.isOnline(has)) {
      return has;
    }
    var name = action.executor();
    return name == null ? null : host.nodeId(name);
  }

  private @Nullable NodeName connected(GraphAction action) {
    var node = action.node();
    return node == null || !action.isRouted() ? null : RemoteRecords.connection(cib.cib(), node);
  }

  private @Nullable NodeId connectedMember(GraphAction action) {
    var name = connected(action);
    return name == null ? null : host.nodeId(name);
  }

  @Override
  public boolean isDoneBy(GraphAction action, NodeName member) {
    var now = connected(action); // it goes on with what the one before was asked for
    var there = connectedMember(action);
    return member.equals(now) || member.equals(action.executor()) && (there == null || !host.isOnline(there));
  }

  private void cannot(GraphAction action, TransitionKey key) {
    var node = action.executor();
    var why = node == null ? "it names no node" : node + " is not online";
    world.log().error("Cannot run %s: %s".formatted(action, why));
    world.post(
        () -> {
          host.ended(key.transition(), action.id(), false);
          host.restart("Node failure");
        });
  }

  private void cluster(GraphAction action, TransitionKey key) {
    if (action.is(Task.HISTORY_DELETE) && action.isOfCib()) {
      deleteHistory(action, key);
      return;
    }
    var node = executor(action);
    if (node == null || !host.isOnline(node)) {
      if (!action.noWait()) {
        cannot(action, key);
      }
      return;
    }
    var order = new PeerMessage.Cluster(XmlWriter.compact(action.xml()), key.toString());
    if (action.is(Task.SHUTDOWN)) {
      host.recordExpectedDown(node, () -> host.send(node, order));
    } else {
      host.send(node, order);
    }
  }

  /// The DC deletes the history itself: the node is not there, or need not be asked.
  private void deleteHistory(GraphAction action, TransitionKey key) {
    var resource = action.resource();
    var node = action.nodeId();
    if (resource == null || node == null) {
      cannot(action, key);
      return;
    }
    cib
        .write(
            List.of(
                CibOp.deleteAllXPath(
                    "//node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]"
                        .formatted(
                            CibXPath.literal(node.text()), CibXPath.literal(resource.text())))),
            fine -> host.ended(key.transition(), action.id(), fine));
  }

  @Override
  public @Nullable String objection(GraphAction action, GraphRun run) {
    var why = host.objection(action);
    return why == null && (action.is(Task.STOP) || action.isProbe()) ? untilFenced(action, run) : why;
  }

  /// What a node was migrating away live as it was lost may arrive at its target until that node is fenced. The plan has it stopped or looked for
  /// there, beside the fencing: done too early, that says nothing.
  private @Nullable String untilFenced(GraphAction action, GraphRun run) {
    var resource = action.resource();
    var target = action.node();
    for (var fencing : run.fencing()) {
      var source = fencing.node();
      if (resource != null
          && target != null
          && source != null
          && HalfMoved.isUnderWay(cib.cib(), source, resource, target)) {
        return "it may be migrated there until %s is fenced".formatted(source);
      }
    }
    return null;
  }

  @Override
  public void recordFailure(GraphAction action, TransitionKey key, ExecStatus status, String why) {
    var request = action.request(key.toString());
    var node = action.node();
    var nodeId = action.nodeId();
    if (request == null || node == null || nodeId == null) {
      return;
    }
    var result =
        OperationResult.made(
            request, OcfCode.UNKNOWN_ERROR, status, why, world.now().getEpochSecond());
    var known = cib.cib();
    if (RemoteRecords.state(known, node) != null) {
      cib.write(RemoteRecords.failed(known, node, result, UNTOLD)); // no member tells its history anew, as members do their own to each DC
      return;
    }
    var resource = HistoryXml.resource(request.resource(), request.agent());
    HistoryEntry.of(result, node, null, UNTOLD)
        .forEach(it -> resource.add(it.xml()));
    cib
        .write(
            CibOp.put(
                "status",
                HistoryXml.nodeState(nodeId, node, List.of(resource.build()))));
  }

  @Override
  public void countFailure(CibNodeId nodeId, OperationKey operation, @Nullable String value) {
    var node = nodeName(nodeId);
    var failure = new CountedFailure(operation, world.now().getEpochSecond());
    failure.set(host::setAttribute, node, value);
    // a plan made without the count would be discarded as soon as the count is there
    cib.expect(cib -> failure.isIn(cib, nodeId), COUNTED_WITHIN, () -> {});
    world
        .log()
        .notice(
            "%s of %s failed on %s%s"
                .formatted(
                    operation.operation(),
                    operation.resource(),
                    node,
                    value == null ? " (not counted)" : ": failcount " + value));
  }

  private NodeName nodeName(CibNodeId node) {
    var id = node.number();
    return id == null ? new NodeName(node.text()) : host.nodeName(id); // a remote node's id is its name
  }

  /// Carries out this node's part of a cluster action.
  public void carryOut(GraphAction action, String key) {
    switch (action.task()) {
      case SHUTDOWN -> local.letGo();
      case CLEAR_FAILCOUNT -> clearFailures(action);
      case HISTORY_DELETE, HISTORY_REFRESH -> local.execute(action, key);
      case null, default ->
          world.log().warning("Ignoring an unknown cluster action: " + action.operation());
    }
  }

  private void clearFailures(GraphAction action) {
    var resource = action.resource();
    if (resource == null) {
      return;
    }
    var named = action.node();
    var node = named == null ? host.nodeName() : named;
    local.forgetFailure(node, resource);
    host.clearFailures(new AttrMessage.ClearFailures(resource, "", 0, node));
  }
}
