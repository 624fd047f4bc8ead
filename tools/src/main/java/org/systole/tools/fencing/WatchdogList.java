package org.systole.tools.fencing;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The machine's watchdogs, as the kernel lists them. No device is opened: that would arm it.
final class WatchdogList {
  private static final Path CLASS = Path.of("/sys/class/watchdog");

  private record Found(Path device, String identity, String driver) {}

  private final PrintStream out;

  WatchdogList(PrintStream out) {
    this.out = out;
  }

  /// @return whether they could be listed
  boolean print() {
    var found = find();
    out.printf("%nDiscovered %d watchdog devices:%n", found.size());
    var number = 0;
    for (var it : found) {
      number++;
      out.printf(
          "%n[%d] %s%nIdentity: %s%nDriver: %s%n",
          number, it.device(), it.identity(), it.driver());
      if (it.driver().equals("softdog")) {
        out.println("CAUTION: Not recommended for use with sbd.");
      }
    }
    return true;
  }

  private static List<Found> find() {
    var all = new ArrayList<Found>();
    if (!Files.isDirectory(CLASS)) {
      return all;
    }
    try (var entries = Files.list(CLASS)) {
      for (var entry : entries.sorted().toList()) {
        var device = Path.of("/dev").resolve(entry.getFileName().toString());
        var identity = text(entry.resolve("identity"));
        var driver = driver(entry, identity);
        if (entry.getFileName().toString().equals("watchdog0")
            && Files.exists(Path.of("/dev/watchdog"))) {
          all.add(new Found(Path.of("/dev/watchdog"), identity, driver));
        }
        all.add(new Found(device, identity, driver));
      }
    } catch (IOException e) {
      return all; // a machine without watchdogs
    }
    return all;
  }

  private static String driver(Path entry, String identity) {
    try {
      return entry.resolve("device/driver").toRealPath().getFileName().toString();
    } catch (IOException e) {
      return identity.equals("Software Watchdog") ? "softdog" : "<unknown>";
    }
  }

  private static String text(Path file) {
    String text = null;
    try {
      text = Files.readString(file).strip();
    } catch (IOException e) {
      return "<unknown>";
    }
    return text.isEmpty() ? "<unknown>" : text;
  }
}
