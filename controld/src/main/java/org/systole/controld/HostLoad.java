package org.systole.controld;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.systole.common.values.Numbers;

/// The load of the machine as the kernel counts it.
final class HostLoad implements Throttle.Load {
  private static final Path LOADAVG = Path.of("/proc/loadavg"); // never waits for a disk

  @Override
  public double average() {
    try {
      var text = Files.readString(LOADAVG);
      var number = Numbers.parseDouble(text.substring(0, Math.max(0, text.indexOf(' '))));
      return number == null ? 0 : number;
    } catch (IOException _) {
      return 0; // no such file here: taken for idle
    }
  }

  @Override
  public int cores() {
    return Runtime.getRuntime().availableProcessors();
  }
}
