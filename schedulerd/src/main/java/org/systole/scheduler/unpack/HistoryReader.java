package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationKey;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Seconds;

/// Reads the operation history of a node.
final class HistoryReader {
  private final WorkingSet ws;
  private final HistoryResources resources;
  private final OperationReader operations;
  private final ResourceStates states;
  private final List<Late> late = new ArrayList<>();

  /// A resource's history on a node.
  private record Late(Node node, Element history) {}

  HistoryReader(ResourceReader reader) {
    this.ws = reader.ws;
    this.resources = new HistoryResources(reader);
    this.operations = new OperationReader(ws);
    this.states = new ResourceStates(ws);
  }

  void read(Node node, Element state) {
    var lrm = state.first("lrm");
    if (lrm != null && Bool.isTrue(lrm.get("history-lost"))) {
      node.set(NodeFlag.HISTORY_LOST);
    }
    var histories = state.path("lrm", "lrm_resources");
    if (histories == null) {
      return;
    }
    var launchedWasRemoved = false;
    for (var history : histories.children("lrm_resource")) {
      if (isTooEarly(history)) {
        late.add(new Late(node, history));
        continue;
      }
      var resource = readResource(node, history);
      launchedWasRemoved |= resource != null && resource.is(ResourceFlag.REMOVED_LAUNCHED);
    }
    if (launchedWasRemoved) {
      histories.children("lrm_resource").forEach(this::mapToLauncher);
    }
  }

  /// Reads what had to wait until it was known of all remote nodes how they are.
  void readLate() {
    late.forEach(it -> readResource(it.node, it.history));
    late.clear();
  }

  /// Whether it tells of a live migration to or from a remote node of which it is not known yet whether it is there: that follows from
  /// what members tell of its connection. Pacemaker takes it for lost meanwhile. So what had been migrated there, and not yet been
  /// asked for there when a plan was given up, would be started elsewhere, too.
  private boolean isTooEarly(Element history) {
    for (var entry : history.children(HistoryEntry.ELEMENT)) {
      if (isUndecided(entry.get("migrate_target")) || isUndecided(entry.get("migrate_source"))) {
        return true;
      }
    }
    return false;
  }

  private boolean isUndecided(@Nullable String name) {
    var node = name == null ? null : ws.node(name);
    return node != null && node.remoteKind() && !node.is(NodeFlag.UNPACKED);
  }

  private @Nullable Resource readResource(Node node, Element history) {
    var id = history.id();
    if (id == null) {
      ws.configError("unpack_lrm_resource", "Ignoring invalid lrm_resource entry: No id");
      return null;
    }
    var entries = HistoryOrder.sorted(ws, history);
    if (entries.isEmpty() && !ws.is(ClusterFlag.SHUTDOWN_LOCK)) {
      return null;
    }
    var resource = resources.find(node, id);
    if (resource == null && !entries.isEmpty()) {
      resource = resources.createRemoved(history, id);
    }
    if (resource == null) {
      return null;
    }
    if (ws.is(ClusterFlag.SHUTDOWN_LOCK)) {
      readShutdownLock(resource, node, history);
    }
    var before = resource.role();
    resource.setRole(Role.UNKNOWN);
    var found = new ResourceHistory();
    for (var entry : entries) {
      operations.read(resource, node, entry, found);
    }
    createRecurring(resource, node, entries);
    states.apply(resource, node, found);
    var target = resource.targetRole();
    if (target != null
        && (resource.nextRole() == Role.UNKNOWN || target.below(resource.nextRole()))) {
      resource.setNextRole(target);
    }
    if (before.above(resource.role())) {
      resource.setRole(before);
    }
    return resource;
  }

  private void readShutdownLock(Resource resource, Node node, Element history) {
    var since = Numbers.whole(history.get("shutdown-lock"), 0);
    if (since == 0) {
      return;
    }
    if (ws.shutdownLockMs() > 0 && ws.nowSeconds() > since + Seconds.of(ws.shutdownLockMs())) {
      ws.info("Shutdown lock for " + resource.id() + " on " + node.name() + " expired");
      Actions.clearHistory(resource, node);
    } else {
      resource.setLockNode(node);
      resource.setLockTime(since);
    }
  }

  /// Creates the recurring operations that are active now, so that they can be kept or cancelled.
  private void createRecurring(Resource resource, Node node, List<Element> entries) {
    if (!node.online()) {
      return;
    }
    var active = HistoryOrder.active(entries);
    for (var at = 0; at < entries.size(); at++) {
      var entry = entries.get(at);
      var intervalMs = Numbers.unsigned(entry.get("interval"), 0);
      var task = entry.get("operation");
      if (active.start() < active.stop() && at <= active.stop()
          || at < active.start()
          || intervalMs == 0
          || "-1".equals(entry.get("op-status"))
          || task == null) {
        continue;
      }
      Actions.custom(
          resource, OperationKey.text(resource.id(), task, intervalMs), task, node, true);
    }
  }

  private void mapToLauncher(Element history) {
    var launcherId = history.get("container");
    var id = history.id();
    if (launcherId == null || id == null) {
      return;
    }
    var launcher = ws.resource(launcherId);
    var launched = ws.resource(id);
    if (launcher != null
        && launched != null
        && launched.launcher() == null
        && launched.is(ResourceFlag.REMOVED_LAUNCHED)) {
      launched.setLauncher(launcher);
      launcher.launched().add(launched);
    }
  }
}
