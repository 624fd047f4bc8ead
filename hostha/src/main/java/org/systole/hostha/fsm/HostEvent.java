package org.systole.hostha.fsm;

/// Everything that can happen to a host. The first nineteen are those of the specification and its
/// first implementation; [Transitions] decides each in every state.
public enum HostEvent {
  ENABLED("Enabled", "host HA was switched on for it"),
  DISABLED("Disabled", "host HA was switched off for it"),
  ELIGIBLE("Eligible", "everything its recovery would take is there"),
  INELIGIBLE("Ineligible", "something its recovery would take is not there"),
  HEALTH_CHECK_PASSED("HealthCheckPassed", "it answers"),
  HEALTH_CHECK_FAILED("HealthCheckFailed", "it does not answer"),
  PERFORM_ACTIVITY_CHECK("PerformActivityCheck", "a neighbour can look now"),
  TOO_FEW_ACTIVITY_CHECK_SAMPLES(
      "TooFewActivityCheckSamples", "a neighbour has looked, and more looks are to come"),
  ACTIVITY_CHECK_FAILURE_UNDER_THRESHOLD_RATIO(
      "ActivityCheckFailureUnderThresholdRatio", "the last look, and there were signs of life"),
  ACTIVITY_CHECK_FAILURE_OVER_THRESHOLD_RATIO(
      "ActivityCheckFailureOverThresholdRatio", "the last look, and there were too few signs of life"),
  PERIODIC_RECHECK_RESOURCE_ACTIVITY(
      "PeriodicRecheckResourceActivity", "it was degraded for as long as that may be"),
  RECOVERED("Recovered", "its power was cycled"),
  RETRY_RECOVERY("RetryRecovery", "the power cycle failed, and may be tried again"),
  RECOVERY_WAIT_PERIOD_TIMEOUT(
      "RecoveryWaitPeriodTimeout", "it did not come back in the time it has after a power cycle"),
  RECOVERY_OPERATION_THRESHOLD_EXCEEDED(
      "RecoveryOperationThresholdExceeded", "it has had as many power cycles as it may have"),
  RETRY_FENCING("RetryFencing", "that its power is off was not proved"),
  FENCED("Fenced", "that its power is off is proved"),
  POWER_OFF_CONFIRMED("PowerOffConfirmed", "its power was found off"),
  POWER_ON("PowerCycle", "its power was found on after it was off or not known"),
  // ours
  LOOK_FAILED("LookFailed", "it was asked to look for another one's signs of life, and could not"),
  POWER_UNKNOWN("PowerUnknown", "the state of its power cannot be told any more"),
  SHOWS_LIFE("ShowsLife", "it is to be fenced, and a neighbour sees writes again"),
  HELD_BACK("HeldBack", "a guard or a person keeps it from being recovered"),
  RESUMED("Resumed", "a new decider found it in this state"),
  RECOVERY_INTERRUPTED(
      "RecoveryInterrupted", "a former decider began its power cycle, and what came of it is not known"),
  FORCE_RECOVERY("ForceRecovery", "a person wants it recovered"),
  FORCE_FENCING("ForceFencing", "a person wants it fenced"),
  CLEARED("Cleared", "a person has looked after it");

  private final String text;
  private final String meaning;

  HostEvent(String text, String meaning) {
    this.text = text;
    this.meaning = meaning;
  }

  /// As it is shown.
  public String text() {
    return text;
  }

  public String meaning() {
    return meaning;
  }
}
