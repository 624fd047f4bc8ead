package org.systole.common.options;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Bool;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.Interval;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// The values of the options of the whole cluster, as they are in force at one time. Immutable.
///
/// Every option has a value under its present name: the configured one if that is valid, else the
/// default that [ClusterOptionTable] gives it. Rules about dates go by the zone of the machine, as
/// people write them, and by the same zone in every daemon.
public final class ClusterOptions {
  /// What is in force where nothing is configured.
  public static final ClusterOptions DEFAULTS = of(Map.of());

  /// The set that comes first whatever its score.
  public static final String FIRST_SET = "cib-bootstrap-options";

  public static final String SET = "cluster_property_set";

  private static final double WHOLE = 100;

  /// What was read last. Many a change of a CIB is of something else.
  private static final ThreadLocal<@Nullable Known> LAST = new ThreadLocal<>();

  /// @param section this very one, in which nothing goes by anything else than itself
  private record Known(Element section, ClusterOptions options) {}

  private final Map<String, String> values;

  private ClusterOptions(Map<String, String> values) {
    this.values = values;
  }

  /// The options that a CIB sets.
  ///
  /// @param cib the whole CIB
  public static ClusterOptions read(Element cib, Instant now, ZoneId zone) {
    return read(cib, IsoTime.of(now, zone));
  }

  /// The options that a CIB sets.
  ///
  /// @param cib the whole CIB
  /// @param now with the zone by which dates in rules are read
  public static ClusterOptions read(Element cib, IsoTime now) {
    var section = cib.path("configuration", "crm_config");
    if (section == null) {
      return DEFAULTS;
    }
    var known = LAST.get();
    if (known != null && known.section == section) {
      return known.options;
    }
    var options = readAnew(cib, section, now);
    if (section.find(ClusterOptions::goesByMore) == null) {
      LAST.set(new Known(section, options));
    }
    return options;
  }

  /// A rule goes by the time, a reference by what is elsewhere.
  private static boolean goesByMore(Element element) {
    return element.is("rule") || element.has("id-ref");
  }

  private static ClusterOptions readAnew(Element cib, Element section, IsoTime now) {
    var configured = new LinkedHashMap<String, String>();
    new NameValues(new Rules(cib, Diagnostics.NONE))
        .unpack(section, SET, FIRST_SET, RuleContext.at(now), configured, null);
    return of(configured);
  }

  private static ClusterOptions of(Map<String, String> configured) {
    var values = new LinkedHashMap<>(configured);
    complete(values, _ -> {}, _ -> {});
    return new ClusterOptions(values);
  }

  /// Gives every option its value under its present name: the configured one if it is valid, else
  /// the default.
  ///
  /// @param values as configured; completed in place
  /// @param error told of values that are no good
  /// @param warning told of former names
  public static void complete(
      Map<String, String> values, Consumer<String> error, Consumer<String> warning) {
    for (var option : ClusterOptionTable.ALL) {
      var value = configured(option, values, warning);
      if (value != null && !option.accepts(value)) {
        error.accept(
            "Using default value for cluster option '%s' because '%s' is invalid%s"
                .formatted(option.name(), value, option.hint(value)));
        value = null;
      }
      var otherwise = option.defaultValue();
      if (value == null && otherwise != null) {
        values.put(option.name(), otherwise);
      }
    }
  }

  private static @Nullable String configured(
      OptionSpec option, Map<String, String> values, Consumer<String> warning) {
    var value = values.get(option.name());
    var former = option.oldName();
    if (value == null && former != null) {
      value = values.get(former);
      if (value != null) {
        warning.accept(
            ("Support for legacy name '%s' for cluster option '%s' is deprecated and will be"
                    + " removed in a future release")
                .formatted(former, option.name()));
        values.put(option.name(), value);
      }
    }
    return value;
  }

  /// An option as text; empty if it is not set and has no default.
  public String get(String name) {
    return values.getOrDefault(name, "");
  }

  public boolean isTrue(String name) {
    return Bool.isTrue(get(name));
  }

  private Duration duration(String name) {
    return Duration.ofMillis(Interval.parse(get(name)));
  }

  /// An option that is a whole number; 0 if it is not set and has no default.
  public int number(String name) {
    return Numbers.parseInt(get(name), 0);
  }

  public String clusterName() {
    return get("cluster-name");
  }

  /// What the DC allows an action beyond its own time.
  public Duration clusterDelay() {
    return duration("cluster-delay");
  }

  /// How long to wait for other nodes at start-up.
  public Duration dcDeadtime() {
    return duration("dc-deadtime");
  }

  public Duration electionTimeout() {
    return duration("election-timeout");
  }

  /// How often to look again when nothing happens; zero for never.
  public Duration recheckInterval() {
    return duration("cluster-recheck-interval");
  }

  public Duration integrationTimeout() {
    return duration("join-integration-timeout");
  }

  public Duration finalizationTimeout() {
    return duration("join-finalization-timeout");
  }

  public Duration shutdownEscalation() {
    return duration("shutdown-escalation");
  }

  public Duration transitionDelay() {
    return duration("transition-delay");
  }

  public int nodeActionLimit() {
    return number("node-action-limit");
  }

  /// The load a processor may have before a node is asked for less, 1 for all of it.
  public double loadThreshold() {
    var percentage = Numbers.percentage(get("load-threshold"));
    return percentage == null ? 0 : percentage / WHOLE;
  }

  public int fencingMaxAttempts() {
    return number("fencing-max-attempts");
  }

  /// Whether a node that was itself fenced is to go down at once.
  public boolean panicWhenFenced() {
    return get("fencing-reaction").equalsIgnoreCase("panic");
  }

  /// Whether failed nodes are fenced.
  public boolean fencing() {
    return isTrue("fencing-enabled");
  }

  /// Whether everything is left as it is.
  public boolean maintenanceMode() {
    return isTrue("maintenance-mode");
  }

  /// The roles that the join gate waits for.
  public List<String> joinGateRoles() {
    return names(get("join-gate-roles"));
  }

  /// Names that are separated by spaces or commas.
  public static List<String> names(String text) {
    return Arrays.stream(text.split("[\\s,]+")).filter(it -> !it.isEmpty()).toList();
  }

  public boolean shutdownLock() {
    return isTrue("shutdown-lock");
  }

  /// Whether without quorum what runs may be moved within its side, and nothing else.
  public boolean freezes() {
    return get("no-quorum-policy").equalsIgnoreCase("freeze");
  }

  /// Whether everything goes on without quorum.
  public boolean ignoresQuorum() {
    return get("no-quorum-policy").equalsIgnoreCase("ignore");
  }
}
