package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.Log;

final class KernelWatchdogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Log NOWHERE = (_, _) -> {};

  @TempDir private Path directory;

  private final KernelWatchdog watchdog = new KernelWatchdog(NOWHERE, false);

  private Path device() throws IOException {
    return Files.write(directory.resolve("device"), new byte[0]);
  }

  @Test
  void aDeviceThatIsNotThereIsNamed() {
    var why = watchdog.arm(directory.resolve("none").toString(), TIMEOUT);
    assertTrue(why != null && why.contains("none is not there"), why);
  }

  @Test
  void whatCannotBeOpenedIsNamed() {
    var why = watchdog.arm(directory.toString(), TIMEOUT);
    assertTrue(why != null && why.startsWith("cannot open"), why);
  }

  @Test
  void whatIsNoWatchdogIsRefused() {
    assertNotNull(watchdog.arm("/dev/zero", TIMEOUT), "its time cannot be set");
  }

  @Test
  void eachFeedingIsSeenAndTheFarewellToo() throws IOException {
    var device = device();
    assertNull(watchdog.arm(device.toString(), TIMEOUT));
    assertArrayEquals(new byte[] {0}, Files.readAllBytes(device));
    Files.setLastModifiedTime(device, FileTime.fromMillis(0));
    assertNull(watchdog.feed());
    assertTrue(Files.getLastModifiedTime(device).toMillis() > 0);
    watchdog.reset(SbdSettings.Action.REBOOT);
    assertArrayEquals(new byte[] {0}, Files.readAllBytes(device), "its keeper sees to it");
    assertNull(watchdog.disarm());
    assertArrayEquals(new byte[] {'V'}, Files.readAllBytes(device));
    assertNull(watchdog.disarm(), "once is enough");
  }
}
