package org.systole.scheduler.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SecondsTest {
  @Test
  void secondsAreRoundedButNeverToNothing() {
    assertEquals(0, Seconds.of(0));
    assertEquals(1, Seconds.of(1));
    assertEquals(1, Seconds.of(1_499));
    assertEquals(2, Seconds.of(1_500));
  }
}
