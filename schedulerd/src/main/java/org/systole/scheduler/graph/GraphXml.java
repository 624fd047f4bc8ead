package org.systole.scheduler.graph;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.output.Product;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.orderings.RemoteOrderings;

/// Actions as the graph writes them.
final class GraphXml {
  private static final String META = "CRM_meta_";

  private final WorkingSet cluster;
  private final Map<String, String> metaNames = new HashMap<>();

  GraphXml(WorkingSet cluster) {
    this.cluster = cluster;
  }

  /// An action with all it needs to be run.
  Element whole(Action action) {
    var xml = head(action);
    var rsc = action.resource();
    if (rsc != null && !action.is(ActionFlag.PSEUDO)) {
      if (isLockedTo(action, rsc)) {
        xml.attr("shutdown-lock", rsc.lockTime());
      }
      xml.add(resource(rsc));
    }
    xml.add(attributes(action));
    if (hasNode(action) && action.node() != null) {
      xml.add(downed(action, action.node()));
    }
    if (isMaintenanceUpdate(action)) {
      var list = Element.builder("maintenance");
      maintenanceChanges(cluster)
          .forEach(
              node ->
                  list.add(
                      Element.of(
                          "node",
                          "id",
                          node.id(),
                          "node_in_maintenance",
                          node.maintenance() ? "1" : "0")));
      xml.add(list);
    }
    return xml.build();
  }

  /// An action as an input of another.
  Element mention(Action action) {
    return head(action).build();
  }

  private static boolean isMaintenanceUpdate(Action action) {
    return element(action).equals("pseudo_event")
        && action.task().equals(TaskName.MAINTENANCE_NODES);
  }

  private static String element(Action action) {
    return switch (action.task()) {
      case TaskName.FENCE -> action.is(ActionFlag.PSEUDO) ? "pseudo_event" : "crm_event";
      case TaskName.SHUTDOWN, TaskName.CLEAR_FAILCOUNT, TaskName.HISTORY_DELETE -> "crm_event";
      default -> action.is(ActionFlag.PSEUDO) ? "pseudo_event" : "rsc_op";
    };
  }

  // Mere milestones have none; the "fencing" of a guest does.
  private static boolean hasNode(Action action) {
    return action.task().equals(TaskName.FENCE) || !element(action).equals("pseudo_event");
  }

  private Element.Builder head(Action action) {
    var xml = Element.builder(element(action));
    if (action.task().equals(TaskName.HISTORY_DELETE)) {
      xml.attr("mode", "cib");
    }
    xml.attr("id", action.id()).attr("operation", action.task());
    var rsc = action.resource();
    if (rsc != null && rsc.historyId() != null) {
      xml.attr("operation_key", historyKey(action, rsc.historyId()))
          .attr("internal_operation_key", action.key());
    } else {
      xml.attr("operation_key", action.key());
    }
    var node = action.node();
    if (node != null && hasNode(action)) {
      xml.attr("on_node", node.name()).attr("on_node_uuid", node.id());
      var router = RemoteOrderings.router(action);
      if (router != null) {
        xml.attr("router_node", router.name());
      }
      action.meta().put("on_node", node.name());
      action.meta().put("on_node_uuid", node.id());
    }
    return xml;
  }

  private static String historyKey(Action action, String historyId) {
    if (action.task().equals(TaskName.NOTIFY)) {
      return OperationKey.notification(
          historyId,
          action.meta().getOrDefault("notify_type", ""),
          action.meta().getOrDefault("notify_operation", ""));
    }
    return OperationKey.text(
        historyId,
        action.cancelTask() != null ? action.cancelTask() : action.task(),
        Actions.intervalOf(action));
  }

  // During shutdown only the stop keeps the lock.
  private static boolean isLockedTo(Action action, Resource rsc) {
    return action.node() != null
        && action.node() == rsc.lockNode()
        && (!action.node().shutdown() || action.task().equals(TaskName.STOP));
  }

  private static Element resource(Resource rsc) {
    var xml = Element.builder(rsc.xml().name());
    if (rsc.is(ResourceFlag.REMOVED) && rsc.historyId() != null) {
      xml.attr("id", rsc.historyId()).attr("long-id", rsc.id());
    } else if (!rsc.is(ResourceFlag.UNIQUE)) {
      var configured = rsc.xml().get("id", rsc.id());
      var known = rsc.historyId() != null && !rsc.historyId().equals(configured);
      xml.attr("id", configured).attr("long-id", known ? rsc.historyId() : rsc.id());
    } else {
      xml.attr("id", rsc.id());
    }
    for (var name : List.of("class", "provider", "type")) {
      xml.attr(name, rsc.meta().get(name));
    }
    return xml.build();
  }

  private Element attributes(Action action) {
    var values = new TreeMap<String, String>();
    var params = Element.builder("attributes");
    values.put("crm_feature_set", Product.FEATURE_SET);
    action.extra().forEach(values::putIfAbsent);
    var rsc = action.resource();
    if (rsc != null) {
      parameters(action, rsc)
          .forEach(
              (name, value) -> {
                if (XmlWriter.isPlainName(name)) {
                  values.putIfAbsent(name, value);
                } else {
                  params.add(parameter(name, value));
                }
              });
    }
    action.meta().forEach((name, value) -> putMeta(values, name, value));
    for (var owner = rsc; owner != null; owner = owner.parent()) {
      addOwn(values, owner);
    }
    if (rsc != null) {
      addGuest(values, action, rsc);
    }
    values.forEach(
        (name, value) -> {
          if (XmlWriter.isPlainName(name)) {
            params.attr(name, value);
          } else {
            params.add(parameter(name, value)); // a meta-attribute: a person may call one anything, too
          }
        });
    return params.build();
  }

  /// One whose name cannot be an attribute's.
  private static Element parameter(String name, String value) {
    return Element.of("param", "name", name, "value", value);
  }

  private static Map<String, String> parameters(Action action, Resource rsc) {
    if (action.node() == null) {
      return rsc instanceof Primitive ? rsc.parameters(null) : Map.of();
    }
    var found = rsc.parameters(action.node());
    if ("#uname".equals(found.get("addr"))) {
      var general = rsc.parameters(null).get("addr");
      if (general != null) {
        found = new LinkedHashMap<>(found);
        found.put("addr", general);
      }
    }
    return found;
  }

  private String metaName(String name) {
    return metaNames.computeIfAbsent(name, plain -> META + plain.replace('-', '_'));
  }

  private void putMeta(Map<String, String> values, String name, @Nullable String value) {
    if (value != null && name.indexOf('#') < 0 && name.indexOf(':') < 0) {
      values.putIfAbsent(metaName(name), value);
    }
  }

  private void setMeta(Map<String, String> values, String name, @Nullable String value) {
    if (value != null) {
      values.put(metaName(name), value);
    }
  }

  private void addOwn(Map<String, String> values, Resource rsc) {
    switch (rsc) {
      case Primitive primitive -> addPrimitive(values, primitive);
      case Clone clone -> addClone(values, clone);
      case Group _, Bundle _ -> {}
    }
  }

  private void addPrimitive(Map<String, String> values, Primitive rsc) {
    setMeta(values, "clone", rsc.meta().get("clone"));
    setMeta(values, "remote-node", rsc.meta().get("remote-node"));
    for (@Nullable Resource owner = rsc; owner != null; owner = owner.parent()) {
      if (owner.launcher() != null) {
        setMeta(values, "container", owner.launcher().id());
      }
    }
    var ip = rsc.meta().get("external-ip");
    if (ip != null) {
      values.put("pcmk_external_ip", ip);
    }
  }

  private void addClone(Map<String, String> values, Clone clone) {
    var top = clone.top(false) instanceof Clone outer ? outer : clone;
    setMeta(values, "globally-unique", Boolean.toString(clone.is(ResourceFlag.UNIQUE)));
    setMeta(values, "notify", Boolean.toString(clone.is(ResourceFlag.NOTIFY)));
    setMeta(values, "clone-max", Integer.toString(top.max()));
    setMeta(values, "clone-node-max", Integer.toString(top.nodeMax()));
    if (clone.is(ResourceFlag.PROMOTABLE)) {
      var max = Integer.toString(top.promotedMax());
      var nodeMax = Integer.toString(top.promotedNodeMax());
      setMeta(values, "promoted-max", max);
      setMeta(values, "promoted-node-max", nodeMax);
      // Agents written for older releases know these.
      setMeta(values, "master-max", max);
      setMeta(values, "master-node-max", nodeMax);
    }
  }

  // What runs on a guest is told which host that is on at the time.
  private void addGuest(Map<String, String> values, Action action, Resource rsc) {
    var node = action.node();
    if (node == null || !node.isGuest()) {
      return;
    }
    var launcher = Objects.requireNonNull(node.remote()).launcher();
    if (launcher == null) {
      return;
    }
    var task = action.task();
    if (task.equals(TaskName.NOTIFY) || task.equals(TaskName.NOTIFIED)) {
      task = action.meta().getOrDefault("notify_operation", "");
    }
    var host =
        switch (task) {
          case TaskName.STOP, TaskName.STOPPED, TaskName.DEMOTE, TaskName.DEMOTED ->
              launcher.currentNode();
          case TaskName.START,
              TaskName.RUNNING,
              TaskName.MONITOR,
              TaskName.PROMOTE,
              TaskName.PROMOTED ->
              launcher.assigned() == null ? null : launcher.assigned().node();
          default -> null;
        };
    if (host != null) {
      putMeta(values, "container-attribute-target", rsc.meta().get("container-attribute-target"));
      putMeta(values, "physical-host", host.name());
    }
  }

  private @Nullable Element downed(Action action, Node node) {
    var list = Element.builder("downed");
    switch (action.task()) {
      case TaskName.SHUTDOWN -> list.add(Element.of("node", "id", node.id()));
      case TaskName.FENCE -> {
        var how = action.meta().getOrDefault("stonith_action", "");
        if (!how.equals(TaskName.OFF) && !how.equals(TaskName.REBOOT)) {
          return null;
        }
        list.add(Element.of("node", "id", node.id()));
        for (var guest : guests(node)) {
          list.add(Element.of("node", "id", guest.id()));
        }
      }
      case TaskName.STOP -> {
        var rsc = action.resource();
        if (rsc == null || !rsc.is(ResourceFlag.REMOTE_CONNECTION) || isMigrating(action, rsc)) {
          return null;
        }
        list.add(Element.of("node", "id", rsc.id()));
      }
      default -> {
        return null;
      }
    }
    return list.build();
  }

  private static boolean isMigrating(Action stop, Resource rsc) {
    return stop.before().stream()
        .anyMatch(
            input ->
                input.action().resource() != null
                    && input.action().resource().id().equals(rsc.id())
                    && input.action().task().equals(TaskName.MIGRATE_FROM));
  }

  private List<Node> guests(Node host) {
    return host.running().stream()
        .filter(rsc -> rsc.is(ResourceFlag.REMOTE_CONNECTION) && rsc.launcher() != null)
        .map(rsc -> cluster.remoteNode(rsc.id()))
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  /// Remote nodes whose maintenance state is not yet in their node state.
  static List<Node> maintenanceChanges(WorkingSet cluster) {
    return cluster.nodes().stream()
        .filter(node -> node.remoteKind())
        .filter(node -> node.maintenance() != node.is(NodeFlag.REMOTE_MAINTENANCE))
        .toList();
  }
}
