package org.systole.scheduler.operations;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.ProbeConfig;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// Creates, finds and orders actions.
///
/// Lists of actions and of relations hold the oldest first; whoever decides from them looks at the
/// newest first, because that is the order that decisions depend on.
public final class Actions {
  private Actions() {}

  /// The action with this key for the resource and node, created if there is none. A found one
  /// without a node gets this one; a required one stays required.
  public static Action custom(
      Resource rsc, String key, String task, @Nullable Node node, boolean optional) {
    var action = existing(rsc, key, node);
    if (action == null) {
      action = create(rsc.cluster(), rsc, key, task, node, optional);
    }
    updateOptional(action, optional);
    if (action.node() != null
        && action.config() != null
        && !action.is(ActionFlag.ATTRIBUTES_EVALUATED)) {
      action.setExtra(OperationConfig.parameters(rsc.cluster(), action.config(), action.node()));
      action.set(ActionFlag.ATTRIBUTES_EVALUATED);
    }
    Runnability.update(action, rsc);
    return action;
  }

  /// As [#custom], for an action that is not about a resource.
  public static Action ofCluster(
      WorkingSet cluster, String key, String task, @Nullable Node node, boolean optional) {
    var action = cluster.singletons().get(key);
    if (action == null) {
      action = create(cluster, null, key, task, node, optional);
    }
    if (action.node() == null) {
      action.setNode(node);
    }
    updateOptional(action, optional);
    return action;
  }

  /// The milestone of that name that belongs to no resource, optional if it is new.
  public static Action pseudo(WorkingSet cluster, String name) {
    var action = cluster.singletons().get(name);
    if (action == null) {
      action = ofCluster(cluster, name, name, null, true);
      action.set(ActionFlag.PSEUDO);
      action.set(ActionFlag.RUNNABLE);
    }
    return action;
  }

  /// A milestone of a collective resource.
  public static Action pseudo(Resource rsc, String task, boolean optional, boolean runnable) {
    var action = custom(rsc, OperationKey.text(rsc.id(), task), task, null, optional);
    action.set(ActionFlag.PSEUDO);
    if (runnable) {
      action.set(ActionFlag.RUNNABLE);
    }
    return action;
  }

  public static Action of(Resource rsc, String task, @Nullable Node node, boolean optional) {
    return custom(rsc, OperationKey.text(rsc.id(), task), task, node, optional);
  }

  public static Action start(Resource rsc, @Nullable Node node, boolean optional) {
    return of(rsc, TaskName.START, node, optional);
  }

  public static Action stop(Resource rsc, @Nullable Node node, boolean optional) {
    return of(rsc, TaskName.STOP, node, optional);
  }

  public static Action demote(Resource rsc, @Nullable Node node, boolean optional) {
    return of(rsc, TaskName.DEMOTE, node, optional);
  }

  public static Action promote(Resource rsc, @Nullable Node node, boolean optional) {
    return of(rsc, TaskName.PROMOTE, node, optional);
  }

  private static @Nullable Action existing(Resource rsc, String key, @Nullable Node node) {
    Action found = null;
    for (var action : candidates(rsc, key, node)) {
      if (adopt(action, node)) {
        found = found == null ? action : found;
      }
    }
    return found;
  }

  private static List<Action> candidates(Resource rsc, String key, @Nullable Node node) {
    return node == null ? rsc.actionsWithKey(key) : rsc.actionsWithKey(key, node);
  }

  // An action without a node becomes one on the node asked for.
  private static boolean adopt(Action action, @Nullable Node node) {
    if (node == null) {
      return true;
    }
    if (action.node() == null) {
      action.setNode(node);
      return true;
    }
    return action.node() == node;
  }

  private static Action create(
      WorkingSet cluster,
      @Nullable Resource rsc,
      String key,
      String task,
      @Nullable Node node,
      boolean optional) {
    var said = cluster.messages().size();
    var interval = rsc == null ? 0 : OperationKey.intervalOf(key);
    var probe = rsc != null && Task.isProbe(task, interval) ? rsc.probeConfig() : null;
    var configured =
        rsc == null ? null : probe != null ? probe.config() : configFor(rsc, key, task, interval);
    // The number is drawn after the configuration is read, which may create actions itself.
    var meta =
        rsc == null
            ? new LinkedHashMap<String, String>()
            : probe != null
                ? copy(probe.meta())
                : OperationConfig.meta(rsc, node, task, interval, configured);
    if (rsc != null
        && probe == null
        && cluster.messages().size() == said // else it is to be said for each
        && OperationConfig.isSameEverywhere(rsc, task, interval)) {
      rsc.setProbeConfig(new ProbeConfig(configured, copy(meta)));
    }
    var action = new Action(cluster.nextActionId(), rsc, task, key);
    action.setMeta(meta);
    action.setConfig(configured);
    action.setNode(node);
    if (task.equalsIgnoreCase(TaskName.HISTORY_DELETE)) {
      action.set(ActionFlag.ON_DC);
    }
    action.set(ActionFlag.RUNNABLE);
    if (optional) {
      action.set(ActionFlag.OPTIONAL);
    }
    if (rsc == null) {
      cluster.singletons().put(key, action);
    } else {
      action.setNeeds(OperationConfig.requires(rsc, task));
      action.setOnFail(OperationConfig.onFail(rsc, task, interval, meta.get("on-fail")));
      action.setFailRole(OperationConfig.roleAfterFailure(rsc, task, action.onFail()));
      rsc.addAction(action);
    }
    cluster.actions().add(action);
    return action;
  }

  private static Map<String, String> copy(Map<String, String> meta) {
    var copy = new LinkedHashMap<String, String>(8);
    copy.putAll(meta);
    return copy;
  }

  private static @Nullable Element configFor(
      Resource rsc, String key, String task, long intervalMs) {
    var found = OperationConfig.find(rsc, task, intervalMs, true);
    if (found == null && key.contains("_notify_")) {
      found = OperationConfig.exact(rsc, TaskName.NOTIFY, 0, true);
    }
    return found;
  }

  // What is done to an unmanaged resource is optional, whatever is asked for.
  private static void updateOptional(Action action, boolean optional) {
    if (action.resource() != null
        && action.node() != null
        && !action.is(ActionFlag.PSEUDO)
        && !action.resource().is(ResourceFlag.MANAGED)
        && !action.meta().containsKey("interval")) {
      action.set(ActionFlag.OPTIONAL);
    } else if (!optional) {
      action.clear(ActionFlag.OPTIONAL);
    }
  }

  /// Notes why the action is done (or not), unless a reason is known and not to be overwritten.
  public static void reason(Action action, @Nullable String reason, boolean overwrite) {
    if (action.reason() == null || overwrite) {
      action.setReason(reason);
    }
  }

  public static void expect(Action action, int exitCode) {
    action.meta().put("op_target_rc", Integer.toString(exitCode));
  }

  /// The newest action with that key, or that task, on that node; null parts match anything.
  public static @Nullable Action first(
      Resource rsc, @Nullable String key, @Nullable String task, @Nullable Node node) {
    for (var at = rsc.actions().size() - 1; at >= 0; at--) {
      var action = rsc.actions().get(at);
      if ((key == null || key.equalsIgnoreCase(action.key()))
          && (task == null || task.equalsIgnoreCase(action.task()))
          && (node == null || action.node() == node)) {
        return action;
      }
    }
    return null;
  }

  /// All actions with that key, the oldest first; with a node those on it, and those without one,
  /// which get it.
  public static List<Action> byKey(Resource rsc, String key, @Nullable Node node) {
    var found = new ArrayList<Action>();
    for (var action : candidates(rsc, key, node)) {
      if (adopt(action, node)) {
        found.add(action);
      }
    }
    return found;
  }

  /// All actions with that key on exactly that node, the oldest first.
  public static List<Action> byKeyOn(Resource rsc, String key, @Nullable Node node) {
    var found = new ArrayList<Action>();
    if (node != null) {
      for (var action : rsc.actionsWithKey(key, node)) {
        if (action.node() == node) {
          found.add(action);
        }
      }
    }
    return found;
  }

  /// All one-time actions of that task, the oldest first.
  public static List<Action> ofTask(Resource rsc, String task, @Nullable Node node) {
    return byKey(rsc, rsc.key(task), node);
  }

  public static List<Action> ofTaskOn(Resource rsc, String task, @Nullable Node node) {
    return byKeyOn(rsc, rsc.key(task), node);
  }

  /// Orders two actions; false if there is nothing to order or such an ordering exists.
  public static boolean order(@Nullable Action first, @Nullable Action then, Relations relations) {
    if (relations.isNone() || first == null || then == null) {
      return false;
    }
    for (var known : first.after()) {
      if (known.action() == then && known.relations().hasAny(relations)) {
        return false;
      }
    }
    first.after().add(new RelatedAction(then, relations));
    then.before().add(new RelatedAction(first, relations));
    return true;
  }

  public static boolean isRecurring(Action action) {
    return intervalOf(action) > 0;
  }

  /// The interval from the meta-attributes, 0 if there is none.
  public static long intervalOf(Action action) {
    var text = action.meta().get("interval");
    try {
      return text == null ? 0 : Long.parseLong(text);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  /// Schedules removal of a resource's history from a node, which the DC can do.
  public static void clearHistory(Resource rsc, Node node) {
    of(rsc, TaskName.HISTORY_DELETE, node, false);
  }

  /// Whether a resource action can be run as things stand.
  private static final class Runnability {
    static void update(Action action, Resource rsc) {
      var cluster = rsc.cluster();
      if (action.is(ActionFlag.PSEUDO)) {
        return;
      }
      var node = action.node();
      if (node == null) {
        action.clear(ActionFlag.RUNNABLE);
      } else if (!action.is(ActionFlag.ON_DC)
          && !node.online()
          && (!node.isGuest() || node.is(NodeFlag.REMOTE_RESET))) {
        action.clear(ActionFlag.RUNNABLE);
        cluster.logWarning(
            "update_resource_action_runnable",
            "%s on %s is unrunnable (node is offline)".formatted(action.key(), node.name()),
            "");
        if (rsc.is(ResourceFlag.MANAGED)
            && action.task().equalsIgnoreCase(TaskName.STOP)
            && !node.unclean()
            && !isWaitedFor(cluster, node)) {
          Fencing.fenceNode(cluster, node, "stop is unrunnable", false);
        }
      } else if (!action.is(ActionFlag.ON_DC) && node.is(NodeFlag.HOST_FROZEN)) {
        action.clear(ActionFlag.RUNNABLE); // nobody can be asked there
      } else if (!action.is(ActionFlag.ON_DC) && node.pending()) {
        action.clear(ActionFlag.RUNNABLE);
        cluster.logWarning(
            "update_resource_action_runnable",
            "Action %s on %s is unrunnable (node is pending)".formatted(action.key(), node.name()),
            "");
      } else {
        byRequirement(action, rsc, node);
      }
    }

    /// Whether it is a remote node that is connected anew by this plan, as far as is known yet, and that nobody may fence: unclean
    /// it would stay so, and nothing would be asked of it, or of its connection; or one whose member is asked for its connection.
    /// Pacemaker does not look at this.
    private static boolean isWaitedFor(WorkingSet cluster, Node node) {
      var connection = node.isRemote() ? node.remote() : null;
      return connection != null
          && (node.is(NodeFlag.CONNECTION_SOUGHT)
              || !cluster.is(ClusterFlag.FENCING_ENABLED)
                  && connection.is(ResourceFlag.FAILED)
                  && connection.nextRole() != Role.STOPPED);
    }

    private static void byRequirement(Action action, Resource rsc, Node node) {
      switch (action.needs()) {
        case NOTHING -> {
          reason(action, null, true);
          // A guest on a host that is unclean and cannot be fenced can do nothing.
          if (node.isGuest() && !Fencing.canFence(rsc.cluster(), node)) {
            action.clear(ActionFlag.RUNNABLE);
          } else {
            action.set(ActionFlag.RUNNABLE);
          }
        }
        case QUORUM, FENCING -> byQuorum(action, rsc);
      }
    }

    private static void byQuorum(Action action, Resource rsc) {
      switch (effectivePolicy(rsc)) {
        case STOP -> {
          action.clear(ActionFlag.RUNNABLE);
          reason(action, "no quorum", true);
        }
        case FREEZE -> {
          if (!rsc.isActive(true) || rsc.nextRole().above(rsc.role())) {
            action.clear(ActionFlag.RUNNABLE);
            reason(action, "quorum freeze", true);
          }
        }
        case IGNORE, FENCE, DEMOTE -> action.set(ActionFlag.RUNNABLE);
      }
    }

    private static NoQuorumPolicy effectivePolicy(Resource rsc) {
      var cluster = rsc.cluster();
      if (cluster.is(ClusterFlag.QUORATE)) {
        return NoQuorumPolicy.IGNORE;
      }
      if (cluster.noQuorumPolicy() != NoQuorumPolicy.DEMOTE) {
        return cluster.noQuorumPolicy();
      }
      if (rsc.role() != Role.PROMOTED && rsc.role() != Role.UNPROMOTED) {
        return NoQuorumPolicy.STOP;
      }
      if (rsc.nextRole().above(Role.UNPROMOTED)) {
        rsc.setNextRole(Role.UNPROMOTED);
      }
      return NoQuorumPolicy.IGNORE;
    }
  }
}
