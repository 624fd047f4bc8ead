package org.systole.hostha;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Setting;
import org.systole.hostha.config.Values;
import org.systole.hostha.fsm.FenceReason;
import org.systole.hostha.fsm.HostState;

/// All that is known of a host. Others act on it.
final class Host {
  /// Clocks of two DCs that differ by less are taken for the same.
  static final long CLOCKS_DIFFER_MS = 5_000;

  /// A time long before any other.
  private static final long NEVER = Long.MIN_VALUE / 2;

  final NodeName name;
  HostEntry entry;
  Values values;

  /// What it is in: its neighbourhood first, the cluster last.
  List<Domain> domains = List.of();

  HostState state = HostState.DISABLED;
  long since;

  /// Since when it does not answer, through all looks.
  long doubtedSince;

  /// Rises with each change of its state: whoever began something before can tell.
  long stay;

  String reason = "";

  // what is known of it
  PowerState power = PowerState.UNKNOWN;
  boolean powerRead;

  /// A fence device said that its power is off, and it shows life: since when.
  long saidOff = -1;

  /// Whether its fence device was wrong in that, and people know it; until the device says something else.
  boolean saidOffTold;

  /// Whether the last look at it that could tell saw life.
  boolean alive;

  /// When a look at it last saw nothing; [#NEVER] if none has.
  long seenStill = NEVER;

  /// When the last reading of its power began.
  long powerReadFrom;

  boolean maintenance;

  /// Whether the cluster is connected to it, or means to be again.
  boolean connected = true;

  /// Why its provider does not want it; null if it does, or was not asked yet.
  @Nullable String unwanted;

  /// It has passed a health check since it came into its state.
  boolean confirmed;

  /// It has failed the last health check that this decider had made.
  boolean failing;

  /// Health checks begun before this are of the host as it was before its power cycle.
  long believeFrom;

  // investigation, recovery, fencing
  Investigation investigation = new Investigation(0);
  int attempts;
  int fencings;
  int holds;
  boolean begun;
  boolean ordered;
  boolean forced;

  /// A person who wanted it fenced has thought better of it.
  boolean regretted;

  long notBefore;
  @Nullable FenceReason fenceReason;
  @Nullable String held;
  @Nullable Work powerWork;

  // its record
  @Nullable HostRecord recorded;
  @Nullable Boolean maintenanceWish;

  /// The wish that the write carries which is under way.
  @Nullable Boolean wishUnderWay;

  long revision;
  boolean unwritten;

  /// Whether the CIB had another record while one was being written.
  boolean alteredMeanwhile;

  int refusedWrites;

  // timers
  long healthBase;
  long eligibilityBase;
  long powerBase;
  Timers.@Nullable Timer stateTimer;
  Timers.@Nullable Timer healthTimer;
  Timers.@Nullable Timer eligibilityTimer;
  Timers.@Nullable Timer powerTimer;
  Timers.@Nullable Timer writeTimer;
  @Nullable Work health;
  @Nullable Work eligibility;
  @Nullable Work reading;
  @Nullable Work look;

  Host(HostEntry entry, Values values) {
    this.name = entry.name();
    this.entry = entry;
    this.values = values;
  }

  /// Where its neighbours are.
  Domain neighbourhood() {
    return domains.getFirst();
  }

  Domain cluster() {
    return domains.getLast();
  }

  boolean isInMaintenance() {
    return maintenance || values.is(Setting.MAINTENANCE);
  }

  /// Whether it is held to be available, and was not heard yet.
  boolean isUnheard() {
    return state == HostState.AVAILABLE && !confirmed;
  }

  /// Whether it can be asked to look after another one.
  boolean isReady() {
    return state == HostState.AVAILABLE && confirmed;
  }

  /// Whether it can run something, as far as is known: it is available, or the cluster looks after it
  /// itself and is connected to it.
  boolean isAble() {
    return isReady()
        || state == HostState.INELIGIBLE
            && connected
            && !isInMaintenance()
            && (!powerRead || power == PowerState.ON);
  }

  /// Whether another one can count on being looked after by it, now or soon.
  boolean isNeighbourly() {
    return switch (state) {
      case DISABLED, FENCING, FENCED -> false;
      case AVAILABLE, INELIGIBLE, SUSPECT, DEGRADED, CHECKING, RECOVERING, RECOVERED ->
          !isInMaintenance() && (!powerRead || power != PowerState.OFF);
    };
  }

  /// Whether it does not answer, and nothing is done to it.
  boolean isDoubted() {
    return isInvestigated() || state == HostState.DEGRADED;
  }

  /// Whether its neighbours look after it: what counts then is since when it is suspect.
  boolean isInvestigated() {
    return state == HostState.SUSPECT || state == HostState.CHECKING;
  }

  boolean wantsHealth(long now) {
    return switch (state) {
      case AVAILABLE, SUSPECT, CHECKING, DEGRADED, FENCED -> true;
      case RECOVERED -> now >= believeFrom;
      case RECOVERING, FENCING -> !ordered && !forced;
      case DISABLED, INELIGIBLE -> false;
    };
  }

  boolean wantsEligibility() {
    return switch (state) {
      case AVAILABLE, INELIGIBLE -> true;
      case DISABLED, SUSPECT, CHECKING, DEGRADED, RECOVERING, RECOVERED, FENCING, FENCED -> false;
    };
  }

  /// Why it cannot be looked after now; null if it can.
  @Nullable String ineligibleWhy() {
    var leaves = state.isSick() && Boolean.FALSE.equals(maintenanceWish); // it was host HA's own, and its end is being written
    if (maintenance && !leaves) {
      return "it is in maintenance; if it was fenced, crm_hostha --clear %s ends that".formatted(name);
    }
    if (values.is(Setting.MAINTENANCE)) {
      return "its partition is in maintenance";
    }
    // one that is sick stays what it is: nobody could stop it in order
    if (!connected && !state.isSick()) {
      return "no member is connected to it";
    }
    if (hasNoNeighbour() && !isDoubted()) {
      return noNeighbour();
    }
    if (powerRead && power == PowerState.OFF && values.ms(Setting.POWER_INTERVAL) > 0) {
      return "its power is off";
    }
    // one that is sick may work all the same: its neighbours look first
    return isPowerUnknown() && !state.isSick() ? "its power state is unknown" : unwanted;
  }

  /// Whether no other host can look after it, now or soon.
  boolean hasNoNeighbour() {
    return neighbourhood().neighbourly() - (isNeighbourly() ? 1 : 0) < 1;
  }

  String noNeighbour() {
    return "it has no neighbour: no other host of %s can look".formatted(neighbourhood().name());
  }

  /// Whether what was seen of it is too old to have it fenced by: it may work again. What a person wants is done, whatever
  /// is seen.
  boolean isToBeLookedAt(long now) {
    if (state != HostState.FENCING || forced) {
      return false;
    }
    var unseen = regretted || fenceReason == FenceReason.A_PERSON; // a person wanted it, whatever was seen, and thought better
    var age = now - (unseen ? seenStill : Math.max(since, seenStill));
    return age < -CLOCKS_DIFFER_MS || age > values.ms(Setting.DEGRADED_PERIOD);
  }

  /// Whether a neighbour looks at it as it is now.
  boolean isBeingLookedAt() {
    return look != null && look.stay == stay;
  }

  /// Whether nobody can tell how its power is, and somebody should.
  boolean isPowerUnknown() {
    return powerRead && power == PowerState.UNKNOWN && values.ms(Setting.POWER_INTERVAL) > 0;
  }

  /// What has to survive of it; null for nothing.
  ///
  /// @param calendarAtZero the calendar's milliseconds at the decider's time zero
  @Nullable HostRecord toKeep(long calendarAtZero) {
    var doubted = isDoubted();
    if (!state.isDurable() && attempts == 0 && held == null && !doubted) {
      return null;
    }
    // looks come and go: one record for all of them
    var seconds = Math.floorDiv(calendarAtZero + (doubted ? doubtedSince : since), 1000L);
    return new HostRecord(
        name, doubted ? HostState.SUSPECT : state, seconds, attempts, begun, fenceReason, held, doubted && alive);
  }
}
