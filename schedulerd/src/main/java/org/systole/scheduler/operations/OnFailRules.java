package org.systole.scheduler.operations;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// The `on-fail` of an operation: which values are allowed where, and the defaults.
final class OnFailRules {
  private static final String ON_FAIL = "on-fail";

  private OnFailRules() {}

  /// Brings the value in `meta` into a valid state.
  static void apply(Resource rsc, String task, @Nullable Element config, Map<String, String> meta) {
    var value = meta.get(ON_FAIL);
    if (task.equals(TaskName.STOP) && !allowedForStop(value)) {
      rsc.cluster()
          .configError(
              ("Resetting 'on-fail' for %s stop action to default value because '%s' is not allowed"
                   + " for stop")
                  .formatted(rsc.id(), value));
      meta.remove(ON_FAIL);
    } else if (task.equals(TaskName.DEMOTE) && value == null) {
      inheritFromPromotedMonitor(rsc, meta);
    } else if (task.equals(TaskName.HISTORY_DELETE) && !"ignore".equalsIgnoreCase(value)) {
      meta.put(ON_FAIL, "ignore");
    } else if ("demote".equalsIgnoreCase(value) && !mayDemote(config)) {
      rsc.cluster()
          .configError(
              ("Resetting 'on-fail' for %s %s action to default value because 'demote' is not "
                      + "allowed for it")
                  .formatted(rsc.id(), config == null ? task : config.get("name")));
      meta.remove(ON_FAIL);
    }
  }

  private static boolean allowedForStop(@Nullable String value) {
    return !"standby".equalsIgnoreCase(value)
        && !"demote".equalsIgnoreCase(value)
        && !"stop".equalsIgnoreCase(value);
  }

  private static void inheritFromPromotedMonitor(Resource rsc, Map<String, String> meta) {
    for (var op : OperationConfig.operations(rsc)) {
      var onFail = op.get(ON_FAIL);
      if (onFail != null
          && isPromotedMonitor(op)
          && OperationConfig.isEnabled(op)
          && !onFail.equalsIgnoreCase("demote")) {
        meta.put(ON_FAIL, onFail);
      }
    }
  }

  private static boolean mayDemote(@Nullable Element config) {
    return config != null
        && (TaskName.PROMOTE.equals(config.get("name")) || isPromotedMonitor(config));
  }

  private static boolean isPromotedMonitor(Element op) {
    var role = op.get("role");
    return TaskName.MONITOR.equals(op.get("name"))
        && ("Promoted".equalsIgnoreCase(role) || "Master".equalsIgnoreCase(role))
        && OperationConfig.intervalMs(op) != 0;
  }

  static OnFail parse(Resource rsc, String task, long intervalMs, @Nullable String value) {
    var explicit = explicit(rsc, task, value);
    var resetRemote =
        rsc.is(ResourceFlag.REMOTE_CONNECTION)
            && isRemoteNode(rsc)
            && !Task.isProbe(task, intervalMs)
            && !task.equals(TaskName.START);
    if (explicit != null && !(resetRemote && !rsc.is(ResourceFlag.MANAGED))) {
      return explicit;
    }
    if (rsc.launcher() != null) {
      return OnFail.RESTART_CONTAINER;
    }
    if (resetRemote) {
      return rsc.is(ResourceFlag.MANAGED) ? OnFail.RESET_REMOTE : OnFail.STOP;
    }
    if (task.equals(TaskName.STOP)) {
      return OperationConfig.fencingEnabled(rsc) ? OnFail.FENCE : OnFail.BLOCK;
    }
    return OnFail.RESTART;
  }

  private static boolean isRemoteNode(Resource rsc) {
    var node = rsc.cluster().remoteNode(rsc.id());
    return node != null && node.isRemote();
  }

  private static @Nullable OnFail explicit(Resource rsc, String task, @Nullable String value) {
    if (value == null) {
      return null;
    }
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "block" -> OnFail.BLOCK;
      case "fence" -> fence(rsc, task);
      case "standby" -> OnFail.STANDBY;
      case "ignore", "nothing" -> OnFail.IGNORE;
      case "migrate" -> OnFail.BAN;
      case "stop" -> OnFail.STOP;
      case "restart" -> OnFail.RESTART;
      case "restart-container" -> rsc.launcher() == null ? null : OnFail.RESTART_CONTAINER;
      case "demote" -> OnFail.DEMOTE;
      default -> {
        rsc.cluster()
            .configError(
                "Using default 'on-fail' for %s of %s because '%s' is not valid"
                    .formatted(task, rsc.id(), value));
        yield null;
      }
    };
  }

  private static OnFail fence(Resource rsc, String task) {
    if (OperationConfig.fencingEnabled(rsc)) {
      return OnFail.FENCE;
    }
    rsc.cluster()
        .configError(
            ("Resetting 'on-fail' for %s of %s to 'stop' because 'fence' is not valid when fencing "
                    + "is disabled")
                .formatted(task, rsc.id()));
    return OnFail.STOP;
  }
}
