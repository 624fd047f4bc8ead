package org.systole.hostha;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Setting;
import org.systole.hostha.config.Values;

/// What neighbours have seen of a host since it is suspect.
///
/// A look is relative: a volume whose stamp is not the one of the look before was written to, by
/// whatever clock. A volume that is read for the first time has no stamp before; there the neighbour's
/// own reckoning of the last write is held against the time of suspicion; an answer that took its time
/// errs on the side of life. A volume that cannot be read
/// may be the one that is written to, so nothing is known then, unless another one shows life. Where neighbours
/// see different file systems at a volume, one of them looks at what the host cannot write to, and nobody
/// knows which: then only writes count there.
final class Investigation {
  /// What came of a look.
  enum Seen {
    LIFE,
    NOTHING,
    /// Nothing is known.
    BLIND
  }

  /// Stamps of one place can be held against each other.
  private record Place(String volume, @Nullable String root) {}

  /// @param why what was seen, for people
  record Look(Seen seen, String why) {}

  private final long suspectSince;
  private final Map<Place, String> stamps = new HashMap<>();
  private final Map<String, String> roots = new HashMap<>(); // of each volume, the first that was told
  private final Set<String> split = new HashSet<>(); // volumes of which different ones were told
  private int looks;
  private int failures;
  private int blind;
  private @Nullable NodeName lastNeighbour;

  Investigation(long suspectSince) {
    this.suspectSince = suspectSince;
  }

  /// A look that saw nothing either way.
  Look cannot(String why) {
    looks++;
    blind++;
    return new Look(Seen.BLIND, why);
  }

  /// What a neighbour read.
  Look look(long now, NodeName neighbour, SortedMap<String, VolumeRead> volumes) {
    lastNeighbour = neighbour;
    if (volumes.isEmpty()) {
      return cannot(neighbour + " has no volume to look at");
    }
    String alive = null;
    String unknown = null;
    for (var one : volumes.entrySet()) {
      var seen = look(now, one.getKey(), one.getValue());
      if (seen == Seen.LIFE && alive == null) {
        alive = one.getKey();
      } else if (seen == Seen.BLIND && unknown == null) {
        unknown = one.getKey() + ": " + why(one.getKey(), one.getValue());
      }
    }
    if (alive != null) {
      looks++;
      return new Look(Seen.LIFE, "%s sees writes to %s".formatted(neighbour, alive));
    }
    if (unknown != null) {
      return cannot("%s cannot tell of %s".formatted(neighbour, unknown));
    }
    looks++;
    failures++;
    return new Look(Seen.NOTHING, neighbour + " sees no writes" + since(volumes));
  }

  /// For how long there were none, as the neighbour says; empty if it cannot tell.
  private static String since(SortedMap<String, VolumeRead> volumes) {
    var youngest = Long.MAX_VALUE;
    for (var read : volumes.values()) {
      if (read.ageMs() == null) {
        return "";
      }
      youngest = Math.min(youngest, read.ageMs());
    }
    return " for %d s".formatted(youngest / 1000);
  }

  private String why(String volume, VolumeRead read) {
    if (read.error() != null) {
      return read.error();
    }
    return split.contains(volume)
        ? "another one sees another file system there"
        : "its last write cannot be told";
  }

  private Seen look(long now, String volume, VolumeRead read) {
    var root = read.root();
    var first = root == null ? null : roots.putIfAbsent(volume, root);
    if (first != null && !first.equals(root)) {
      split.add(volume);
    }
    var seen = seen(now, new Place(volume, root), read);
    return seen == Seen.NOTHING && split.contains(volume) ? Seen.BLIND : seen;
  }

  private Seen seen(long now, Place place, VolumeRead read) {
    if (read.stamp() == null) {
      return Seen.BLIND;
    }
    var before = stamps.put(place, read.stamp());
    if (before != null) {
      return before.equals(read.stamp()) ? Seen.NOTHING : Seen.LIFE;
    }
    if (read.ageMs() == null) {
      return Seen.BLIND;
    }
    return read.ageMs() < now - suspectSince ? Seen.LIFE : Seen.NOTHING;
  }

  /// Whether all looks were taken.
  boolean isOver(Values values) {
    return looks >= values.count(Setting.ACTIVITY_ATTEMPTS);
  }

  /// Whether too many of them saw nothing. A look that could not be taken is none of these.
  boolean isDead(Values values) {
    return values.isMore(failures, looks, Setting.ACTIVITY_RATIO);
  }

  long suspectSince() {
    return suspectSince;
  }

  int looks() {
    return looks;
  }

  int failures() {
    return failures;
  }

  int blind() {
    return blind;
  }

  @Nullable NodeName lastNeighbour() {
    return lastNeighbour;
  }

  void asked(NodeName neighbour) {
    lastNeighbour = neighbour;
  }

  /// The counts, for people.
  String summary() {
    var text = "%d of %d activity checks saw nothing".formatted(failures, looks);
    return blind == 0 ? text : text + ", %d could not look".formatted(blind);
  }
}
