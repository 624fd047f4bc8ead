package org.systole.hostha.config;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;

/// Every setting of host HA: its names, what it takes, its default, the narrowest scope it can be
/// set for, and what it does.
public enum Setting {
  ENABLED("ha.enabled", Kind.FLAG, "false", Scope.HOST, "whether host HA looks after the hosts: has to be `true` somewhere from the cluster to the host, and `false` nowhere"),
  MAINTENANCE("ha.maintenance", Kind.FLAG, "false", Scope.PARTITION, "whether a whole partition is in maintenance: its hosts are ineligible"),
  PROVIDER("ha.provider", Kind.TEXT, "generic", Scope.PARTITION, "which provider checks, recovers and fences; not set for a partition inside one that has it set"),
  PARTITIONS("ha.partition.attributes", Kind.WORDS, "zone,pod,cluster", Scope.CLUSTER, "the node attributes that say which zone (the first) and which partitions a host is in, each inside the one before"),
  VOLUMES("ha.volumes", Kind.WORDS, "", Scope.HOST, "the volumes that neighbours look at for signs of a host's life, in the provider's terms"),
  // queues
  HEALTH_PENDING("ha.max.pending.health.check.operations", Kind.COUNT, "5000", Scope.CLUSTER, "how many hosts can wait for a health check"),
  HEALTH_CONCURRENT("ha.max.concurrent.health.check.operations", Kind.COUNT, "50", Scope.CLUSTER, "how many health checks run at a time"),
  ACTIVITY_PENDING("ha.max.pending.activity.check.operations", Kind.COUNT, "2500", Scope.CLUSTER, "how many hosts can wait for an activity check"),
  ACTIVITY_CONCURRENT("ha.max.concurrent.activity.check.operations", Kind.COUNT, "25", Scope.CLUSTER, "how many activity checks run at a time"),
  RECOVERY_PENDING("ha.max.pending.recovery.operations", Kind.COUNT, "2500", Scope.CLUSTER, "how many hosts can wait for recovery"),
  RECOVERY_CONCURRENT("ha.max.concurrent.recovery.operations", Kind.COUNT, "25", Scope.CLUSTER, "how many recoveries run at a time"),
  FENCE_PENDING("ha.max.pending.fence.operations", Kind.COUNT, "2500", Scope.CLUSTER, "how many hosts can wait for fencing"),
  FENCE_CONCURRENT("ha.max.concurrent.fence.operations", Kind.COUNT, "25", Scope.CLUSTER, "how many fencings run at a time"),
  ELIGIBILITY_PENDING("ha.max.pending.eligibility.check.operations", Kind.COUNT, "5000", Scope.CLUSTER, "how many hosts can wait for an eligibility check"),
  ELIGIBILITY_CONCURRENT("ha.max.concurrent.eligibility.check.operations", Kind.COUNT, "50", Scope.CLUSTER, "how many eligibility checks run at a time"),
  POWER_PENDING("ha.max.pending.power.check.operations", Kind.COUNT, "5000", Scope.CLUSTER, "how many hosts can wait until their power is read"),
  POWER_CONCURRENT("ha.max.concurrent.power.check.operations", Kind.COUNT, "25", Scope.CLUSTER, "how many times power is read at a time"),
  // checks
  HEALTH_INTERVAL("ha.health.check.interval", Kind.TIME, "10", Scope.HOST, "how long after a health check the next one is due"),
  HEALTH_TIMEOUT("kvm.ha.health.check.timeout", Kind.TIME, "10", Scope.HOST, "how long a health check can take; one that takes longer has failed"),
  ELIGIBILITY_INTERVAL("ha.eligibility.check.interval", Kind.TIME, "60", Scope.HOST, "how long after an eligibility check the next one is due"),
  ELIGIBILITY_TIMEOUT("ha.eligibility.check.timeout", Kind.TIME, "10", Scope.HOST, "how long an eligibility check can take; one that takes longer changes nothing"),
  POWER_INTERVAL("ha.power.check.interval", Kind.TIME_OR_NEVER, "60", Scope.HOST, "how long after its power was read it is read again; `0`: never, and no host needs its power known to be eligible"),
  POWER_TIMEOUT("ha.power.check.timeout", Kind.TIME, "10", Scope.HOST, "how long that can take; then the power is unknown"),
  // activity
  ACTIVITY_RATIO("kvm.ha.activity.check.failure.ratio", Kind.SHARE, "0.7", Scope.HOST, "a host is recovered when more than this share of its activity checks saw nothing; keep it above 0.5"),
  ACTIVITY_ATTEMPTS("kvm.ha.activity.check.max.attempts", Kind.COUNT, "10", Scope.HOST, "how many activity checks make an investigation"),
  ACTIVITY_INTERVAL("kvm.ha.activity.check.interval", Kind.TIME, "60", Scope.HOST, "the longest time between two of them; before, it doubles each time", "kvm.ha.max_activity_check_interval"),
  ACTIVITY_TIMEOUT("kvm.ha.activity.check.timeout", Kind.TIME, "60", Scope.HOST, "how long an activity check can take; one that takes longer is abandoned, and nothing was seen either way"),
  DEGRADED_PERIOD("kvm.ha.degraded.max.period", Kind.TIME, "300", Scope.HOST, "how long a host is degraded before its activity is checked again"),
  RETRY_FIRST("ha.retry.first.interval", Kind.TIME, "10", Scope.HOST, "the first of the waits that double: before activity checks, recoveries and fencings that are tried again"),
  RETRY_MAX("ha.retry.max.interval", Kind.TIME, "250", Scope.HOST, "the longest of these waits"),
  // recovery and fencing
  RECOVERY_WAIT("kvm.ha.recover.wait.period", Kind.TIME, "600", Scope.HOST, "how long a host can take to answer after its power was cycled", "kvm.ha.recovery.wait_time"),
  RECOVERY_TIMEOUT("kvm.ha.recovery.timeout", Kind.TIME, "60", Scope.HOST, "how long a power cycle can take; one that takes longer has failed", "kvm.ha.recover.timeout"),
  RECOVERY_MIN("ha.recovery.min.time", Kind.TIME_OR_NEVER, "20", Scope.HOST, "how long after the beginning of a power cycle no health check is believed: it may be the host as it was before"),
  RECOVERY_THRESHOLD("kvm.ha.recover.failure.threshold", Kind.COUNT, "1", Scope.HOST, "how many recoveries are tried before a host is fenced; forgotten when a health check passes"),
  RESTART_OPERATION("kvm.ha.recovery.restart_operation", Kind.RESTART, "CYCLE", Scope.HOST, "what recovers: the fence device (`CYCLE`, `RESET`: both are its reboot), or the provider's own action `recover` (`PROVIDER`)"),
  STOP_OPERATION("kvm.ha.fence.stop_operation", Kind.STOP, "OFF", Scope.HOST, "what fences: the fence device (`OFF`), or the provider's own action `fence` (`PROVIDER`); the host's own shutdown is no proof"),
  FENCE_TIMEOUT("kvm.ha.fence.timeout", Kind.TIME, "60", Scope.HOST, "how long a fencing can take; one that takes longer proves nothing"),
  FENCE_MIN("ha.fence.min.time", Kind.TIME_OR_NEVER, "0", Scope.HOST, "how long after the beginning of a fencing a host is not yet held to be off, whatever the device says"),
  // guards
  SICK_RATIO("kvm.ha.accepted.problematic.hosts.ratio", Kind.SHARE, "0.3", Scope.PARTITION, "the share of sick hosts, in the cluster and in each zone and partition, above which no host is recovered or fenced; one is always accepted");

  private enum Kind {
    FLAG,
    COUNT,
    TIME,
    TIME_OR_NEVER,
    SHARE,
    TEXT,
    WORDS,
    RESTART,
    STOP
  }

  /// The value by which a provider does itself what else the fencer does.
  public static final String BY_PROVIDER = "PROVIDER";

  private static final long MOST = 1_000_000;
  private static final int PER_MILLE = 1000;

  private final String text;
  private final Kind kind;
  private final String defaultValue;
  private final Scope narrowest;
  private final String effect;
  private final List<String> aliases;

  Setting(
      String text,
      Kind kind,
      String defaultValue,
      Scope narrowest,
      String effect,
      String... aliases) {
    this.text = text;
    this.kind = kind;
    this.defaultValue = defaultValue;
    this.narrowest = narrowest;
    this.effect = effect;
    this.aliases = List.of(aliases);
  }

  /// As it is called in a configuration.
  public String text() {
    return text;
  }

  /// What else it is understood by.
  public List<String> aliases() {
    return aliases;
  }

  public String defaultValue() {
    return defaultValue;
  }

  public Scope narrowest() {
    return narrowest;
  }

  /// What it does, in one line.
  public String effect() {
    return effect;
  }

  /// What it takes, for people.
  public String takes() {
    return switch (kind) {
      case FLAG -> "true or false";
      case COUNT -> "a number from 1";
      case TIME -> "seconds, above 0";
      case TIME_OR_NEVER -> "seconds";
      case SHARE -> "a share from 0 to 1";
      case TEXT -> "a name";
      case WORDS -> "names with commas between";
      case RESTART -> "CYCLE, RESET or PROVIDER";
      case STOP -> "OFF or PROVIDER";
    };
  }

  /// The setting of a name or alias, null if there is none.
  public static @Nullable Setting of(String name) {
    for (var setting : values()) {
      if (setting.text.equals(name) || setting.aliases.contains(name)) {
        return setting;
      }
    }
    return null;
  }

  /// What a text stands for: milliseconds, a count, thousandths, 0 or 1; null if the text is none of
  /// the setting's values. Texts stand for 0.
  @Nullable Long read(String value) {
    return switch (kind) {
      case FLAG -> {
        var flag = Bool.parse(value);
        yield flag == null ? null : Long.valueOf(flag ? 1 : 0);
      }
      case COUNT -> {
        var count = Numbers.isNumber(value) ? Numbers.parse(value, 0) : 0;
        yield count < 1 || count > MOST ? null : Long.valueOf(count);
      }
      case TIME, TIME_OR_NEVER -> {
        var ms = Interval.read(value);
        yield ms != null && (ms > 0 || kind == Kind.TIME_OR_NEVER) ? ms : null;
      }
      case SHARE -> share(value);
      case TEXT, WORDS -> Long.valueOf(0);
      case RESTART -> value.matches("CYCLE|RESET|" + BY_PROVIDER) ? Long.valueOf(0) : null;
      case STOP -> value.matches("OFF|" + BY_PROVIDER) ? Long.valueOf(0) : null;
    };
  }

  private static @Nullable Long share(String value) {
    if (!value.matches("[01](\\.\\d{1,3}0*)?")) {
      return null;
    }
    var share = Math.round(Double.parseDouble(value) * PER_MILLE);
    return share > PER_MILLE ? null : Long.valueOf(share);
  }
}
