package org.systole.common.sbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SbdSettingsTest {
  private static SbdSettings.Read read(String text) {
    return SbdSettings.of(SbdSettings.variables(text));
  }

  @Test
  void aHostThatSaysNothingHasNoWatchdog() {
    assertFalse(read("").settings().isWanted());
    assertFalse(read("SBD_WATCHDOG_TIMEOUT=5\nSBD_PACEMAKER=yes").settings().isWanted());
    assertEquals(List.of(), read("SBD_WATCHDOG_TIMEOUT=5\nSBD_PACEMAKER=yes").warnings());
  }

  @Test
  void theFileOfAPackageIsUnderstood() {
    var read =
        read(
            """
            ## Type: string
            #SBD_DEVICE=""
            SBD_PACEMAKER=yes
            SBD_STARTMODE=always
            SBD_DELAY_START=no
            SBD_WATCHDOG_DEV=/dev/watchdog
              export SBD_WATCHDOG_TIMEOUT="8"   # seconds
            SBD_TIMEOUT_ACTION=flush,off
            SBD_OPTS=
            """);
    assertEquals(List.of(), read.warnings());
    var settings = read.settings();
    assertEquals("/dev/watchdog", settings.device());
    assertEquals(Duration.ofSeconds(8), settings.timeout());
    assertEquals(Duration.ZERO, settings.delayOf(Duration.ofSeconds(9)));
    assertEquals(SbdSettings.Action.OFF, settings.action());
    assertFalse(settings.cleanStart());
  }

  @Test
  void disksBringTheUsualWatchdogWithThem() {
    var read = read("SBD_DEVICE=\"/dev/a; /dev/b ;/dev/a;\"\nSBD_OPTS='-W -n alpha'");
    assertEquals(List.of("/dev/a", "/dev/b"), read.settings().disks());
    assertEquals(SbdSettings.DEFAULT_DEVICE, read.settings().device());
    assertEquals("alpha", read.settings().name());
    assertEquals(List.of(), read.warnings());
    var four = read("SBD_DEVICE='/a;/b;/c;/d'");
    assertEquals(List.of("/a", "/b", "/c"), four.settings().disks());
    assertEquals(1, four.warnings().size());
  }

  @Test
  void whoSwitchesItOffHasNoneAndIsTold() {
    for (var line : List.of("SBD_WATCHDOG=no", "SBD_PACEMAKER=off", "SBD_WATCHDOG_DEV=/dev/null")) {
      var read = SbdSettings.of(SbdSettings.variables("SBD_WATCHDOG_DEV=/dev/w\n" + line));
      assertFalse(read.settings().isWanted(), line);
      assertEquals(1, read.warnings().size(), line);
    }
  }

  @Test
  void whatHasNoEffectIsNamed() {
    var read =
        read("SBD_PIDFILE=/run/sbd.pid\nSBD_NEW=1\nSBD_OPTS='-z'\nSBD_SYNC_RESOURCE_STARTUP=no");
    assertEquals(4, read.warnings().size(), read.warnings()::toString);
  }

  @Test
  void timesThatAreNoneAreReplacedAndNamed() {
    for (var text : List.of("0", "-3", "soon", "500ms")) {
      var read = SbdSettings.of(Map.of("SBD_WATCHDOG_DEV", "/w", "SBD_WATCHDOG_TIMEOUT", text));
      assertEquals(SbdSettings.DEFAULT_TIMEOUT, read.settings().timeout(), text);
      assertEquals(1, read.warnings().size(), text);
    }
    assertTrue(read("SBD_DELAY_START=often").warnings().getFirst().contains("often"));
  }

  @Test
  void aDelayThatIsAskedForIsTheDisksOrTwiceTheWatchdogs() {
    var settings = read("SBD_WATCHDOG_DEV=/w\nSBD_DELAY_START=yes").settings();
    assertNull(settings.delay());
    assertEquals(Duration.ofSeconds(10), settings.delayOf(null));
    assertEquals(Duration.ofSeconds(17), settings.delayOf(Duration.ofSeconds(17)));
    var own = read("SBD_WATCHDOG_DEV=/w\nSBD_DELAY_START=30").settings();
    assertEquals(Duration.ofSeconds(30), own.delayOf(null));
  }
}
