package org.systole.cts.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.systole.common.real.DeepStack;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;

/// Plans again and again from one parsed CIB, as the scheduler of a running cluster does, and
/// writes the median of the CPU seconds of a run to a file.
final class WarmScheduler {
  private static final long WARM_UP_NANOS = 1_500_000_000;
  private static final long BATCH_NANOS = 300_000_000;

  private WarmScheduler() {}

  /// @param args the CIB, the number of runs that count, the file for the result
  public static void main(String[] args) throws IOException, XmlException {
    var read = SchemaUpgrade.toCurrent(XmlReader.parse(Files.readAllBytes(Path.of(args[0]))));
    if (read == null) {
      throw new IllegalArgumentException(args[0] + " is of no known schema");
    }
    var now = Instant.ofEpochSecond(1_700_000_000);
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Runnable once =
        () -> DeepStack.call(() -> Scheduler.run(read.cib(), now, ZoneOffset.UTC, Set.of()));
    var batch = 1;
    for (var begun = machine.getProcessCpuTime();
        machine.getProcessCpuTime() - begun < WARM_UP_NANOS || batch < 3;
        batch++) {
      once.run();
    }
    // The clock is coarse: what is quick is measured many at a time.
    var size = (int) Math.max(1, batch * BATCH_NANOS / WARM_UP_NANOS);
    var seconds = new double[Integer.parseInt(args[1])];
    for (var sample = 0; sample < seconds.length; sample++) {
      var before = machine.getProcessCpuTime();
      for (var run = 0; run < size; run++) {
        once.run();
      }
      seconds[sample] = (machine.getProcessCpuTime() - before) / 1e9 / size;
    }
    Arrays.sort(seconds);
    Files.writeString(
        Path.of(args[2]), String.format(Locale.ROOT, "%.4f", seconds[seconds.length / 2]));
  }
}
