package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/// What the agents themselves recorded, outside the nodes: when which resource ran where, and what
/// was fenced.
///
/// The times are the machine's; a resource runs from before its start to after its stop, or to the
/// moment its node is known to be dead.
final class Evidence {
  /// @param at nanoseconds since the epoch
  /// @param deed starting, started, stopping, stopped, runs, absent; dead for a node
  record Deed(long at, String node, String resource, String deed) {
    boolean changes() {
      return deed.equals("starting") || deed.equals("stopping");
    }

    @Override
    public String toString() {
      return "%s %s %s on %s".formatted(time(at), resource, deed, node);
    }
  }

  /// @param progress begins, done, failed
  record Fencing(long at, String target, String action, String progress, String by) {
    @Override
    public String toString() {
      return "%s %s of %s by %s %s".formatted(time(at), action, target, by, progress);
    }
  }

  private static final String DEAD = "dead";

  private final Path agents;
  private final Path fence;
  private final Path delay;

  Evidence(Path directory) throws IOException {
    Files.createDirectories(directory);
    agents = directory.resolve("agents.log");
    fence = directory.resolve("fence.log");
    delay = directory.resolve("delay");
  }

  static long now() {
    var now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  private static String time(long at) {
    var moment = Instant.ofEpochSecond(0, at).toString();
    return moment.substring(11, Math.min(23, moment.length()));
  }

  /// Every later fencing waits so long before the power goes.
  void delayFencing(int seconds) throws IOException {
    Files.writeString(delay, Integer.toString(seconds));
  }

  /// Nothing of the node is left, and all its resources with it.
  void dead(String node) throws IOException {
    var line = "%d %s - %s%n".formatted(now(), node, DEAD);
    Files.writeString(agents, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /// What the agents did since then.
  List<Deed> deeds(long since) throws IOException {
    var found = new ArrayList<Deed>();
    for (var words : lines(agents, 4)) {
      var at = Long.parseLong(words[0]);
      if (at >= since) {
        found.add(new Deed(at, words[1], words[2], words[3]));
      }
    }
    found.sort(Comparator.comparingLong(Deed::at));
    return found;
  }

  List<Fencing> fencings(long since) throws IOException {
    var found = new ArrayList<Fencing>();
    for (var words : lines(fence, 5)) {
      var at = Long.parseLong(words[0]);
      if (at >= since) {
        found.add(new Fencing(at, words[1], words[2], words[3], words[4]));
      }
    }
    return found;
  }

  /// How often each node was switched off since then.
  Map<String, Integer> fenced(long since) throws IOException {
    var count = new TreeMap<String, Integer>();
    for (var fencing : fencings(since)) {
      if (fencing.progress().equals("done")) {
        count.merge(fencing.target(), 1, Integer::sum);
      }
    }
    return count;
  }

  private static List<String[]> lines(Path file, int words) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    // a line that is just being written is complete the next time
    return Files.readAllLines(file).stream()
        .map(it -> it.split(" "))
        .filter(it -> it.length == words && it[0].length() == 19)
        .toList();
  }

  /// The nodes on which a resource runs now.
  TreeSet<String> holders(String resource) throws IOException {
    var holders = new TreeSet<String>();
    for (var deed : deeds(0)) {
      if (deed.deed().equals(DEAD)) {
        holders.remove(deed.node());
      } else if (deed.resource().equals(resource)) {
        apply(deed, "started", holders);
      }
    }
    return holders;
  }

  private static void apply(Deed deed, String beginsWith, TreeSet<String> holders) {
    if (deed.deed().equals(beginsWith) || deed.deed().equals("runs")) {
      holders.add(deed.node());
    } else if (deed.deed().equals("stopped") || deed.deed().equals("absent")) {
      holders.remove(deed.node());
    }
  }

  /// Every moment at which one of these resources ran on two nodes.
  List<String> overlaps(List<String> exclusive) throws IOException {
    var found = new ArrayList<String>();
    var holders = new LinkedHashMap<String, TreeSet<String>>();
    exclusive.forEach(it -> holders.put(it, new TreeSet<>()));
    for (var deed : deeds(0)) {
      if (deed.deed().equals(DEAD)) {
        holders.values().forEach(it -> it.remove(deed.node()));
      } else if (holders.containsKey(deed.resource())) {
        var where = holders.get(deed.resource());
        var before = where.size();
        apply(deed, "starting", where);
        if (where.size() > 1 && where.size() > before) {
          found.add("%s, while it ran on %s".formatted(deed, where));
        }
      }
    }
    return found;
  }
}
