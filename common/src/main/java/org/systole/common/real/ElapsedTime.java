package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/// Time that goes on while the machine is suspended, which the JVM's own does not.
///
/// The time since the machine was started, of which the system counts sleep too, is compared to the
/// JVM's from time to time; when it has gained on that, the machine has slept for the difference. A
/// virtual machine whose host stops it without a word has no clock that shows it.
///
/// Not safe for use by several threads.
final class ElapsedTime {
  private static final Path UPTIME = Path.of("/proc/uptime");
  private static final long EVERY = 50_000_000;
  private static final long UNIT = 10_000_000; // of the system's figure
  private static final long SLEEP_MIN = 5 * UNIT;
  private static final long UNKNOWN = -1;

  private final LongSupplier awake;
  private final LongSupplier sinceStart;
  private long ahead; // of the JVM's time; what is left after each sleep is rounding
  private long slept;
  private long checked;

  /// @param awake nanoseconds that stand still while the machine sleeps
  /// @param sinceStart nanoseconds that do not, [#UNKNOWN] if there are none
  ElapsedTime(LongSupplier awake, LongSupplier sinceStart) {
    this.awake = awake;
    this.sinceStart = sinceStart;
    this.checked = awake.getAsLong();
    this.ahead = sinceStart.getAsLong() - checked;
  }

  static ElapsedTime ofMachine() {
    return new ElapsedTime(System::nanoTime, ElapsedTime::uptime);
  }

  long nanos() {
    var now = awake.getAsLong();
    if (now - checked >= EVERY) {
      checked = now;
      var machine = sinceStart.getAsLong();
      var gained = machine - now - ahead;
      if (machine != UNKNOWN && gained > SLEEP_MIN) {
        slept += gained;
        ahead += gained;
      }
    }
    return now + slept;
  }

  /// The first figure of `/proc/uptime`: seconds with two decimals.
  private static long uptime() {
    try {
      var text = Files.readString(UPTIME);
      var seconds = text.substring(0, text.indexOf(' '));
      var point = seconds.indexOf('.');
      return Long.parseLong(seconds.substring(0, point)) * 1_000_000_000
          + Long.parseLong(seconds.substring(point + 1)) * UNIT;
    } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
      return UNKNOWN;
    }
  }
}
