package org.systole.common.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

/// An operation's name: `web_monitor_10000`, or `db_post_notify_start_0` for a notification.
///
/// @param operation in notifications with its kind: `post_notify_start`
public record OperationKey(ResourceId resource, OperationName operation, long intervalMillis) {
  private static final List<String> WITH_UNDERBAR =
      List.of(Task.MIGRATE_FROM.text(), Task.MIGRATE_TO.text());
  private static final List<String> PREFIXES =
      List.of("pre_notify", "post_notify", "confirmed-pre_notify", "confirmed-post_notify");
  private static final int SHORTEST = "a_b_0".length();
  private static final long INTERVAL_BITS = 0xffff_ffffL;

  public static String text(ResourceId resource, OperationName operation, long intervalMillis) {
    return text(resource.text(), operation.text(), intervalMillis);
  }

  /// The key of what the scheduler calls by texts: its plans have actions that are no operations of
  /// an agent, of instances of clones as they are told apart there.
  public static String text(String resource, String operation, long intervalMillis) {
    return resource + "_" + operation + "_" + intervalMillis;
  }

  public static String text(String resource, Task task, long intervalMillis) {
    return text(resource, task.text(), intervalMillis);
  }

  /// The key of an operation that does not recur.
  public static String text(String resource, String operation) {
    return text(resource, operation, 0);
  }

  /// The key of an operation that does not recur.
  public static String text(String resource, Task task) {
    return text(resource, task.text(), 0);
  }

  /// The key of a notification: `db_pre_notify_start_0`.
  ///
  /// @param type `pre` or `post`, or one of these with `confirmed-` before it
  public static String notification(String resource, String type, String task) {
    return resource + "_" + type + "_notify_" + task + "_0";
  }

  /// Takes a key apart, from its end: both the resource's name and the operation's may have
  /// underbars. What stands for the interval but is no number counts as zero.
  ///
  /// @return null if the text is no such key
  public static @Nullable OperationKey parse(String key) {
    var intervalBar = key.lastIndexOf('_', key.length() - 2);
    if (key.length() < SHORTEST || intervalBar <= 2) {
      return null;
    }
    var interval = Numbers.scan(key.substring(intervalBar + 1), 0);
    if (interval.clipped()) {
      return null;
    }
    var operationBar = before(key, intervalBar, WITH_UNDERBAR);
    if (operationBar <= 0) {
      operationBar = key.lastIndexOf('_', intervalBar - 2);
      if (operationBar <= 0) {
        return null;
      }
    }
    var prefixed = before(key, operationBar, PREFIXES);
    if (prefixed > 0) {
      operationBar = prefixed;
    }
    var resource = ResourceId.of(key.substring(0, operationBar));
    var operation = OperationName.of(key.substring(operationBar + 1, intervalBar));
    return resource == null || operation == null
        ? null
        : new OperationKey(resource, operation, interval.value() & INTERVAL_BITS);
  }

  /// The interval that a key ends in, 0 if it is no key.
  public static long intervalOf(String key) {
    if (key.endsWith("_0")) {
      return 0;
    }
    var parsed = parse(key);
    return parsed == null ? 0 : parsed.intervalMillis();
  }

  private static int before(String key, int position, List<String> candidates) {
    for (var candidate : candidates) {
      var possible = position - candidate.length() - 1;
      if (possible > 0 && key.charAt(possible) == '_' && key.startsWith(candidate, possible + 1)) {
        return possible;
      }
    }
    return 0;
  }

  /// The same operation of the same resource under another name.
  public OperationKey as(Task other) {
    return new OperationKey(resource, other.operation(), intervalMillis);
  }

  public boolean is(Task task) {
    return task.is(operation);
  }

  @Override
  public String toString() {
    return text(resource, operation, intervalMillis);
  }
}
