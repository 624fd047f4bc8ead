package org.systole.hostha.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The settings have the names and defaults that the specification gives them (B1.090 to B1.134), the other names it
/// uses among them.
final class SpecificationTest {
  @ParameterizedTest
  @CsvSource({
    "ha.max.pending.health.check.operations, 5000",
    "ha.max.concurrent.health.check.operations, 50",
    "ha.max.pending.activity.check.operations, 2500",
    "ha.max.concurrent.activity.check.operations, 25",
    "ha.max.pending.recovery.operations, 2500",
    "ha.max.concurrent.recovery.operations, 25",
    "ha.max.pending.fence.operations, 2500",
    "ha.max.concurrent.fence.operations, 25",
    "kvm.ha.activity.check.failure.ratio, 0.7",
    "kvm.ha.activity.check.max.attempts, 10",
    "kvm.ha.activity.check.interval, 60",
    "kvm.ha.max_activity_check_interval, 60",
    "kvm.ha.activity.check.timeout, 60",
    "kvm.ha.health.check.timeout, 10",
    "kvm.ha.degraded.max.period, 300",
    "kvm.ha.recover.wait.period, 600",
    "kvm.ha.recovery.wait_time, 600",
    "kvm.ha.recovery.timeout, 60",
    "kvm.ha.recover.timeout, 60",
    "kvm.ha.recover.failure.threshold, 1",
    "kvm.ha.recovery.restart_operation, CYCLE",
    "kvm.ha.fence.stop_operation, OFF",
    "kvm.ha.fence.timeout, 60",
    "kvm.ha.accepted.problematic.hosts.ratio, 0.3",
    "ha.enabled, false",
    "ha.retry.first.interval, 10",
    "ha.retry.max.interval, 250"
  })
  void namesAndDefaultsAreThoseOfTheSpecification(String name, String value) {
    var setting = Setting.of(name);
    assertNotNull(setting, name);
    assertEquals(value, setting.defaultValue(), name);
  }
}
