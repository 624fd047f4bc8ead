package org.systole.common.real;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.Log;

/// What is said to a watchdog's driver, and what is made of its answers. The driver is played here:
/// it knows the controls of `linux/watchdog.h` as drivers have them.
final class WatchdogControlsTest {
  private static final String DEVICE = "/dev/null"; // it is there, and no plain file
  private static final int SETS_TIMEOUT = 0x0080;
  private static final int CLOSES_ARMED = 0x0100;
  private static final int KEEPS_ALIVE = 0x8000;

  /// A driver that counts in steps, from a least to a most.
  private static final class Driver implements DeviceFile {
    private final List<String> done = new ArrayList<>();
    private int options = SETS_TIMEOUT | CLOSES_ARMED | KEEPS_ALIVE;
    private int least = 1;
    private int most = 600;
    private int step = 1;
    private int seconds = 60;
    private boolean tellsTimeout = true;
    private boolean takesFood = true;

    @Override
    public int control(long request, MemorySegment argument) {
      switch (Long.toHexString(request)) {
        case "c0045706" -> {
          var wanted = argument.get(JAVA_INT, 0);
          if (wanted < least || wanted > most) {
            return -1; // EINVAL
          }
          seconds = (wanted + step - 1) / step * step;
          argument.set(JAVA_INT, 0, seconds);
          done.add("timeout " + seconds);
        }
        case "80045707" -> {
          if (!tellsTimeout) {
            return -1;
          }
          argument.set(JAVA_INT, 0, seconds);
        }
        case "80285700" -> argument.set(JAVA_INT, 0, options);
        case "80045704" -> done.add("options " + argument.get(JAVA_INT, 0));
        default -> throw new AssertionError("no control of a watchdog: " + request);
      }
      return 0;
    }

    @Override
    public long write(MemorySegment from) {
      assertEquals(1, from.byteSize());
      done.add(from.get(JAVA_BYTE, 0) == 'V' ? "farewell" : "food");
      return takesFood ? 1 : -1;
    }

    @Override
    public long writeAt(long position, MemorySegment from) {
      throw new AssertionError("a device knows no position");
    }

    @Override
    public void close() {
      done.add("close");
    }
  }

  private final Driver driver = new Driver();
  private final List<String> warnings = new ArrayList<>();
  private final Log log = (_, line) -> warnings.add(line);
  private final KernelWatchdog watchdog = new KernelWatchdog(log, false, _ -> driver);

  private @Nullable String arm(int seconds) {
    return watchdog.arm(DEVICE, Duration.ofSeconds(seconds));
  }

  @Test
  void itIsSetFedAndDisarmedInThisOrder() {
    assertNull(arm(5));
    assertNull(watchdog.feed());
    assertNull(watchdog.disarm());

    assertEquals(
        List.of("timeout 5", "food", "food", "options 1", "farewell", "close"), driver.done);
    assertEquals(List.of(), warnings);
  }

  @Test
  void oneThatAnotherProgramHoldsIsRefusedAndSaysHowToFindThat() {
    var held = new KernelWatchdog(log, false, _ -> null);
    var why = armingFails(held.arm(DEVICE, Duration.ofSeconds(5)));

    assertTrue(why.contains("is another program holding it? (fuser -v /dev/null)"), why);
  }

  @Test
  void aTimeThatTheHardwareCannotDoIsRefusedAndItIsLeftDisarmed() {
    driver.least = 30;
    assertEquals("/dev/null cannot be set to 5 s (SBD_WATCHDOG_TIMEOUT)", arm(5));
    assertEquals(List.of("options 1", "farewell", "close"), driver.done);
  }

  @Test
  void aLongerTimeThanTheOthersCountOnIsRefusedAndNamed() {
    driver.step = 64;
    assertEquals(
        "/dev/null resets after 64 s, not after the 5 s asked for: set SBD_WATCHDOG_TIMEOUT=64",
        arm(5));
    assertEquals(List.of("timeout 64", "options 1", "farewell", "close"), driver.done);
    driver.done.clear();
    assertNull(arm(64));
  }

  @Test
  void aDriverThatDoesNotTellItsTimeIsTakenAtItsWord() {
    driver.tellsTimeout = false;
    assertNull(arm(5));
  }

  @Test
  void oneThatStopsCountingWhenItsKeeperIsKilledIsWarnedOf() {
    driver.options = SETS_TIMEOUT | KEEPS_ALIVE;
    assertNull(arm(5));
    assertEquals(1, warnings.size());
    assertTrue(warnings.getFirst().contains("(magic close)"), warnings.toString());
  }

  @Test
  void oneThatTakesNoFoodIsNotHeldForArmed() {
    driver.takesFood = false;
    assertEquals("the watchdog takes no food", arm(5));
  }

  @Test
  void aResetIsTheShortestTimeThereIs() {
    assertNull(arm(5));
    driver.done.clear();
    watchdog.reset(SbdSettings.Action.REBOOT);
    assertEquals(List.of("timeout 1"), driver.done);
  }

  private static String armingFails(@Nullable String why) {
    if (why == null) {
      throw new AssertionError("it is armed");
    }
    return why;
  }
}
