package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.logging.DatagramSocketFile;

/// What the machine's service manager is told, and what the kernel is asked for.
final class ServiceManagerTest {
  @TempDir private Path dir;

  @Test
  void itHearsWhatItIsTold() {
    var path = dir.resolve("notify");
    try (var socket = DatagramSocketFile.bind(path)) {
      assertNull(new ServiceManager(path.toString()).tell("READY=1\nSTATUS=Running"));
      assertEquals("READY=1\nSTATUS=Running", socket.receive());
    }
  }

  @Test
  void whereNobodyAsksNobodyIsTold() {
    assertNull(new ServiceManager(null).tell("READY=1"));
  }

  @Test
  void aSocketThatIsNoneIsAProblemAndNotTheEnd() {
    for (var path : new String[] {"", "x", dir.resolve("gone").toString(), "/" + "y".repeat(200)}) {
      assertNotNull(new ServiceManager(path).tell("READY=1"), path);
    }
  }

  @Test
  void memoryIsLockedAsItIsUsed() throws Throwable {
    assumeTrue(LockedMemory.isUnlimited(), "locked memory has a limit here");
    assertTrue(LockedMemory.lock());
    try {
      assertTrue(locked() > 0);
    } finally {
      var type = FunctionDescriptor.of(ValueLayout.JAVA_INT);
      var _ = (int) Native.function("munlockall", type).invokeExact();
    }
  }

  private static long locked() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(it -> it.startsWith("VmLck:"))
          .mapToLong(it -> Long.parseLong(it.replaceAll("[^0-9]", "")))
          .findFirst()
          .orElse(0);
    }
  }
}
