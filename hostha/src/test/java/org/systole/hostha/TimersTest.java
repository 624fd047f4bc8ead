package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TimersTest {
  private record Asked(long due, int number) {}

  @Test
  void whatIsAskedForFiresInTheOrderOfItsTimeThenOfItsAsking() {
    for (var seed = 0; seed < 50; seed++) {
      var random = new Random(seed);
      var timers = new Timers();
      var left = new ArrayList<Asked>();
      var fired = new ArrayList<Asked>();
      var expected = new ArrayList<Asked>();
      var now = 0L;
      for (var at = 0; at < 400; at++) {
        // near, far beyond the ring, and overdue
        var spread = random.nextInt(4) == 0 ? 1_000_000 : 3000;
        var asked = new Asked(Math.max(0, now - 50 + random.nextInt(spread)), at);
        var timer = timers.at(asked.due(), () -> fired.add(asked));
        if (random.nextInt(4) == 0) {
          timer.cancel();
        } else {
          left.add(asked);
        }
        if (random.nextInt(3) == 0) {
          assertEquals(next(left), timers.next(), "seed " + seed);
          now += random.nextInt(random.nextInt(20) == 0 ? 500_000 : 500);
          while (timers.fire(now)) {}
          expected.addAll(due(left, now));
        }
        assertEquals(expected, fired, "seed " + seed);
      }
    }
  }

  private static long next(List<Asked> left) {
    return left.stream().mapToLong(Asked::due).min().orElse(Long.MAX_VALUE);
  }

  private static List<Asked> due(List<Asked> left, long now) {
    var due =
        left.stream()
            .filter(it -> it.due() <= now)
            .sorted(Comparator.comparingLong(Asked::due).thenComparingInt(Asked::number))
            .toList();
    left.removeAll(due);
    return due;
  }
}
