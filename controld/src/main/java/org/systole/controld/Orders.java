package org.systole.controld;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Turns the actions of a transition into messages to the nodes and daemons that carry them out.
final class Orders implements TransitionEngine.Host {
  private static final Duration COUNTED_WITHIN = Duration.ofSeconds(1);

  private final World world;
  private final Controller controller;

  Orders(World world, Controller controller) {
    this.world = world;
    this.controller = controller;
  }

  @Override
  public State state() {
    return controller.state();
  }

  @Override
  public void offer(Input input) {
    controller.offer(input);
  }

  @Override
  public void quiet() {
    controller.governor().planning().retry();
  }

  @Override
  public int batchLimit(int configured) {
    return controller.throttle().total(configured, controller.book().online().size());
  }

  @Override
  public int jobLimit(String node) {
    return controller.throttle().jobs(node);
  }

  @Override
  public boolean isLocal(String node) {
    return node.equals(controller.nodeName());
  }

  @Override
  public void start(GraphAction action, TransitionKey key) {
    if (action.isFencing()) {
      controller.fencing().fence(action, key.transition());
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
    var node = controller.book().id(action.executor());
    if (node == null || !controller.book().isOnline(node)) {
      cannot(action, key);
      return;
    }
    controller.send(node, new PeerMessage.Execute(XmlWriter.compact(action.xml()), key.toString()));
  }

  private void cannot(GraphAction action, TransitionKey key) {
    world.log().error("Cannot do %s: %s is not there".formatted(action, action.executor()));
    world.post(
        () -> {
          controller.engine().ended(key.transition(), action.id(), false);
          controller
              .engine()
              .abort(
                  TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Node failure");
        });
  }

  private void cluster(GraphAction action, TransitionKey key) {
    if (action.is(Task.HISTORY_DELETE) && action.isOfCib()) {
      deleteHistory(action, key);
      return;
    }
    var node = controller.book().id(action.executor());
    if (node == null || !controller.book().isOnline(node)) {
      if (!action.noWait()) {
        cannot(action, key);
      }
      return;
    }
    var order = new PeerMessage.Cluster(XmlWriter.compact(action.xml()), key.toString());
    if (action.is(Task.SHUTDOWN)) {
      controller.governor().records().recordExpectedDown(node, () -> controller.send(node, order));
    } else {
      controller.send(node, order);
    }
  }

  /// The node is not there to be asked, or has nothing to tell: the DC deletes the record itself.
  private void deleteHistory(GraphAction action, TransitionKey key) {
    var primitive = action.primitive();
    if (primitive == null) {
      cannot(action, key);
      return;
    }
    controller
        .cib()
        .write(
            List.of(
                CibOp.deleteAllXPath(
                    "//node_state[@id='%s']/lrm/lrm_resources/lrm_resource[@id='%s']"
                        .formatted(action.nodeId(), primitive.id()))),
            fine -> controller.engine().ended(key.transition(), action.id(), fine));
  }

  @Override
  public @Nullable String objection(GraphAction action) {
    return controller.admissions().objection(action);
  }

  @Override
  public void recordFailure(GraphAction action, TransitionKey key, ExecStatus status, String why) {
    var request = action.request(key.toString());
    if (request == null) {
      return;
    }
    var result =
        OperationResult.made(
            request, OcfCode.UNKNOWN_ERROR, status, why, world.now().getEpochSecond());
    var resource = HistoryXml.resource(request.resource(), request.agent());
    HistoryEntry.of(result, action.node(), null, "controld_record_action_event")
        .forEach(it -> resource.add(it.xml()));
    controller
        .cib()
        .write(
            CibOp.put(
                "status",
                HistoryXml.nodeState(action.nodeId(), action.node(), List.of(resource.build()))));
  }

  @Override
  public void countFailure(String nodeId, OperationKey operation, @Nullable String value) {
    var node = nodeName(nodeId);
    var suffix =
        "%s#%s_%d"
            .formatted(operation.resource(), operation.operation(), operation.intervalMillis());
    if (value != null) {
      controller.setAttribute("fail-count-" + suffix, node, value);
    }
    var lastFailure = "last-failure-" + suffix;
    var now = String.valueOf(world.now().getEpochSecond());
    controller.setAttribute(lastFailure, node, now);
    // a plan without the count would be thrown away as soon as the count is there
    controller.cib().expect(cib -> hasAttribute(cib, nodeId, lastFailure, now), COUNTED_WITHIN);
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

  private static boolean hasAttribute(Element cib, String nodeId, String name, String value) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", nodeId);
    var attributes = state == null ? null : state.first("transient_attributes");
    return attributes != null
        && attributes.find(
                it ->
                    it.is("nvpair") && name.equals(it.get("name")) && value.equals(it.get("value")))
            != null;
  }

  private String nodeName(String nodeId) {
    try {
      return controller.book().name(Integer.parseInt(nodeId));
    } catch (NumberFormatException _) {
      return nodeId; // a remote node's id is its name
    }
  }

  /// This node's part in an action of the cluster's own.
  void carryOut(GraphAction action, String key) {
    switch (action.task()) {
      case SHUTDOWN -> controller.leaving().letGo();
      case CLEAR_FAILCOUNT -> clearFailures(action);
      case HISTORY_DELETE, HISTORY_REFRESH -> controller.executor().execute(action, key);
      case null, default ->
          world.log().warning("Not carrying out an unknown task: " + action.operation());
    }
  }

  private void clearFailures(GraphAction action) {
    var resource = action.resource();
    if (resource.isEmpty()) {
      return;
    }
    controller.executor().forgetFailure(resource, "", 0);
    controller.clearFailures(new AttrMessage.ClearFailures(resource, "", 0, controller.nodeName()));
  }
}
