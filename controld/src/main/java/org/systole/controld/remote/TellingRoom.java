package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/// The memory that may be taken together by what all remote hosts of a member have told of what they run. Each has
/// limits of its own, which are wide; many that go up to theirs would be too much together. Then the one that takes
/// most is cut off. Where its executor comes back it begins anew.
///
/// Lives on the owner's loop.
public final class TellingRoom {
  /// In characters, of the 512 MiB that a controller has.
  static final long MAX = 64L << 20;

  private final long max;
  private final Map<Part, Long> parts = new LinkedHashMap<>();
  private long all;

  public TellingRoom() {
    this(MAX);
  }

  TellingRoom(long max) {
    this.max = max;
  }

  /// One host's.
  interface Part {
    /// Whether it is there: of one that is not nothing is kept for long.
    boolean isConnected();

    void cutOff();
  }

  /// What is kept of a host is so long now.
  void holds(Part part, long characters) {
    var before = parts.put(part, characters);
    all += characters - (before == null ? 0 : before);
    if (before == null || all > max) {
      dropThoseThatAreGone();
    }
    if (all > max) {
      relieve();
    }
  }

  private void dropThoseThatAreGone() {
    parts.keySet().removeIf(it -> !it.isConnected());
    all = parts.values().stream().mapToLong(Long::longValue).sum();
  }

  private void relieve() {
    var most = new ArrayList<>(parts.entrySet());
    most.sort(Map.Entry.<Part, Long>comparingByValue(Comparator.reverseOrder()));
    for (var each : most.stream().map(Map.Entry::getKey).toList()) {
      if (all <= max) {
        return;
      }
      var its = parts.remove(each);
      all -= its == null ? 0 : its;
      each.cutOff();
    }
  }
}
