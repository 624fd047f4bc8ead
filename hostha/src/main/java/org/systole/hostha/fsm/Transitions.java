package org.systole.hostha.fsm;

import static org.systole.hostha.fsm.Deed.CHECK_ACTIVITY;
import static org.systole.hostha.fsm.Deed.CHECK_ELIGIBILITY;
import static org.systole.hostha.fsm.Deed.CHECK_HEALTH;
import static org.systole.hostha.fsm.Deed.CHECK_POWER;
import static org.systole.hostha.fsm.Deed.ENTER_MAINTENANCE;
import static org.systole.hostha.fsm.Deed.FENCE;
import static org.systole.hostha.fsm.Deed.INVESTIGATE;
import static org.systole.hostha.fsm.Deed.LEAVE_MAINTENANCE;
import static org.systole.hostha.fsm.Deed.RECOVER;
import static org.systole.hostha.fsm.Deed.RESET_ATTEMPTS;
import static org.systole.hostha.fsm.HostState.AVAILABLE;
import static org.systole.hostha.fsm.HostState.CHECKING;
import static org.systole.hostha.fsm.HostState.DEGRADED;
import static org.systole.hostha.fsm.HostState.DISABLED;
import static org.systole.hostha.fsm.HostState.FENCED;
import static org.systole.hostha.fsm.HostState.FENCING;
import static org.systole.hostha.fsm.HostState.INELIGIBLE;
import static org.systole.hostha.fsm.HostState.RECOVERED;
import static org.systole.hostha.fsm.HostState.RECOVERING;
import static org.systole.hostha.fsm.HostState.SUSPECT;
import static org.systole.hostha.fsm.Telling.alert;
import static org.systole.hostha.fsm.Telling.event;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The whole life of a host as one table: event × state gives the next state, deeds and what people
/// are told.
///
/// Every cell is decided, and ignoring an event takes a reason; a new event or state does not start
/// until someone has decided about it in all combinations.
public final class Transitions {
  private static final Set<HostState> ALL = EnumSet.allOf(HostState.class);
  private static final String OFF = "host HA is off for it";
  private static final String NOT_NOW = "it is not looked after until it is eligible";
  private static final String BEFORE = "of an investigation that is over";
  private static final String NO_CYCLE = "no recovery is due";
  private static final String NO_FENCING = "no fencing is due";
  private static final String LOOKED_AT = "its neighbours find out whether it works";
  private static final String BEGUN = "a fencing that was begun is carried through";
  private static final String STAYS_FENCED = "it stays fenced until it answers or is cleared";
  private static final String IN_CYCLE = "a power cycle passes through this";
  private static final String PROOF = "only the answer to the fencing itself is proof";

  // spotless:off: one row per line reads as a table
  public static final Table TABLE =
      new Table.Builder()

          // on and off
          .row(HostEvent.ENABLED, in(DISABLED), AVAILABLE, CHECK_ELIGIBILITY, CHECK_HEALTH)
          .ignore(HostEvent.ENABLED, but(DISABLED), "on already")
          .row(HostEvent.DISABLED, but(DISABLED), DISABLED)
          .ignore(HostEvent.DISABLED, in(DISABLED), "off already")

          // eligible or not
          .row(HostEvent.ELIGIBLE, in(INELIGIBLE), AVAILABLE, event("Resource <id> has become eligible for HA operations."), CHECK_HEALTH)
          .ignore(HostEvent.ELIGIBLE, in(DISABLED), OFF)
          .ignore(HostEvent.ELIGIBLE, but(DISABLED, INELIGIBLE), "as before")
          .row(HostEvent.INELIGIBLE, in(AVAILABLE, SUSPECT, CHECKING, DEGRADED, RECOVERING, RECOVERED), INELIGIBLE, event("Resource <id> is not eligible for HA operations any more."))
          .ignore(HostEvent.INELIGIBLE, in(DISABLED), OFF)
          .ignore(HostEvent.INELIGIBLE, in(INELIGIBLE), "as before")
          .ignore(HostEvent.INELIGIBLE, in(FENCING), BEGUN + "; its maintenance is of our own making")
          .ignore(HostEvent.INELIGIBLE, in(FENCED), STAYS_FENCED)

          // health
          .stay(HostEvent.HEALTH_CHECK_PASSED, in(AVAILABLE), RESET_ATTEMPTS)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(SUSPECT, CHECKING), AVAILABLE, event("Reinitializing HA operations for suspect resource <id> passed a health check."), RESET_ATTEMPTS)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(DEGRADED), AVAILABLE, event("Degraded resource <id> passed a health check and is now available."), RESET_ATTEMPTS)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(RECOVERING), AVAILABLE, event("Resource <id> passed a health check before its recovery began."), RESET_ATTEMPTS)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(RECOVERED), AVAILABLE, event("Recovery of resource <id> completed."), RESET_ATTEMPTS)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(FENCING), INELIGIBLE, alert("Resource <id> passed a health check before its fencing began. It stays in maintenance until somebody takes it out."), RESET_ATTEMPTS, CHECK_ELIGIBILITY)
          .row(HostEvent.HEALTH_CHECK_PASSED, in(FENCED), INELIGIBLE, event("Fenced resource <id> passed a health check. It stays in maintenance until somebody takes it out."), RESET_ATTEMPTS, CHECK_ELIGIBILITY, CHECK_POWER)
          .ignore(HostEvent.HEALTH_CHECK_PASSED, in(DISABLED), OFF)
          .ignore(HostEvent.HEALTH_CHECK_PASSED, in(INELIGIBLE), NOT_NOW)
          .row(HostEvent.HEALTH_CHECK_FAILED, in(AVAILABLE), SUSPECT, event("Resource <id> failed its health check."), INVESTIGATE, CHECK_POWER)
          .stay(HostEvent.HEALTH_CHECK_FAILED, in(DEGRADED, FENCED))
          .stay(HostEvent.HEALTH_CHECK_FAILED, in(RECOVERING), RECOVER)
          .stay(HostEvent.HEALTH_CHECK_FAILED, in(FENCING), FENCE)
          .ignore(HostEvent.HEALTH_CHECK_FAILED, in(SUSPECT, CHECKING), "that is why it is looked at")
          .ignore(HostEvent.HEALTH_CHECK_FAILED, in(RECOVERED), "its time to come back is not over")
          .ignore(HostEvent.HEALTH_CHECK_FAILED, in(DISABLED), OFF)
          .ignore(HostEvent.HEALTH_CHECK_FAILED, in(INELIGIBLE), NOT_NOW)

          // signs of life
          .row(HostEvent.PERFORM_ACTIVITY_CHECK, in(SUSPECT), CHECKING, CHECK_ACTIVITY)
          .ignore(HostEvent.PERFORM_ACTIVITY_CHECK, but(SUSPECT), "it is not suspect any more")
          .row(HostEvent.TOO_FEW_ACTIVITY_CHECK_SAMPLES, in(CHECKING), SUSPECT)
          .ignore(HostEvent.TOO_FEW_ACTIVITY_CHECK_SAMPLES, but(CHECKING), BEFORE)
          .row(HostEvent.ACTIVITY_CHECK_FAILURE_UNDER_THRESHOLD_RATIO, in(CHECKING), DEGRADED, event("Resource <id> passed its activity check but is considered degraded."))
          .ignore(HostEvent.ACTIVITY_CHECK_FAILURE_UNDER_THRESHOLD_RATIO, but(CHECKING), BEFORE)
          .row(HostEvent.ACTIVITY_CHECK_FAILURE_OVER_THRESHOLD_RATIO, in(CHECKING), RECOVERING, alert("Resource <id> failed its activity check. Attempting to recover."), RECOVER)
          .ignore(HostEvent.ACTIVITY_CHECK_FAILURE_OVER_THRESHOLD_RATIO, but(CHECKING), BEFORE)
          .row(HostEvent.PERIODIC_RECHECK_RESOURCE_ACTIVITY, in(DEGRADED), SUSPECT, event("Re-executing activity check for degraded resource <id>."), INVESTIGATE, CHECK_POWER)
          .ignore(HostEvent.PERIODIC_RECHECK_RESOURCE_ACTIVITY, but(DEGRADED), "it is not degraded any more")

          .row(HostEvent.LOOK_FAILED, in(AVAILABLE), SUSPECT, event("Resource <id> could not check the activity of another resource."), INVESTIGATE, CHECK_HEALTH, CHECK_POWER)
          .ignore(HostEvent.LOOK_FAILED, but(AVAILABLE), "only an available host becomes suspect by that")

          // recovery
          .row(HostEvent.RECOVERED, in(RECOVERING), HostState.RECOVERED, event("Resource <id> was power-cycled and has some time to come back."))
          .ignore(HostEvent.RECOVERED, but(RECOVERING), NO_CYCLE)
          .stay(HostEvent.RETRY_RECOVERY, in(RECOVERING), RECOVER)
          .ignore(HostEvent.RETRY_RECOVERY, but(RECOVERING), NO_CYCLE)
          .row(HostEvent.RECOVERY_INTERRUPTED, in(RECOVERING), HostState.RECOVERED, event("The recovery of resource <id> was begun by a former DC: it is not begun again before it had its time to come back."))
          .ignore(HostEvent.RECOVERY_INTERRUPTED, but(RECOVERING), NO_CYCLE)
          .row(HostEvent.RECOVERY_WAIT_PERIOD_TIMEOUT, in(HostState.RECOVERED), SUSPECT, event("Resource <id> did not come back after its recovery."), INVESTIGATE, CHECK_POWER)
          .ignore(HostEvent.RECOVERY_WAIT_PERIOD_TIMEOUT, but(HostState.RECOVERED), "it is not waited for any more")
          .row(HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED, in(CHECKING, RECOVERING), FENCING, alert("Resource <id> cannot be recovered. It is put into maintenance and fenced."), ENTER_MAINTENANCE, FENCE)
          .ignore(HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED, in(SUSPECT), "its neighbours look first")
          .ignore(HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED, but(CHECKING, RECOVERING, SUSPECT), NO_CYCLE)
          .row(HostEvent.HELD_BACK, in(CHECKING, RECOVERING), SUSPECT, INVESTIGATE, CHECK_POWER)
          .ignore(HostEvent.HELD_BACK, in(FENCING), "its fencing stays due")
          .ignore(HostEvent.HELD_BACK, but(CHECKING, RECOVERING, FENCING), NO_CYCLE)

          // fencing
          .row(HostEvent.SHOWS_LIFE, in(FENCING), SUSPECT, alert("Resource <id> is not fenced: it shows life again. It is looked at anew."), LEAVE_MAINTENANCE, INVESTIGATE, CHECK_POWER)
          .ignore(HostEvent.SHOWS_LIFE, but(FENCING), NO_FENCING)
          .row(HostEvent.FENCED, in(FENCING), FENCED)
          .ignore(HostEvent.FENCED, but(FENCING), NO_FENCING)
          .stay(HostEvent.RETRY_FENCING, in(FENCING), FENCE)
          .ignore(HostEvent.RETRY_FENCING, but(FENCING), NO_FENCING)

          // power
          .row(HostEvent.POWER_OFF_CONFIRMED, in(AVAILABLE, SUSPECT, CHECKING, DEGRADED, RECOVERING), INELIGIBLE, event("Resource <id> is not eligible for HA operations any more: its power is off."))
          .ignore(HostEvent.POWER_OFF_CONFIRMED, in(HostState.RECOVERED), IN_CYCLE)
          .ignore(HostEvent.POWER_OFF_CONFIRMED, in(FENCING), PROOF)
          .ignore(HostEvent.POWER_OFF_CONFIRMED, in(FENCED, INELIGIBLE), "as before")
          .ignore(HostEvent.POWER_OFF_CONFIRMED, in(DISABLED), OFF)
          .row(HostEvent.POWER_UNKNOWN, in(AVAILABLE), INELIGIBLE, event("Resource <id> is not eligible for HA operations any more: its power state is unknown."))
          .ignore(HostEvent.POWER_UNKNOWN, in(SUSPECT, CHECKING), LOOKED_AT)
          .ignore(HostEvent.POWER_UNKNOWN, in(DEGRADED), "it works, whatever is known of its power")
          .ignore(HostEvent.POWER_UNKNOWN, in(RECOVERING, HostState.RECOVERED), IN_CYCLE)
          .ignore(HostEvent.POWER_UNKNOWN, in(FENCING), PROOF)
          .ignore(HostEvent.POWER_UNKNOWN, in(FENCED), STAYS_FENCED)
          .ignore(HostEvent.POWER_UNKNOWN, in(INELIGIBLE), "as before")
          .ignore(HostEvent.POWER_UNKNOWN, in(DISABLED), OFF)
          .stay(HostEvent.POWER_ON, in(INELIGIBLE), CHECK_ELIGIBILITY)
          .row(HostEvent.POWER_ON, in(AVAILABLE), INELIGIBLE, CHECK_ELIGIBILITY)
          .ignore(HostEvent.POWER_ON, in(SUSPECT, CHECKING), LOOKED_AT)
          .ignore(HostEvent.POWER_ON, in(DEGRADED), "that its power is known again mends nothing")
          .ignore(HostEvent.POWER_ON, in(RECOVERING, HostState.RECOVERED), IN_CYCLE)
          .ignore(HostEvent.POWER_ON, in(FENCING), PROOF)
          .row(HostEvent.POWER_ON, in(FENCED), FENCED, alert("Fenced resource <id> has power again."), CHECK_HEALTH)
          .ignore(HostEvent.POWER_ON, in(DISABLED), OFF)

          // a new decider
          .row(HostEvent.RESUMED, in(AVAILABLE, SUSPECT, CHECKING, DEGRADED, INELIGIBLE), INELIGIBLE, CHECK_ELIGIBILITY)
          .stay(HostEvent.RESUMED, in(HostState.RECOVERED, FENCED), CHECK_HEALTH)
          .stay(HostEvent.RESUMED, in(RECOVERING), RECOVER)
          .stay(HostEvent.RESUMED, in(FENCING), FENCE)
          .ignore(HostEvent.RESUMED, in(DISABLED), OFF)

          // people
          .row(HostEvent.FORCE_RECOVERY, in(AVAILABLE, INELIGIBLE, SUSPECT, CHECKING, DEGRADED, HostState.RECOVERED), RECOVERING, alert("Resource <id> is recovered because a person wants it."), RECOVER)
          .stay(HostEvent.FORCE_RECOVERY, in(RECOVERING), RECOVER)
          .ignore(HostEvent.FORCE_RECOVERY, in(FENCING), BEGUN)
          .ignore(HostEvent.FORCE_RECOVERY, in(FENCED), STAYS_FENCED)
          .ignore(HostEvent.FORCE_RECOVERY, in(DISABLED), OFF)
          .row(HostEvent.FORCE_FENCING, in(AVAILABLE, INELIGIBLE, SUSPECT, CHECKING, DEGRADED, RECOVERING, HostState.RECOVERED), FENCING, alert("Resource <id> is fenced because a person wants it."), ENTER_MAINTENANCE, FENCE)
          .stay(HostEvent.FORCE_FENCING, in(FENCING), FENCE)
          .ignore(HostEvent.FORCE_FENCING, in(FENCED), "it is fenced")
          .ignore(HostEvent.FORCE_FENCING, in(DISABLED), OFF)
          .row(HostEvent.CLEARED, in(FENCED), INELIGIBLE, event("Fenced resource <id> was cleared."), LEAVE_MAINTENANCE, RESET_ATTEMPTS, CHECK_ELIGIBILITY, CHECK_POWER)
          .row(HostEvent.CLEARED, in(INELIGIBLE), INELIGIBLE, event("Resource <id> was cleared."), LEAVE_MAINTENANCE, RESET_ATTEMPTS, CHECK_ELIGIBILITY)
          .row(HostEvent.CLEARED, in(DISABLED), DISABLED, event("Resource <id> was cleared."), LEAVE_MAINTENANCE, RESET_ATTEMPTS)
          .ignore(HostEvent.CLEARED, but(FENCED, INELIGIBLE, DISABLED), "it is not fenced")
          .build();

  // spotless:on

  private Transitions() {}

  /// What is said of why a host was fenced, told when that is proved.
  public static Telling fencedBecause(FenceReason reason) {
    return alert("Fenced resource <id> due to " + reason.text() + ".");
  }

  /// The events of a state that are not ignored, in their order.
  public static List<HostEvent> heeded(HostState state) {
    return List.of(HostEvent.values()).stream()
        .filter(event -> TABLE.step(state, event).ignored() == null)
        .toList();
  }

  private static Set<HostState> in(HostState first, HostState... rest) {
    return EnumSet.of(first, rest);
  }

  private static Set<HostState> but(HostState first, HostState... rest) {
    var all = EnumSet.copyOf(ALL);
    all.removeAll(EnumSet.of(first, rest));
    return all;
  }
}
