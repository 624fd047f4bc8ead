package org.systole.scheduler.unpack;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;

/// The cluster options: their names, old names, defaults and what values they take.
public final class ClusterOptions {
  private record Option(
      String name, @Nullable String oldName, @Nullable String fallback, Predicate<String> valid) {}

  private static final Predicate<String> ANY = value -> true;
  private static final Predicate<String> BOOLEAN = value -> Bool.parse(value) != null;
  private static final Predicate<String> DURATION = value -> Interval.read(value) != null;
  private static final Predicate<String> INTEGER =
      value -> isInfinite(value) || Numbers.isNumber(value);
  private static final Predicate<String> POSITIVE =
      value -> Numbers.isNumber(value) ? Numbers.parse(value, 0) > 0 : Score.parse(value, 0) > 0;

  private static final Map<String, Option> OPTIONS = new LinkedHashMap<>();

  static {
    add("dc-version", null, null, ANY);
    add("cluster-infrastructure", null, null, ANY);
    add("cluster-name", null, null, ANY);
    add("dc-deadtime", null, "20s", DURATION);
    add("cluster-recheck-interval", null, "15min", DURATION);
    add("election-timeout", null, "2min", DURATION);
    add("shutdown-escalation", null, "20min", DURATION);
    add("join-integration-timeout", null, "3min", DURATION);
    add("join-finalization-timeout", null, "30min", DURATION);
    add("transition-delay", null, "0s", DURATION);
    add(
        "no-quorum-policy",
        null,
        "stop",
        oneOf("stop", "freeze", "ignore", "demote", "fence", "suicide"));
    add("shutdown-lock", null, "false", BOOLEAN);
    add("shutdown-lock-limit", null, "0", DURATION);
    add("enable-acl", null, "false", BOOLEAN);
    add("symmetric-cluster", null, "true", BOOLEAN);
    add("maintenance-mode", null, "false", BOOLEAN);
    add("start-failure-is-fatal", null, "true", BOOLEAN);
    add("enable-startup-probes", null, "true", BOOLEAN);
    add("fence-remote-without-quorum", null, "false", BOOLEAN);
    add("fencing-enabled", "stonith-enabled", "true", BOOLEAN);
    add(
        "fencing-action",
        "stonith-action",
        "reboot",
        value -> List.of("off", "reboot").contains(value));
    add("fencing-reaction", "fence-reaction", "stop", ANY);
    add("fencing-timeout", "stonith-timeout", "60s", DURATION);
    add("have-watchdog", null, "false", BOOLEAN);
    add("fencing-watchdog-timeout", "stonith-watchdog-timeout", "0", ANY);
    add("fencing-max-attempts", "stonith-max-attempts", "10", POSITIVE);
    add("concurrent-fencing", null, "true", BOOLEAN);
    add("startup-fencing", null, "true", BOOLEAN);
    add("priority-fencing-delay", null, "0", DURATION);
    add("node-pending-timeout", null, "0", DURATION);
    add("cluster-delay", null, "60s", DURATION);
    add("load-threshold", null, "80%", ClusterOptions::isPercentage);
    add("node-action-limit", null, "0", INTEGER);
    add("batch-limit", null, "0", INTEGER);
    add("migration-limit", null, "-1", INTEGER);
    add("stop-all-resources", null, "false", BOOLEAN);
    add("stop-removed-resources", "stop-orphan-resources", "true", BOOLEAN);
    add("cancel-removed-actions", "stop-orphan-actions", "true", BOOLEAN);
    add("pe-error-series-max", null, "-1", INTEGER);
    add("pe-warn-series-max", null, "5000", INTEGER);
    add("pe-input-series-max", null, "4000", INTEGER);
    add(
        "node-health-strategy",
        null,
        "none",
        oneOf("none", "migrate-on-red", "only-green", "progressive", "custom"));
    add("node-health-base", null, "0", INTEGER);
    add("node-health-green", null, "0", INTEGER);
    add("node-health-yellow", null, "0", INTEGER);
    add("node-health-red", null, "-INFINITY", INTEGER);
    add(
        "placement-strategy",
        null,
        "default",
        oneOf("default", "utilization", "minimal", "balanced"));
  }

  private ClusterOptions() {}

  private static void add(
      String name, @Nullable String oldName, @Nullable String fallback, Predicate<String> valid) {
    OPTIONS.put(name, new Option(name, oldName, fallback, valid));
  }

  private static Predicate<String> oneOf(String... words) {
    return value -> List.of(words).stream().anyMatch(value::equalsIgnoreCase);
  }

  private static boolean isInfinite(String value) {
    return Math.abs(Score.parse(value, 0)) == Score.INFINITY && !Numbers.scan(value, 0).valid();
  }

  private static boolean isPercentage(String value) {
    var scan = Numbers.scan(value, -1);
    return scan.valid() && scan.value() >= 0 && scan.rest().startsWith("%");
  }

  /// Gives every option its value under its current name: the configured one if it is valid, else
  /// the default.
  static void complete(
      Map<String, String> options, Consumer<String> error, Consumer<String> warning) {
    for (var option : OPTIONS.values()) {
      var value = configured(option, options, warning);
      if (value != null && !option.valid.test(value)) {
        error.accept(
            "Using default value for cluster option '"
                + option.name
                + "' because '"
                + value
                + "' is invalid");
        value = null;
      }
      if (value == null && option.fallback != null) {
        options.put(option.name, option.fallback);
      }
    }
  }

  private static @Nullable String configured(
      Option option, Map<String, String> options, Consumer<String> warning) {
    var value = options.get(option.name);
    if (value == null && option.oldName != null) {
      value = options.get(option.oldName);
      if (value != null) {
        warning.accept(
            "Support for legacy name '"
                + option.oldName
                + "' for cluster option '"
                + option.name
                + "' is deprecated and will be removed in a future release");
        options.put(option.name, value);
      }
    }
    return value;
  }
}
