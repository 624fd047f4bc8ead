package org.systole.common.real;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Time that goes on while the machine is suspended, which the JVM's own does not.
///
/// The time since the machine was started, of which the system counts sleep too, is compared to the
/// JVM's from time to time; when it has gained on that, the machine has slept for the difference. A
/// virtual machine whose host stops it without a word has no clock that shows it.
///
/// Not safe for use by several threads.
final class ElapsedTime {
  private static final String UPTIME = "/proc/uptime";
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
    return new ElapsedTime(System::nanoTime, uptime());
  }

  static LongSupplier uptime() {
    return new Uptime();
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

  /// The first figure of `/proc/uptime`: seconds with two decimals. The file stays open: a node at
  /// rest reads it a dozen times a second, and to open it costs several times as much.
  private static final class Uptime implements LongSupplier {
    private final byte[] text = new byte[64];
    private @Nullable RandomAccessFile file;

    @Override
    public long getAsLong() {
      try {
        var open = file == null ? new RandomAccessFile(UPTIME, "r") : file;
        file = open;
        open.seek(0);
        var length = Math.max(0, open.read(text));
        return nanos(new String(text, 0, length, StandardCharsets.ISO_8859_1));
      } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
        return UNKNOWN;
      }
    }

    private static long nanos(String line) {
      var seconds = line.substring(0, line.indexOf(' '));
      var point = seconds.indexOf('.');
      return Long.parseLong(seconds.substring(0, point)) * 1_000_000_000
          + Long.parseLong(seconds.substring(point + 1)) * UNIT;
    }
  }
}
