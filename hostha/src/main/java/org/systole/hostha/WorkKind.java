package org.systole.hostha;

import java.util.Locale;
import org.systole.hostha.config.Setting;

/// The kinds of work, each with a queue and limits of its own. Recovery and fencing survive a change
/// of the DC, as the states of their hosts do.
public enum WorkKind {
  ELIGIBILITY(Setting.ELIGIBILITY_PENDING, Setting.ELIGIBILITY_CONCURRENT, Setting.ELIGIBILITY_TIMEOUT),
  HEALTH(Setting.HEALTH_PENDING, Setting.HEALTH_CONCURRENT, Setting.HEALTH_TIMEOUT),
  ACTIVITY(Setting.ACTIVITY_PENDING, Setting.ACTIVITY_CONCURRENT, Setting.ACTIVITY_TIMEOUT),
  RECOVERY(Setting.RECOVERY_PENDING, Setting.RECOVERY_CONCURRENT, Setting.RECOVERY_TIMEOUT),
  FENCE(Setting.FENCE_PENDING, Setting.FENCE_CONCURRENT, Setting.FENCE_TIMEOUT),
  POWER(Setting.POWER_PENDING, Setting.POWER_CONCURRENT, Setting.POWER_TIMEOUT);

  private final Setting pending;
  private final Setting concurrent;
  private final Setting timeout;

  WorkKind(Setting pending, Setting concurrent, Setting timeout) {
    this.pending = pending;
    this.concurrent = concurrent;
    this.timeout = timeout;
  }

  /// How many hosts can wait.
  public Setting pending() {
    return pending;
  }

  /// How many are worked on at a time.
  public Setting concurrent() {
    return concurrent;
  }

  /// How long the work for one host can take.
  public Setting timeout() {
    return timeout;
  }

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
