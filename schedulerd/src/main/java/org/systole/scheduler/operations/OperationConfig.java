package org.systole.scheduler.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.OnFail;
import org.systole.scheduler.model.Requires;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// How an operation of a resource is configured: which `<op>` applies, and what follows from it.
public final class OperationConfig {
  private static final int DEFAULT_TIMEOUT_MS = 20_000;

  private OperationConfig() {}

  /// The `<op>` for an action and interval; migrations fall back to one named `migrate`.
  public static @Nullable Element find(
      Resource rsc, String task, long intervalMs, boolean withDisabled) {
    var found = exact(rsc, task, intervalMs, withDisabled);
    if (found == null && (task.equals(TaskName.MIGRATE_TO) || task.equals(TaskName.MIGRATE_FROM))) {
      found = exact(rsc, "migrate", 0, withDisabled);
    }
    return found;
  }

  /// The configured operations, in document order.
  public static List<Element> operations(Resource rsc) {
    return rsc.operations() == null ? List.of() : rsc.operations().children("op");
  }

  static @Nullable Element exact(Resource rsc, String task, long intervalMs, boolean withDisabled) {
    for (var op : operations(rsc)) {
      if ((withDisabled || isEnabled(op))
          && task.equals(op.get("name"))
          && intervalMs(op) == intervalMs) {
        return op;
      }
    }
    return null;
  }

  /// The interval of an `<op>` in milliseconds.
  public static long intervalMs(Element op) {
    return Interval.parse(op.get("interval"));
  }

  public static boolean isEnabled(Element op) {
    return !Boolean.FALSE.equals(Bool.parse(op.get("enabled")));
  }

  /// The meta-attributes of an action: the operation's own over the cluster's defaults, normalized.
  public static Map<String, String> meta(
      Resource rsc, @Nullable Node node, String task, long intervalMs, @Nullable Element config) {
    var meta = new LinkedHashMap<String, String>();
    if (config != null) {
      blocks(rsc, task, intervalMs, config, meta);
      for (var at = 0; at < config.attributeCount(); at++) {
        meta.put(config.attributeName(at), config.attributeValue(at));
      }
    }
    if (Task.isProbe(task, intervalMs) && !meta.containsKey("timeout")) {
      var monitor = mostFrequentMonitor(rsc);
      if (monitor != null && monitor.get("timeout") != null) {
        meta.put("timeout", monitor.get("timeout", ""));
      }
    }
    if (rsc.cluster().operationDefaults() != null) {
      blocks(rsc, task, intervalMs, rsc.cluster().operationDefaults(), meta);
    }
    meta.remove("id");
    if (intervalMs > 0) {
      meta.put("interval", Long.toString(intervalMs));
    } else {
      meta.remove("interval");
    }
    fenceDeviceTimeout(rsc, node, task, intervalMs, meta);
    meta.put("timeout", Integer.toString(timeout(meta.get("timeout"))));
    OnFailRules.apply(rsc, task, config, meta);
    startDelay(rsc, config, intervalMs, meta);
    return meta;
  }

  /// Whether it is a probe, and one whose meta-attributes depend on no node.
  static boolean isSameEverywhere(Resource rsc, String task, long intervalMs) {
    return Task.isProbe(task, intervalMs) && !isFenceDevice(rsc);
  }

  private static boolean isFenceDevice(Resource rsc) {
    return AgentName.FENCING.equals(rsc.xml().get("class"));
  }

  private static void blocks(
      Resource rsc, String task, long intervalMs, Element parent, Map<String, String> meta) {
    var context =
        rsc.cluster()
            .ruleContext()
            .withAgent(rsc.xml().get("class"), rsc.xml().get("provider"), rsc.xml().get("type"))
            .withOperation(task, intervalMs);
    rsc.cluster().readBlocks(parent, "meta_attributes", context, meta, null);
  }

  /// Instance attributes of an operation alone, evaluated for a node.
  public static Map<String, String> parameters(
      WorkingSet cluster, @Nullable Element config, Node node) {
    var found = new LinkedHashMap<String, String>();
    if (config != null) {
      var context = cluster.ruleContext().withNodeAttributes(node.attributes());
      cluster.readBlocks(config, "instance_attributes", context, found, null);
    }
    return found;
  }

  private static void fenceDeviceTimeout(
      Resource rsc, @Nullable Node node, String task, long intervalMs, Map<String, String> meta) {
    if (isFenceDevice(rsc) && (task.equals(TaskName.START) || Task.isProbe(task, intervalMs))) {
      var timeout = rsc.parameters(node).get("pcmk_monitor_timeout");
      if (timeout != null) {
        meta.put("timeout", timeout);
      }
    }
  }

  private static @Nullable Element mostFrequentMonitor(Resource rsc) {
    Element most = null;
    var least = 0xFFFF_FFFFL;
    for (var op : operations(rsc)) {
      if (TaskName.MONITOR.equals(op.get("name"))) {
        var interval = intervalMs(op);
        if (interval > 0 && isEnabled(op) && interval < least) {
          least = interval;
          most = op;
        }
      }
    }
    return most;
  }

  private static @Nullable Long readMs(@Nullable String text) {
    return text == null ? null : Interval.readMs(text);
  }

  private static int timeout(@Nullable String text) {
    var ms = readMs(text);
    return ms == null || ms <= 0 ? DEFAULT_TIMEOUT_MS : (int) Math.min(ms, Integer.MAX_VALUE);
  }

  private static void startDelay(
      Resource rsc, @Nullable Element config, long intervalMs, Map<String, String> meta) {
    var delay = meta.get("start-delay");
    if (delay != null) {
      var ms = readMs(delay);
      meta.put("start-delay", Long.toString(ms == null ? 0 : Math.clamp(ms, 0, Integer.MAX_VALUE)));
      return;
    }
    var origin = meta.get("interval-origin");
    if (origin == null || intervalMs == 0) {
      return;
    }
    var now = rsc.cluster().ruleContext().now();
    var start = IsoTime.tryParse(origin, now);
    if (start == null) {
      rsc.cluster()
          .configError(
              "Ignoring 'interval-origin' for operation '%s' because '%s' is not valid"
                  .formatted(config == null ? "(missing ID)" : config.id(), origin));
      return;
    }
    var intervalSeconds = Seconds.of(intervalMs);
    var past = (now.epochSecond() - start.epochSecond()) % intervalSeconds;
    var left = (past <= 0 ? 0 : intervalSeconds) - past;
    meta.put("start-delay", Long.toString(left * 1000));
  }

  /// What must be given before the action may run.
  public static Requires requires(Resource rsc, String task) {
    if (!task.equalsIgnoreCase(TaskName.START) && !task.equalsIgnoreCase(TaskName.PROMOTE)) {
      return Requires.NOTHING;
    }
    if (rsc.is(ResourceFlag.NEEDS_FENCING)) {
      return Requires.FENCING;
    }
    return rsc.is(ResourceFlag.NEEDS_QUORUM) ? Requires.QUORUM : Requires.NOTHING;
  }

  /// What is done if the action fails, from the configured value or the default.
  public static OnFail onFail(Resource rsc, String task, long intervalMs, @Nullable String value) {
    return OnFailRules.parse(rsc, task, intervalMs, value);
  }

  /// The role to bring the resource to after the action failed.
  public static Role roleAfterFailure(Resource rsc, String task, OnFail onFail) {
    if (onFail == OnFail.STOP || onFail == OnFail.RESET_REMOTE && rsc.reconnectIntervalMs() != 0) {
      return Role.STOPPED;
    }
    return task.equals(TaskName.PROMOTE) ? Role.UNPROMOTED : Role.STARTED;
  }

  static boolean fencingEnabled(Resource rsc) {
    return rsc.cluster().is(ClusterFlag.FENCING_ENABLED);
  }
}
