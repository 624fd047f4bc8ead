package org.systole.scheduler.actions;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.OpDigests;
import org.systole.scheduler.model.ParameterCheck;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.BundleAddresses;
import org.systole.scheduler.operations.Digests;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.operations.OperationConfig;
import org.systole.scheduler.unpack.FailCounts;
import org.systole.scheduler.unpack.HistoryOrder;

/// Compares the operation history with the configuration: what changed is restarted, reloaded,
/// scheduled anew, cancelled or cleaned up.
public final class ConfigChanges {
  private final WorkingSet cluster;
  private final Map<String, List<Primitive>> byId = new LinkedHashMap<>();

  private ConfigChanges(WorkingSet cluster) {
    this.cluster = cluster;
    cluster.resources().forEach(this::index);
  }

  private void index(Resource rsc) {
    if (rsc instanceof Primitive primitive) {
      byId.computeIfAbsent(rsc.id(), _ -> new ArrayList<>()).addFirst(primitive);
      if (rsc.historyId() != null && !rsc.historyId().equals(rsc.id())) {
        byId.computeIfAbsent(rsc.historyId(), _ -> new ArrayList<>()).addFirst(primitive);
      }
    }
    rsc.children().forEach(this::index);
  }

  public static void handle(WorkingSet cluster) {
    var status = cluster.cib().first("status");
    if (status == null) {
      return;
    }
    var states = new LinkedHashMap<String, Element>();
    for (var state : status.children("node_state")) {
      states.putIfAbsent(state.get("uname", ""), state);
    }
    var changes = new ConfigChanges(cluster);
    for (var node : cluster.nodes()) {
      var state = states.get(node.name());
      if (state != null
          && !node.is(NodeFlag.HOST_FROZEN) // nothing of it can be asked for there
          && (node.maintenance() || Places.available(node))) {
        var history = state.path("lrm", "lrm_resources");
        if (history != null) {
          history.children("lrm_resource").forEach(entry -> changes.check(node, entry));
        }
      }
    }
  }

  private void check(Node node, Element entry) {
    if (entry.childCount() > 0) {
      for (var rsc : byId.getOrDefault(entry.get("id", ""), List.of())) {
        check(rsc, node, entry);
      }
    }
  }

  private void check(Primitive rsc, Node node, Element entry) {
    if (rsc.is(ResourceFlag.REMOVED)) {
      if (!Places.isAnonymousClone(rsc.top(false))) {
        cleanUp(rsc, node, false);
      }
      return;
    }
    var active = rsc.active().contains(node);
    if (agentChanged(rsc, node, entry, active)) {
      cleanUp(rsc, node, false);
    }
    if (!active) {
      return;
    }
    for (var operation : sinceStart(entry)) {
      checkOperation(rsc, node, operation);
    }
  }

  // The operations since the resource became active, oldest first; none if it was stopped since.
  private List<Element> sinceStart(Element entry) {
    var sorted = HistoryOrder.sorted(cluster, entry);
    var active = HistoryOrder.active(sorted);
    return active.start() < active.stop()
        ? List.of()
        : sorted.subList(Math.max(0, active.start()), sorted.size());
  }

  private void checkOperation(Primitive rsc, Node node, Element operation) {
    var task = operation.get("operation", "");
    var interval = Numbers.unsigned(operation.get("interval"), 0);
    if (interval > 0 && (rsc.is(ResourceFlag.MAINTENANCE) || node.maintenance())) {
      RecurringActions.cancel(rsc, operation.get("call-id"), task, interval, node);
    } else if (interval > 0 || comparesParameters(task)) {
      if (BundleAddresses.needed(rsc)) {
        // The address is known only once the container has its node.
        cluster
            .parameterChecks()
            .add(0, new ParameterCheck(rsc, node, operation, ParameterCheck.Kind.ACTIVE));
      } else if (changed(rsc, node, operation)
          && FailCounts.effective(node, rsc, false).count() != 0) {
        FailCounts.clear(rsc, node, "action definition changed");
      }
    }
  }

  private static boolean comparesParameters(String task) {
    return switch (task) {
      case TaskName.MONITOR, TaskName.START, TaskName.PROMOTE, TaskName.MIGRATE_FROM -> true;
      default -> false;
    };
  }

  /// Whether the agent is another than the one in the history; an active one is then restarted.
  private boolean agentChanged(Primitive rsc, Node node, Element entry, boolean active) {
    var changed = false;
    for (var attribute : List.of("type", "class", "provider")) {
      var now = rsc.xml().get(attribute);
      var before = entry.get(attribute);
      if (!Objects.equals(now, before)) {
        changed = true;
        Fencing.triggerUnfencing(cluster, rsc, node, "Device definition changed", null);
        if (active) {
          cluster.notice(
              "Forcing restart of %s on %s because %s changed from '%s' to '%s'"
                  .formatted(
                      rsc.id(),
                      node.name(),
                      attribute,
                      before == null ? "" : before,
                      now == null ? "" : now));
        }
      }
    }
    if (changed && active) {
      Actions.stop(rsc, node, false);
      rsc.set(ResourceFlag.START_PENDING);
    }
    return changed;
  }

  /// Removes a resource from a node's executor.
  static void cleanUp(Resource rsc, Node node, boolean optional) {
    if (rsc.is(ResourceFlag.FAILED) || node.unclean() || !node.online()) {
      return;
    }
    Relations relations = optional ? Relation.FIRST_IMPLIES_THEN : Relation.ORDERED;
    Actions.of(rsc, TaskName.DELETE, node, optional);
    Orderings.between(rsc, TaskName.STOP, rsc, TaskName.DELETE, relations);
    Orderings.between(rsc, TaskName.DELETE, rsc, TaskName.START, relations);
  }

  /// Whether an operation ran with other parameters than configured now; sees to what follows.
  static boolean changed(Primitive rsc, Node node, Element entry) {
    var operation = rsc.cluster().history(entry);
    var task = operation.get("operation", "");
    var interval = Numbers.unsigned(operation.get("interval"), 0);
    if (interval > 0 && OperationConfig.find(rsc, task, interval, false) == null) {
      if (rsc.cluster().is(ClusterFlag.CANCEL_REMOVED_ACTIONS)) {
        RecurringActions.cancel(rsc, operation.get("call-id"), task, interval, node);
      }
      return true;
    }
    var digests = Digests.compare(rsc, operation, node);
    var startTask = asStart(task, interval);
    if (onlyPrivateChanged(rsc, node, operation, startTask, digests)) {
      return false;
    }
    return switch (digests.result()) {
      case RESTART -> {
        forceRestart(rsc, startTask, interval, node);
        yield true;
      }
      case UNKNOWN, MISMATCH -> {
        if (interval > 0) {
          reschedule(rsc, startTask, interval, node);
        } else if (operation.has("op-restart-digest")) {
          Fencing.triggerUnfencing(
              rsc.cluster(), rsc, node, "Device parameters changed (reload)", null);
          reload(rsc, node);
        } else {
          forceRestart(rsc, startTask, interval, node);
        }
        yield true;
      }
      case MATCH -> false;
    };
  }

  // What the resource was started with is what these were run with.
  private static String asStart(String task, long interval) {
    return interval == 0
            && (task.equals(TaskName.MONITOR)
                || task.equals(TaskName.MIGRATE_FROM)
                || task.equals(TaskName.PROMOTE))
        ? TaskName.START
        : task;
  }

  private static boolean onlyPrivateChanged(
      Primitive rsc, Node node, Element operation, String task, OpDigests digests) {
    var secure = operation.get("op-secure-digest");
    if (rsc.cluster().is(ClusterFlag.SANITIZED)
        && digests.result() != OpDigests.Result.MATCH
        && secure != null
        && secure.equals(digests.secureDigest())) {
      rsc.cluster()
          .tell(
              "Only 'private' parameters to %s-interval %s for %s on %s changed: %s"
                  .formatted(
                      Interval.format(Numbers.unsigned(operation.get("interval"), 0)),
                      task,
                      rsc.id(),
                      node.name(),
                      operation.get("transition-magic")));
      return true;
    }
    return false;
  }

  private static void forceRestart(Primitive rsc, String task, long interval, Node node) {
    var required =
        Actions.custom(rsc, OperationKey.text(rsc.id(), task, interval), task, null, false);
    Actions.reason(required, "resource definition change", true);
    rsc.set(ResourceFlag.REDEFINED);
    Fencing.triggerUnfencing(rsc.cluster(), rsc, node, "Device parameters changed", null);
    leaveFirst(rsc);
    giveUpForgotten(rsc);
  }

  /// What runs a guest is to be restarted, and nobody is connected to the guest: what runs inside cannot be stopped
  /// before by a connection that can only be made after. So the guest is given up, as with Pacemaker.
  private static void giveUpForgotten(Primitive rsc) {
    for (var node : rsc.cluster().nodes()) {
      var connection = node.isGuest() ? node.remote() : null;
      if (connection == null
          || connection.launcher() != rsc
          || !node.is(NodeFlag.HISTORY_LOST)
          || !connection.active().isEmpty()) {
        continue;
      }
      for (var inside : List.copyOf(node.running())) {
        Fencing.loseGuest(node, inside);
      }
    }
  }

  /// A connection to a remote or guest node is to lead to another address, where another machine may be: what runs on the one
  /// that it leads to would not be found there, and be started a second time. So that is stopped first, then the
  /// connection, and it is made with the next plan. Pacemaker only makes it anew.
  private static void leaveFirst(Primitive rsc) {
    var remote = rsc.is(ResourceFlag.REMOTE_CONNECTION) ? rsc.cluster().remoteNode(rsc.id()) : null;
    if (remote != null && !rsc.isBundled() && rsc.is(ResourceFlag.MANAGED) && !remote.is(NodeFlag.HOST_FROZEN)) {
      rsc.setNextRole(Role.STOPPED);
      remote.setShutdown(true);
      rsc.cluster().recheckBy(rsc.cluster().nowSeconds() + 1);
    }
  }

  private static void reschedule(Primitive rsc, String task, long interval, Node node) {
    Fencing.triggerUnfencing(
        rsc.cluster(), rsc, node, "Device parameters changed (reschedule)", null);
    Actions.custom(rsc, OperationKey.text(rsc.id(), task, interval), task, node, true)
        .set(ActionFlag.RESCHEDULE);
  }

  private static void reload(Primitive rsc, Node node) {
    if (!rsc.is(ResourceFlag.MANAGED) || rsc.is(ResourceFlag.FAILED)) {
      return;
    }
    if (rsc.is(ResourceFlag.START_PENDING)) {
      Actions.stop(rsc, node, false);
      return;
    }
    rsc.set(ResourceFlag.RELOAD);
    var reload = Actions.of(rsc, TaskName.RELOAD_AGENT, node, false);
    Actions.reason(reload, "resource definition change", false);
    var cancels = Relations.of(Relation.ORDERED, Relation.THEN_CANCELS_FIRST);
    Orderings.after(reload, rsc, TaskName.STOP, cancels);
    Orderings.after(reload, rsc, TaskName.DEMOTE, cancels);
  }

  /// Makes the comparisons that had to wait until resources have their nodes.
  static void checkDeferred(WorkingSet cluster) {
    for (var check : List.copyOf(cluster.parameterChecks())) {
      if (!(check.resource() instanceof Primitive rsc)) {
        continue;
      }
      String reason = null;
      switch (check.kind()) {
        case ACTIVE -> {
          if (changed(rsc, check.node(), check.entry())
              && FailCounts.effective(check.node(), rsc, false).count() != 0) {
            reason = "action definition changed";
          }
        }
        case LAST_FAILURE -> {
          switch (Digests.compare(rsc, cluster.history(check.entry()), check.node()).result()) {
            case UNKNOWN, MATCH -> {}
            case MISMATCH, RESTART -> reason = "resource parameters have changed";
          }
        }
      }
      // Where the container is to leave the failure may be why: without it the container would stay, and nobody reach it.
      if (reason != null && !BundleAddresses.isToChange(rsc)) {
        FailCounts.clear(rsc, check.node(), reason);
      }
    }
    cluster.parameterChecks().clear();
  }
}
