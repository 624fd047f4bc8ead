package org.systole.cts.farm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.systole.common.world.World;

/// What happened on the hosts, a line each, in a file that others read meanwhile.
final class Deeds {
  private final World world;
  private final Path file;

  Deeds(World world, Path file) {
    this.world = world;
    this.file = file;
  }

  void note(String host, String resource, String what) {
    var line =
        String.format(Locale.ROOT, "%.6f %s %s %s%n", seconds(world.now()), host, resource, what);
    try {
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double seconds(Instant moment) {
    return moment.getEpochSecond() + moment.getNano() / 1e9;
  }

  /// @param moment seconds since the epoch; what was before is left out
  static List<HostFarm.Deed> since(Path file, double moment) throws IOException {
    var found = new ArrayList<HostFarm.Deed>();
    for (var line : Files.readAllLines(file)) {
      var words = line.split(" ");
      if (words.length == 4 && Double.parseDouble(words[0]) >= moment) {
        found.add(new HostFarm.Deed(Double.parseDouble(words[0]), words[1], words[2], words[3]));
      }
    }
    return found;
  }
}
