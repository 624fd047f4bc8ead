package org.systole.controld;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Bool;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.Interval;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// The cluster options that the controller itself goes by.
///
/// @param freezes without quorum, what runs may be moved within its side
///     (`no-quorum-policy=freeze`)
record ClusterOptions(
    Duration dcDeadtime,
    Duration electionTimeout,
    Duration recheckInterval,
    Duration integrationTimeout,
    Duration finalizationTimeout,
    Duration shutdownEscalation,
    Duration transitionDelay,
    int batchLimit,
    int nodeActionLimit,
    double loadThreshold,
    int fencingMaxAttempts,
    boolean panicWhenFenced,
    boolean shutdownLock,
    boolean freezes,
    String clusterName) {
  static final ClusterOptions DEFAULTS = of(Map.of());

  /// @param cib the whole CIB
  static ClusterOptions of(Element cib, Instant now) {
    var section = cib.path("configuration", "crm_config");
    if (section == null) {
      return DEFAULTS;
    }
    var values = new LinkedHashMap<String, String>();
    var rules = new Rules(cib, Diagnostics.NONE);
    new NameValues(rules)
        .unpack(
            section,
            "cluster_property_set",
            "cib-bootstrap-options",
            RuleContext.at(IsoTime.of(now, ZoneOffset.UTC)),
            values,
            null);
    return of(values);
  }

  private static ClusterOptions of(Map<String, String> values) {
    return new ClusterOptions(
        time(values, "dc-deadtime", Duration.ofSeconds(20)),
        time(values, "election-timeout", Duration.ofMinutes(2)),
        time(values, "cluster-recheck-interval", Duration.ofMinutes(15)),
        time(values, "join-integration-timeout", Duration.ofMinutes(3)),
        time(values, "join-finalization-timeout", Duration.ofMinutes(30)),
        time(values, "shutdown-escalation", Duration.ofMinutes(20)),
        time(values, "transition-delay", Duration.ZERO),
        Numbers.parseInt(values.get("batch-limit"), 0),
        Numbers.parseInt(values.get("node-action-limit"), 0),
        percent(values.getOrDefault("load-threshold", "80%")),
        Numbers.parseInt(
            values.getOrDefault(
                "fencing-max-attempts", values.getOrDefault("stonith-max-attempts", "10")),
            10),
        values
            .getOrDefault("fencing-reaction", values.getOrDefault("fence-reaction", "stop"))
            .equals("panic"),
        Bool.isTrue(values.get("shutdown-lock")),
        "freeze".equals(values.get("no-quorum-policy")),
        values.getOrDefault("cluster-name", ""));
  }

  private static Duration time(Map<String, String> values, String name, Duration otherwise) {
    var text = values.get(name);
    var millis = text == null ? null : Interval.read(text);
    return millis == null ? otherwise : Duration.ofMillis(millis);
  }

  private static double percent(String text) {
    var number =
        Numbers.parseDouble(text.endsWith("%") ? text.substring(0, text.length() - 1) : text);
    return number == null ? 0.8 : number / 100;
  }
}
