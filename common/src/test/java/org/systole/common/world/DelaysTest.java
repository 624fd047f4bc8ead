package org.systole.common.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DelaysTest {
  @Test
  void anOrdinaryDelayIsItself() {
    assertEquals(1_500_000_000L, Delays.nanos(Duration.ofMillis(1_500)));
  }

  @Test
  void whatNoClockCanCountIsAHundredYears() {
    var century = Duration.ofDays(36_500).toNanos();

    assertEquals(century, Delays.nanos(Duration.ofMillis(Long.MAX_VALUE)));
    assertEquals(century, Delays.nanos(Duration.ofSeconds(Long.MAX_VALUE)));
    assertTrue(century + Duration.ofDays(20_000).toNanos() > 0, "a clock can be that far ahead");
  }

  @Test
  void whatIsOverIsNow() {
    assertEquals(0, Delays.nanos(Duration.ofSeconds(Long.MIN_VALUE)));
  }
}
