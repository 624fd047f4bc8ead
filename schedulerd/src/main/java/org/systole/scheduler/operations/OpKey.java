package org.systole.scheduler.operations;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An operation key taken apart: `rsc_monitor_10000`.
public record OpKey(String resource, String task, long intervalMs) {
  private static final List<String> WITH_UNDERBAR = List.of("migrate_from", "migrate_to");
  private static final List<String> PREFIXES =
      List.of("pre_notify", "post_notify", "confirmed-pre_notify", "confirmed-post_notify");

  public static String of(String resource, String task, long intervalMs) {
    return resource + "_" + task + "_" + intervalMs;
  }

  public static String of(String resource, String task) {
    return resource + "_" + task + "_0";
  }

  /// The key of a notification: `rsc_pre_notify_start_0`.
  public static String notify(String resource, String type, String task) {
    return resource + "_" + type + "_notify_" + task + "_0";
  }

  /// Takes a key apart; null if it is none. Both parts may hold underbars themselves.
  public static @Nullable OpKey parse(String key) {
    var intervalBar = key.lastIndexOf('_', key.length() - 2);
    if (key.length() < 5 || intervalBar <= 2) {
      return null;
    }
    var interval = number(key.substring(intervalBar + 1));
    var taskBar = before(key, intervalBar, WITH_UNDERBAR);
    if (taskBar <= 0) {
      taskBar = key.lastIndexOf('_', intervalBar - 2);
      if (taskBar <= 0) {
        return null;
      }
    }
    var prefixed = before(key, taskBar, PREFIXES);
    if (prefixed > 0) {
      taskBar = prefixed;
    }
    return new OpKey(key.substring(0, taskBar), key.substring(taskBar + 1, intervalBar), interval);
  }

  /// The interval a key ends in, 0 if it is no key.
  static long intervalMs(String key) {
    if (key.endsWith("_0")) {
      return 0;
    }
    var parsed = parse(key);
    return parsed == null ? 0 : parsed.intervalMs();
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

  // As strtoul: leading digits count, anything else is zero.
  private static long number(String text) {
    long value = 0;
    for (var at = 0; at < text.length() && Character.isDigit(text.charAt(at)); at++) {
      value = value * 10 + text.charAt(at) - '0';
    }
    return value;
  }
}
