package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.world.Store;

/// Where in the cluster's history a manager of the CIB stands with what it writes, as it writes it along.
///
/// @param term of the takeover that its last change belongs to
/// @param index the number of that change
/// @param stray how many changes without quorum came after it
record SimRolesPlace(long term, long index, long stray) implements Comparable<SimRolesPlace> {
  static final SimRolesPlace NONE = new SimRolesPlace(0, 0, 0);
  private static final int IN_LOG = 4; // after the sum, the length, the base and the promise
  private static final int IN_META = 2; // after the word and the digest

  /// What a batch of steps leads to; null if it does not say.
  static @Nullable SimRolesPlace of(List<Store.Change> batch) {
    SimRolesPlace found = null;
    for (var step : batch) {
      if (step instanceof Store.Change.Append(var name, var content) && name.equals("cib.log")) {
        found = read(text(content).lines().findFirst().orElse(""), IN_LOG);
      } else if (step instanceof Store.Change.Write(var name, var content) && name.equals("cib.meta")) {
        found = read(text(content).lines().reduce("", (_, last) -> last), IN_META);
      }
    }
    return found;
  }

  private static String text(byte[] content) {
    return new String(content, StandardCharsets.UTF_8);
  }

  private static @Nullable SimRolesPlace read(String row, int from) {
    var words = row.split(" ");
    return words.length <= from + 3
        ? null
        : new SimRolesPlace(
            Numbers.parse(words[from], 0), Numbers.parse(words[from + 1], 0), Numbers.parse(words[from + 3], 0));
  }

  boolean isBefore(SimRolesPlace other) {
    return compareTo(other) < 0;
  }

  @Override
  public int compareTo(SimRolesPlace other) {
    return Comparator.comparingLong(SimRolesPlace::term)
        .thenComparingLong(SimRolesPlace::index)
        .thenComparingLong(SimRolesPlace::stray)
        .compare(this, other);
  }
}
