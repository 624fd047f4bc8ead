package org.systole.scheduler.sim;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.operations.Digests;
import org.systole.scheduler.operations.OpKey;

/// Writes operation results into the history of a resource.
final class HistoryEntries {
  private static final String ORIGIN = "crm_simulate";
  private static final String UNKNOWN_TRANSITION = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

  /// What came of an operation.
  ///
  /// @param resource the id of the resource in the history
  /// @param code what the agent returned
  /// @param expected what it should have returned
  /// @param reason what the agent said about it
  /// @param parameters null if they are not known
  /// @param time seconds since the epoch
  record Result(
      String resource,
      String task,
      long intervalMs,
      int code,
      int expected,
      String reason,
      @Nullable Map<String, String> parameters,
      String node,
      long time) {
    private @Nullable String meta(String name) {
      return parameters == null ? null : parameters.get("CRM_meta_" + name);
    }
  }

  private HistoryEntries() {}

  /// The history of a resource with the result in it.
  static Element add(Element history, Result result) {
    var call = 1;
    for (var entry : history.children()) {
      call = Math.max(call, Numbers.parseInt(entry.get("call-id"), 0) + 1);
    }
    var reload = result.task().equals("reload") || result.task().equals("reload-agent");
    var task = reload ? "start" : result.task();
    var failed = result.code() != result.expected();
    var last = OpKey.of(result.resource(), "last");
    if (task.equals("notify")) {
      var type = String.valueOf(result.meta("notify_type"));
      var about = String.valueOf(result.meta("notify_operation"));
      return put(history, OpKey.notify(result.resource(), type, about), task, call, result, "");
    }
    if (task.equals("migrate_to") || task.equals("migrate_from")) {
      return put(history, key(result, task), task, call, result, "");
    }
    if (!failed) {
      var id = result.intervalMs() > 0 ? key(result, task) : last;
      return put(history, id, task, call, result, "");
    }
    var failure = OpKey.of(result.resource(), "last_failure");
    var changed = put(history, failure, task, call, result, result.reason());
    return result.intervalMs() == 0
        ? put(changed, last, task, call, result, result.reason())
        : changed;
  }

  private static String key(Result result, String task) {
    return OpKey.of(result.resource(), task, result.intervalMs());
  }

  private static Element put(
      Element history, String id, String task, int call, Result result, String reason) {
    return SimulatedCib.change(
        history, "lrm_rsc_op", "id", id, entry -> fill(entry, task, call, result, reason));
  }

  private static Element fill(Element entry, String task, int call, Result result, String reason) {
    var transition =
        String.format(Locale.ROOT, "%d:-1:%d:%s", call, result.expected(), UNKNOWN_TRANSITION);
    var filled =
        entry
            .with("operation_key", key(result, task))
            .with("operation", task)
            .with("crm-debug-origin", ORIGIN)
            .with("crm_feature_set", Product.FEATURE_SET)
            .with("transition-key", transition)
            .with("transition-magic", "0:" + result.code() + ";" + transition)
            .with("exit-reason", reason)
            .with("on_node", result.node())
            .with("call-id", Integer.toString(call))
            .with("rc-code", Integer.toString(result.code()))
            .with("op-status", "0")
            .with("interval", Long.toString(result.intervalMs()))
            .with("last-rc-change", Long.toString(result.time()))
            .with("exec-time", "0")
            .with("queue-time", "0");
    if (task.startsWith("migrate_")) {
      filled = withMeta(withMeta(filled, result, "migrate_source"), result, "migrate_target");
    }
    if (result.parameters() == null) {
      return filled;
    }
    var digested = new TreeMap<>(result.parameters());
    Digests.filter(digested);
    return filled.with("op-digest", Digests.digest(digested));
  }

  private static Element withMeta(Element entry, Result result, String name) {
    var value = result.meta(name);
    return value == null ? entry : entry.with(name, value);
  }
}
