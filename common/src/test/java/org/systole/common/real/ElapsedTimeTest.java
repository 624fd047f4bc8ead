package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ElapsedTimeTest {
  private static final long SECOND = 1_000_000_000;

  private long awake = 7;
  private long machine = 1_000 * SECOND;
  private final ElapsedTime elapsed = new ElapsedTime(() -> awake, () -> machine);

  private void pass(long nanos) {
    awake += nanos;
    machine += nanos;
  }

  @Test
  void timeGoesOnWhileTheMachineSleeps() {
    var before = elapsed.nanos();
    pass(SECOND);
    assertEquals(SECOND, elapsed.nanos() - before);

    machine += 3_600 * SECOND; // asleep
    pass(SECOND);

    assertEquals(3_602 * SECOND, elapsed.nanos() - before);
    pass(SECOND);
    assertEquals(3_603 * SECOND, elapsed.nanos() - before, "an hour is counted once");
  }

  @Test
  void whatTheSystemRoundsIsNoSleep() {
    var before = elapsed.nanos();
    for (var i = 0; i < 1_000; i++) {
      pass(100_000_000);
      machine += i % 2 == 0 ? 10_000_000 : -10_000_000;
      elapsed.nanos();
    }
    assertEquals(100 * SECOND, elapsed.nanos() - before);
  }

  @Test
  void whereTheSystemDoesNotTellTimeIsTheJvms() {
    var before = elapsed.nanos();
    machine = -1;
    pass(SECOND);
    machine = -1;
    assertEquals(SECOND, elapsed.nanos() - before);
  }

  @Test
  void theMachinesOwnTimeRises() {
    var machines = ElapsedTime.ofMachine();
    var first = machines.nanos();
    assertTrue(machines.nanos() >= first);
  }

  @Test
  void theSystemsFigureIsReadAnewEachTime() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/proc/uptime")));
    var before = ElapsedTime.uptime();
    var figure = before.getAsLong();
    var text = Files.readString(Path.of("/proc/uptime"));
    var seconds = Double.parseDouble(text.substring(0, text.indexOf(' ')));
    assertTrue(Math.abs(seconds - figure / 1e9) < 60, figure + " and " + text);

    var deadline = System.nanoTime() + 60 * SECOND;
    while (before.getAsLong() <= figure) {
      assertTrue(System.nanoTime() < deadline, "it stands still");
    }
  }
}
