package org.systole.hostha;

import org.jspecify.annotations.Nullable;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.Deed;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;
import org.systole.hostha.fsm.Transitions;

/// Takes hosts from state to state, by [Transitions], and keeps what goes with a state: counts,
/// timers, the record.
final class Lives {
  private final Desk desk;
  private final Guards guards;
  private final Records records;
  private boolean many;

  Lives(Desk desk, Guards guards, Records records) {
    this.desk = desk;
    this.guards = guards;
    this.records = records;
  }

  void offer(Host host, HostEvent event, String why) {
    var step = Transitions.TABLE.step(host.state, event);
    if (step.ignored() != null) {
      return;
    }
    if (step.next() != host.state) {
      move(host, step.next(), event, why);
    } else if (event == HostEvent.HEALTH_CHECK_PASSED && !host.confirmed) {
      recount(host, () -> host.confirmed = true);
    }
    if (step.telling() != null) {
      desk.tell(host, step.telling().alert(), step.telling().about(host.name.text()));
    }
    step.deeds().forEach(deed -> carryOut(host, deed));
    arm(host);
    records.keep(host);
    settle(host);
  }

  private void move(Host host, HostState next, HostEvent event, String why) {
    var before = host.state;
    var wasDoubted = host.isDoubted();
    recount(
        host,
        () -> {
          host.state = next;
          host.confirmed = event == HostEvent.HEALTH_CHECK_PASSED;
        });
    host.stay++;
    host.since = desk.now;
    if (!wasDoubted) {
      host.doubtedSince = desk.now;
    }
    if (!host.isDoubted()) {
      host.alive = false;
      host.saidOff = -1;
    }
    if (next != HostState.CHECKING || !why.isEmpty()) {
      host.reason = why; // why it is being looked at is why it is suspect
    }
    for (var kind : WorkKind.values()) {
      desk.queue(kind).remove(host);
    }
    if (host.powerWork != null && !host.powerWork.ordered) {
      desk.end(host.powerWork); // it waited for its record: nothing was ordered
      host.attempts -= host.powerWork.kind == WorkKind.RECOVERY ? 1 : 0;
      host.powerWork = null;
    }
    host.begun = false;
    host.ordered = false;
    host.notBefore = 0;
    if (!next.isDurable()) {
      host.fenceReason = null;
    }
    if (event != HostEvent.FORCE_RECOVERY && event != HostEvent.FORCE_FENCING) {
      host.forced = false;
    }
    if (!isInvestigated(next)) {
      host.holds = 0;
    }
    host.regretted = false;
    host.fencings = 0;
    desk.order(new Order.Moved(host.name, before, next, event, why));
  }

  private static boolean isInvestigated(HostState state) {
    return state == HostState.SUSPECT
        || state == HostState.CHECKING
        || state == HostState.RECOVERING;
  }

  /// Changes what a host is counted by.
  void recount(Host host, Runnable change) {
    var before = host.isNeighbourly();
    host.domains.forEach(it -> it.count(host, false));
    change.run();
    host.domains.forEach(it -> it.count(host, true));
    guards.counted(host.domains);
    if (before != host.isNeighbourly()) {
      neighboursChanged(host.neighbourhood(), host);
    }
  }

  /// Where only one or two neighbours are left, or are there again, hosts become eligible or not.
  private void neighboursChanged(Domain domain, Host about) {
    if (many || domain.neighbourly() > 2) {
      return;
    }
    for (var host : domain.members.values()) {
      if (host != about) {
        desk.timers.at(desk.now, () -> neighbourChanged(host));
      }
    }
  }

  /// Its neighbours, or its settings, are others than before.
  void neighbourChanged(Host host) {
    settle(host);
    if (host.state == HostState.INELIGIBLE && host.ineligibleWhy() == null) {
      want(host, WorkKind.ELIGIBILITY);
    }
  }

  private void carryOut(Host host, Deed deed) {
    switch (deed) {
      case CHECK_ELIGIBILITY -> want(host, WorkKind.ELIGIBILITY);
      case CHECK_HEALTH -> want(host, WorkKind.HEALTH);
      case CHECK_POWER -> {
        if (host.values.ms(Setting.POWER_INTERVAL) > 0) {
          want(host, WorkKind.POWER);
        }
      }
      case INVESTIGATE -> host.investigation = new Investigation(desk.now);
      case CHECK_ACTIVITY -> want(host, WorkKind.ACTIVITY);
      case RECOVER, FENCE -> wantPower(host);
      case ENTER_MAINTENANCE -> host.maintenanceWish = true;
      case LEAVE_MAINTENANCE -> host.maintenanceWish = false;
      case RESET_ATTEMPTS -> host.attempts = 0;
    }
  }

  /// Asks at once for what may keep a host from being eligible.
  void findOutAnew(Host host) {
    carryOut(host, Deed.CHECK_ELIGIBILITY);
    carryOut(host, Deed.CHECK_POWER);
  }

  /// Queues a check; one that finds no room comes again with its timer.
  void want(Host host, WorkKind kind) {
    var busy =
        switch (kind) {
          case ELIGIBILITY -> host.eligibility != null;
          case HEALTH -> host.health != null;
          case POWER -> host.reading != null;
          case ACTIVITY -> host.isBeingLookedAt();
          case RECOVERY, FENCE -> true;
        };
    if (!busy && !desk.enqueue(kind, host)) {
      switch (kind) {
        case ELIGIBILITY -> host.eligibilityBase = desk.now;
        case HEALTH -> host.healthBase = desk.now;
        case POWER -> host.powerBase = desk.now;
        case ACTIVITY, RECOVERY, FENCE -> {}
      }
      armChecks(host);
    }
  }

  /// Queues the power operation that the host's state stands for, once it may begin.
  void wantPower(Host host) {
    var kind = host.state == HostState.FENCING ? WorkKind.FENCE : WorkKind.RECOVERY;
    if (host.powerWork != null || host.notBefore > desk.now) {
      return; // its end, or the timer, comes here again
    }
    if (!host.failing && host.wantsHealth(desk.now)) {
      want(host, WorkKind.HEALTH); // a new decider has seen nothing of it yet
    } else if (!desk.enqueue(kind, host)) {
      host.notBefore = desk.now + host.values.ms(Setting.RETRY_FIRST);
      arm(host);
    }
  }

  /// A host is no longer there.
  void remove(Host host) {
    for (var kind : WorkKind.values()) {
      desk.queue(kind).remove(host);
    }
    Desk.cancel(host.stateTimer);
    Desk.cancel(host.healthTimer);
    Desk.cancel(host.eligibilityTimer);
    Desk.cancel(host.powerTimer);
    Desk.cancel(host.writeTimer);
    host.stay++;
  }

  /// Something that is kept of a host is another one now.
  void recordChanged(Host host) {
    arm(host);
    records.keep(host);
  }

  /// Holds what was said of a host against its state.
  void reconsider(Host host) {
    if (!host.values.is(Setting.ENABLED)) {
      offer(host, HostEvent.DISABLED, "host HA is off");
      return;
    }
    if (host.state == HostState.DISABLED) {
      offer(host, HostEvent.ENABLED, "host HA is on");
      return;
    }
    settle(host);
  }

  /// Changes many hosts at once, and only then holds them against each other.
  void together(Runnable change) {
    many = true;
    change.run();
    many = false;
    desk.hosts.values().forEach(this::neighbourChanged);
  }

  private void settle(Host host) {
    if (many) {
      return;
    }
    var why = host.state.isManaged() ? host.ineligibleWhy() : null;
    if (why != null && mayLeave(host)) {
      offer(host, HostEvent.INELIGIBLE, why);
    }
  }

  /// A recovery under way passes through states in which its host is not eligible; only maintenance
  /// ends it.
  private static boolean mayLeave(Host host) {
    return switch (host.state) {
      case AVAILABLE, SUSPECT, CHECKING -> true;
      case DEGRADED -> host.isInMaintenance() || isOff(host);
      case RECOVERING -> !host.forced && (host.isInMaintenance() || !host.ordered && isOff(host));
      case RECOVERED -> host.isInMaintenance();
      case DISABLED, INELIGIBLE, FENCING, FENCED -> false;
    };
  }

  private static boolean isOff(Host host) {
    return host.powerRead && host.power == PowerState.OFF;
  }

  /// Sets all timers by the host's state and settings.
  void arm(Host host) {
    var due = stateDue(host);
    host.stateTimer =
        timer(host.stateTimer, due < 0 ? due : Math.max(due, desk.now), () -> stateIsDue(host));
    armChecks(host);
  }

  /// When something about the host's state is due; below zero for never.
  private static long stateDue(Host host) {
    var values = host.values;
    return switch (host.state) {
      case SUSPECT -> host.since + untilLook(host);
      case DEGRADED -> host.since + values.ms(Setting.DEGRADED_PERIOD);
      case RECOVERED ->
          host.since + Math.max(values.ms(Setting.RECOVERY_WAIT), values.ms(Setting.RECOVERY_MIN));
      case RECOVERING, FENCING ->
          host.powerWork == null && host.notBefore > 0 ? host.notBefore : -1;
      case DISABLED, AVAILABLE, INELIGIBLE, CHECKING, FENCED -> -1;
    };
  }

  private static long untilLook(Host host) {
    var values = host.values;
    var looks = host.investigation.looks();
    var longest = Math.min(values.ms(Setting.ACTIVITY_INTERVAL), values.ms(Setting.RETRY_MAX));
    var wait = values.delay(looks + 1, longest);
    return looks > 0 || host.holds == 0
        ? wait
        : Math.max(wait, values.delay(host.holds, values.ms(Setting.RETRY_MAX)));
  }

  /// Asks a host at once how it is. Its neighbours look in their own time: looks one behind the other say nothing of a
  /// host that writes now and then.
  void checkNow(Host host) {
    switch (host.state) {
      case INELIGIBLE -> want(host, WorkKind.ELIGIBILITY);
      case AVAILABLE, SUSPECT, DEGRADED, CHECKING, RECOVERING, RECOVERED, FENCING, FENCED ->
          want(host, WorkKind.HEALTH);
      case DISABLED -> {}
    }
  }

  private void stateIsDue(Host host) {
    switch (host.state) {
      case SUSPECT -> {
        if (desk.hasRoom(WorkKind.ACTIVITY)) {
          offer(host, HostEvent.PERFORM_ACTIVITY_CHECK, "");
        } else {
          desk.enqueue(WorkKind.ACTIVITY, host); // refused, and told
          host.stateTimer =
              desk.timers.at(
                  desk.now + host.values.ms(Setting.RETRY_FIRST), () -> stateIsDue(host));
        }
      }
      case DEGRADED ->
          offer(
              host,
              HostEvent.PERIODIC_RECHECK_RESOURCE_ACTIVITY,
              "degraded for " + host.values.ms(Setting.DEGRADED_PERIOD) / 1000 + " s");
      case RECOVERED ->
          offer(host, HostEvent.RECOVERY_WAIT_PERIOD_TIMEOUT, "it failed all health checks");
      case RECOVERING, FENCING -> {
        host.notBefore = 0;
        wantPower(host);
      }
      case DISABLED, AVAILABLE, INELIGIBLE, CHECKING, FENCED -> {}
    }
  }

  /// Sets the timers of the checks that come again and again.
  void armChecks(Host host) {
    var values = host.values;
    var health = host.state == HostState.RECOVERED || host.wantsHealth(desk.now);
    host.healthTimer =
        timer(
            host.healthTimer,
            host,
            WorkKind.HEALTH,
            health && host.health == null,
            Math.max(host.healthBase + values.ms(Setting.HEALTH_INTERVAL), host.believeFrom));
    host.eligibilityTimer =
        timer(
            host.eligibilityTimer,
            host,
            WorkKind.ELIGIBILITY,
            host.wantsEligibility() && host.eligibility == null,
            host.eligibilityBase + values.ms(Setting.ELIGIBILITY_INTERVAL));
    var interval = values.ms(Setting.POWER_INTERVAL);
    host.powerTimer =
        timer(
            host.powerTimer,
            host,
            WorkKind.POWER,
            host.state != HostState.DISABLED && interval > 0 && host.reading == null,
            host.powerRead ? host.powerBase + interval : host.powerBase);
  }

  private Timers.@Nullable Timer timer(
      Timers.@Nullable Timer before, Host host, WorkKind kind, boolean wanted, long due) {
    var on = wanted && !desk.queue(kind).contains(host);
    return timer(before, on ? Math.max(due, desk.now) : -1, () -> want(host, kind));
  }

  /// A timer in place of the one before.
  ///
  /// @param due below zero for none
  private Timers.@Nullable Timer timer(Timers.@Nullable Timer before, long due, Runnable what) {
    if (before != null && before.isFor(due)) {
      return before;
    }
    Desk.cancel(before);
    return due < 0 ? null : desk.timers.at(due, what);
  }
}
