package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.systole.common.values.Numbers;
import org.systole.common.world.Load;

/// The load of the machine as the kernel counts it.
final class HostLoad {
  private static final Path LOADAVG = Path.of("/proc/loadavg"); // never waits for a disk

  private HostLoad() {}

  static Load now() {
    return new Load(average(), Runtime.getRuntime().availableProcessors());
  }

  private static double average() {
    try {
      var text = Files.readString(LOADAVG);
      var number = Numbers.parseDouble(text.substring(0, Math.max(0, text.indexOf(' '))));
      return number == null ? 0 : number;
    } catch (IOException _) {
      return 0; // no such file here: taken for idle
    }
  }
}
