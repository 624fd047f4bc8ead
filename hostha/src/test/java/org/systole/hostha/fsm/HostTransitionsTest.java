package org.systole.hostha.fsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class HostTransitionsTest {
  /// The rows of the specification's table.
  @Test
  void eachRowOfTheSpecificationIsThere() {
    row(HostState.AVAILABLE, HostEvent.HEALTH_CHECK_PASSED, HostState.AVAILABLE, null);
    row(
        HostState.AVAILABLE,
        HostEvent.HEALTH_CHECK_FAILED,
        HostState.SUSPECT,
        "Resource n1 failed its health check.");
    row(
        HostState.INELIGIBLE,
        HostEvent.ELIGIBLE,
        HostState.AVAILABLE,
        "Resource n1 has become eligible for HA operations.");
    row(
        HostState.CHECKING,
        HostEvent.ACTIVITY_CHECK_FAILURE_OVER_THRESHOLD_RATIO,
        HostState.RECOVERING,
        "Resource n1 failed its activity check. Attempting to recover.");
    row(
        HostState.CHECKING, HostEvent.TOO_FEW_ACTIVITY_CHECK_SAMPLES, HostState.SUSPECT, null);
    row(
        HostState.CHECKING,
        HostEvent.ACTIVITY_CHECK_FAILURE_UNDER_THRESHOLD_RATIO,
        HostState.DEGRADED,
        "Resource n1 passed its activity check but is considered degraded.");
    row(
        HostState.DEGRADED,
        HostEvent.HEALTH_CHECK_PASSED,
        HostState.AVAILABLE,
        "Degraded resource n1 passed a health check and is now available.");
    row(HostState.DEGRADED, HostEvent.HEALTH_CHECK_FAILED, HostState.DEGRADED, null);
    row(
        HostState.DEGRADED,
        HostEvent.PERIODIC_RECHECK_RESOURCE_ACTIVITY,
        HostState.SUSPECT,
        "Re-executing activity check for degraded resource n1.");
    row(HostState.FENCED, HostEvent.HEALTH_CHECK_FAILED, HostState.FENCED, null);
    row(
        HostState.SUSPECT,
        HostEvent.HEALTH_CHECK_PASSED,
        HostState.AVAILABLE,
        "Reinitializing HA operations for suspect resource n1 passed a health check.");
    row(
        HostState.RECOVERED,
        HostEvent.HEALTH_CHECK_PASSED,
        HostState.AVAILABLE,
        "Recovery of resource n1 completed.");
  }

  @Test
  void theRowsThatTheTableForgetsAreThere() {
    row(HostState.SUSPECT, HostEvent.PERFORM_ACTIVITY_CHECK, HostState.CHECKING, null);
    assertEquals(HostState.RECOVERED, next(HostState.RECOVERING, HostEvent.RECOVERED));
    assertEquals(HostState.FENCED, next(HostState.FENCING, HostEvent.FENCED));
  }

  /// From then on the cluster does what it does without host HA.
  @Test
  void peopleAreToldThatAHostIsNotEligibleAnyMore() {
    var told = "Resource n1 is not eligible for HA operations any more";
    row(HostState.AVAILABLE, HostEvent.INELIGIBLE, HostState.INELIGIBLE, told + ".");
    row(HostState.DEGRADED, HostEvent.POWER_OFF_CONFIRMED, HostState.INELIGIBLE, told + ": its power is off.");
    row(HostState.AVAILABLE, HostEvent.POWER_UNKNOWN, HostState.INELIGIBLE, told + ": its power state is unknown.");
  }

  @Test
  void aFencedHostIsFencedInTwoSteps() {
    for (var from : List.of(HostState.RECOVERING, HostState.CHECKING)) {
      var step = Transitions.TABLE.step(from, HostEvent.RECOVERY_OPERATION_THRESHOLD_EXCEEDED);
      assertEquals(HostState.FENCING, step.next());
      assertEquals(List.of(Deed.ENTER_MAINTENANCE, Deed.FENCE), step.deeds());
    }
    assertEquals(
        "Fenced resource n1 due to failure of recovery operation.",
        Transitions.fencedBecause(FenceReason.FAILED_RECOVERY).about("n1"));
    assertEquals(
        "Fenced resource n1 due to maximum number of recovery attempts exceeded.",
        Transitions.fencedBecause(FenceReason.TOO_MANY_ATTEMPTS).about("n1"));
  }

  @ParameterizedTest
  @EnumSource(HostState.class)
  void everyStateCanBeSwitchedOff(HostState state) {
    assertEquals(HostState.DISABLED, next(state, HostEvent.DISABLED));
  }

  @ParameterizedTest
  @EnumSource(HostEvent.class)
  void whereHostHaIsOffOnlySwitchingItOnCounts(HostEvent event) {
    var step = Transitions.TABLE.step(HostState.DISABLED, event);
    // a maintenance that host HA began can be ended
    var counts = event == HostEvent.ENABLED || event == HostEvent.CLEARED;
    assertEquals(counts, step.ignored() == null);
  }

  @ParameterizedTest
  @EnumSource(HostEvent.class)
  void onlyTheProofOrAnAnswerOrLifeOrAPersonEndsAFencing(HostEvent event) {
    var left = next(HostState.FENCING, event) != HostState.FENCING;
    var may =
        EnumSet.of(
                HostEvent.FENCED, HostEvent.HEALTH_CHECK_PASSED, HostEvent.SHOWS_LIFE, HostEvent.DISABLED)
            .contains(event);
    assertEquals(may, left);
  }

  @ParameterizedTest
  @EnumSource(HostState.class)
  void aHostIsHeldToBeFencedOnProofOnly(HostState state) {
    for (var event : HostEvent.values()) {
      if (state != HostState.FENCED && next(state, event) == HostState.FENCED) {
        assertEquals(HostEvent.FENCED, event);
        assertEquals(HostState.FENCING, state);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HostState.class,
      names = {"DEGRADED", "FENCED"})
  void degradedAndFencedDoNotDependOnWhatIsKnownOfPower(HostState state) {
    assertEquals(state, next(state, HostEvent.POWER_UNKNOWN));
    assertEquals(state, next(state, HostEvent.POWER_ON));
  }

  @Test
  void powerThatIsUnknownIsNotPowerThatIsOff() {
    for (var state : HostState.values()) {
      assertTrue(
          Transitions.TABLE.step(state, HostEvent.POWER_UNKNOWN).deeds().isEmpty(), state.name());
      assertTrue(
          next(state, HostEvent.POWER_UNKNOWN) == state
              || next(state, HostEvent.POWER_UNKNOWN) == HostState.INELIGIBLE);
    }
  }

  @Test
  void whatIsIgnoredHasAReason() {
    for (var state : HostState.values()) {
      for (var event : HostEvent.values()) {
        var step = Transitions.TABLE.step(state, event);
        if (step.ignored() != null) {
          assertEquals(state, step.next());
          assertTrue(step.deeds().isEmpty());
          assertNull(step.telling());
        }
      }
      assertTrue(Transitions.heeded(state).contains(HostEvent.DISABLED) == (state != HostState.DISABLED));
    }
  }

  @Test
  void aTableWithAGapIsRefused() {
    var builder =
        new Table.Builder()
            .ignore(HostEvent.ENABLED, EnumSet.allOf(HostState.class), "for the test");

    assertThrows(IllegalStateException.class, builder::build);
  }

  @Test
  void aCellThatIsDecidedTwiceIsRefused() {
    var builder = new Table.Builder().ignore(HostEvent.ENABLED, EnumSet.of(HostState.FENCED), "x");

    assertThrows(
        IllegalStateException.class,
        () -> builder.stay(HostEvent.ENABLED, EnumSet.of(HostState.FENCED)));
  }

  @Test
  void ignoringWithoutAReasonIsRefused() {
    var builder = new Table.Builder();

    assertThrows(
        IllegalArgumentException.class,
        () -> builder.ignore(HostEvent.ENABLED, EnumSet.of(HostState.FENCED), " "));
  }

  private static HostState next(HostState state, HostEvent event) {
    return Transitions.TABLE.step(state, event).next();
  }

  private static void row(HostState from, HostEvent event, HostState to, @Nullable String text) {
    var step = Transitions.TABLE.step(from, event);
    assertEquals(to, step.next());
    assertNull(step.ignored());
    if (text == null) {
      assertNull(step.telling());
    } else {
      assertNotNull(step.telling());
      assertEquals(text, step.telling().about("n1"));
      assertEquals(from == HostState.CHECKING && to == HostState.RECOVERING, step.telling().alert());
    }
  }
}
