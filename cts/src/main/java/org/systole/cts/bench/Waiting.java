package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Waiting for what no event tells.
final class Waiting {
  private static final long LOOK_NANOS = 10_000_000;

  /// What is looked for; null until it is there.
  interface Look<T> {
    @Nullable T look() throws IOException;
  }

  interface Condition {
    boolean holds() throws IOException;
  }

  private Waiting() {}

  static <T> T look(Duration limit, String what, Look<T> look) throws IOException {
    var deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      var found = look.look();
      if (found != null) {
        return found;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("not seen within " + limit.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  static void until(Duration limit, String what, Condition condition) throws IOException {
    look(limit, what, () -> condition.holds() ? Boolean.TRUE : null);
  }

  static void seconds(double seconds) {
    var end = System.nanoTime() + (long) (seconds * 1e9);
    for (var left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
