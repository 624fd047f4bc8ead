package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.jgroups.util.LazyThreadFactory;
import org.jgroups.util.ThreadPool;
import org.junit.jupiter.api.Test;
import org.systole.pacemakerd.link.LinkTiming;

final class SharedTicksTest {
  private static final long SECOND = 1_000_000_000;

  /// With a heartbeat each third of a second, what has an interval of half a second goes along.
  @Test
  void allOfTheTransportsTasksShareTheHeartbeatsTicks() {
    var tick = SECOND / 3;
    var now = 7 * tick + 1_000;
    assertEquals(8 * tick, SharedTicks.due(now, tick, tick));
    assertEquals(8 * tick, SharedTicks.due(now, SECOND / 2, tick));
    assertEquals(13 * tick, SharedTicks.due(now, 2 * SECOND, tick));
  }

  @Test
  void noTaskIsEarlierThanByATickNorLate() {
    var random = new Random(1);
    for (var i = 0; i < 100_000; i++) {
      var now = random.nextLong(-SECOND * 1000, SECOND * 1000);
      var tick = random.nextLong(1, SECOND);
      var delay = random.nextLong(1, 5 * SECOND);
      var due = SharedTicks.due(now, delay, tick);
      assertTrue(due > now, "it is ahead");
      assertTrue(due <= now + delay, "it is not late");
      assertTrue(due > now + delay - tick, "it is at the last tick before it is late");
      assertEquals(delay < tick ? delay : 0, delay < tick ? due - now : Math.floorMod(due, tick));
    }
  }

  @Test
  void tasksOfSeveralIntervalsAreDueTogether() {
    for (var token : new long[] {1000, 1650, 3000, 10_000}) {
      var heartbeat = LinkTiming.ofToken(token).heartbeat().toMillis();
      var ticks = new SharedTicks(new ThreadPool(), new LazyThreadFactory("t", false, true), heartbeat);
      var tick = TimeUnit.MILLISECONDS.toNanos(heartbeat) / Math.ceilDiv(heartbeat, 350);
      for (var interval : new long[] {heartbeat, 500, 500, 1731}) {
        var task =
            (Delayed)
                ticks.scheduleWithFixedDelay(
                    () -> {}, interval, interval, TimeUnit.MILLISECONDS, false);
        var before = System.nanoTime();
        var due = task.getDelay(TimeUnit.NANOSECONDS) + before;
        var off = Math.floorMod(due, tick);
        assertTrue(
            Math.min(off, tick - off) < 100_000_000 / 3, // the clock goes on between the two looks at it
            "%d ms under a token of %d: %d ns off".formatted(interval, token, off));
      }
    }
  }

  @Test
  void whatIsDoneOnceIsDoneWhenItIsDue() {
    var ticks = new SharedTicks(new ThreadPool(), new LazyThreadFactory("t", false, true), 1000);
    var begun = System.nanoTime();
    var task = (Delayed) ticks.schedule(() -> {}, 10_001, TimeUnit.MILLISECONDS, false);
    var due = System.nanoTime() + task.getDelay(TimeUnit.NANOSECONDS);
    assertTrue(due >= begun + TimeUnit.MILLISECONDS.toNanos(10_001));
  }
}
