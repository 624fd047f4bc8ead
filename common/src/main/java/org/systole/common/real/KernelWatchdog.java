package org.systole.common.real;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.Log;
import org.systole.common.world.Watchdog;

/// A watchdog of the kernel, by its device. A plain file can stand for one, for tests: it is fed by
/// a byte at its beginning, and `V` there says that it is disarmed; a keeper outside looks at it.
///
/// All memory and code it needs to feed is there once the device is armed.
public final class KernelWatchdog implements Watchdog {
  private static final long GET_SUPPORT = 0x80285700L;
  private static final long SET_OPTIONS = 0x80045704L;
  private static final long SET_TIMEOUT = 0xC0045706L;
  private static final long GET_TIMEOUT = 0x80045707L;
  private static final int DISABLE = 1;
  private static final int CLOSES_ARMED = 0x0100; // WDIOF_MAGICCLOSE
  private static final long SUPPORT_SIZE = 40;
  private static final Path SYSTEM_REQUEST = Path.of("/proc/sysrq-trigger");
  private static final byte FOOD = 0;
  private static final byte FAREWELL = 'V';

  private final Log log;
  private final boolean wholeMachine;
  private final Function<String, @Nullable DeviceFile> opener;
  private final Arena arena = Arena.ofShared(); // as long as the process
  private final MemorySegment word = arena.allocate(SUPPORT_SIZE, Long.BYTES);
  private final MemorySegment mouthful = word.asSlice(0, 1);
  private @Nullable DeviceFile file;
  private boolean plain;

  /// @param wholeMachine whether this node is the machine, so that the kernel may be told to reset it
  public KernelWatchdog(Log log, boolean wholeMachine) {
    this(log, wholeMachine, KernelWatchdog::open);
  }

  /// @param opener opens a device, null if that cannot be
  KernelWatchdog(Log log, boolean wholeMachine, Function<String, @Nullable DeviceFile> opener) {
    this.log = log;
    this.wholeMachine = wholeMachine;
    this.opener = opener;
  }

  private static @Nullable DeviceFile open(String device) {
    var opened = NativeFile.open(device, NativeFile.WRITE_ONLY | NativeFile.NO_WAIT);
    return opened.isOpen() ? opened : null;
  }

  @Override
  public @Nullable String arm(String device, Duration timeout) {
    var path = Path.of(device);
    plain = Files.isRegularFile(path);
    if (!Files.exists(path)) {
      return device + " is not there: load the machine's watchdog driver, or softdog";
    }
    var opened = opener.apply(device);
    if (opened == null) {
      return "cannot open %s: is another program holding it? (fuser -v %s)".formatted(device, device);
    }
    file = opened;
    if (!plain) {
      var why = setTimeout(device, Math.toIntExact(timeout.toSeconds()));
      if (why != null) {
        disarm();
        return why;
      }
      if ((support() & CLOSES_ARMED) == 0) {
        log.warning(
            device
                + " does not say that it goes on counting when its keeper is killed (magic close)");
      }
    }
    return feed();
  }

  /// The device may count in other steps than seconds; what it really does is what counts.
  private @Nullable String setTimeout(String device, int seconds) {
    word.set(JAVA_INT, 0, seconds);
    if (control(SET_TIMEOUT) < 0) {
      return "%s cannot be set to %d s (SBD_WATCHDOG_TIMEOUT)".formatted(device, seconds);
    }
    word.set(JAVA_INT, 0, seconds);
    var told = control(GET_TIMEOUT) < 0 ? seconds : word.get(JAVA_INT, 0);
    return told <= seconds
        ? null
        : "%s resets after %d s, not after the %d s asked for: set SBD_WATCHDOG_TIMEOUT=%d"
            .formatted(device, told, seconds, told);
  }

  private int support() {
    word.fill((byte) 0);
    return control(GET_SUPPORT) < 0 ? 0 : word.get(JAVA_INT, 0);
  }

  @Override
  public @Nullable String feed() {
    return write(FOOD) ? null : "the watchdog takes no food";
  }

  @Override
  public @Nullable String disarm() {
    var armed = file;
    if (armed == null) {
      return null;
    }
    if (!plain) {
      word.set(JAVA_INT, 0, DISABLE);
      control(SET_OPTIONS); // not every driver has it; the farewell is what counts
    }
    var told = write(FAREWELL);
    armed.close();
    file = null;
    return told ? null : "the watchdog did not take its farewell";
  }

  @Override
  public void reset(SbdSettings.Action how) {
    if (plain || file == null) {
      return; // its keeper sees that it is not fed
    }
    word.set(JAVA_INT, 0, 1);
    control(SET_TIMEOUT);
    if (wholeMachine) {
      try {
        Files.writeString(SYSTEM_REQUEST, String.valueOf(how.key()));
      } catch (IOException e) {
        log.error("The kernel cannot be told to reset: " + e.getMessage());
      }
    }
  }

  private int control(long request) {
    return file == null ? -1 : file.control(request, word);
  }

  private boolean write(byte what) {
    word.set(JAVA_BYTE, 0, what);
    return file != null && (plain ? file.writeAt(0, mouthful) : file.write(mouthful)) == 1;
  }
}
