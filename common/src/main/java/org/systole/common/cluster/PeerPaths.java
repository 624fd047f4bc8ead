package org.systole.common.cluster;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The links to one other node, for nodes with more than one: which are up, and by which one it is
/// sent to.
///
/// Each link is probed, and counts as up while its probes are answered. What is sent goes by the
/// link of the highest priority that is up, of equal ones by that of the lowest number. While none
/// is up the last one stays: whether a node is lost is for others to say, by a longer time.
///
/// A link that is given up too early costs nothing as long as another one is up, so the times are
/// short. But what looks like silence may be this process, which stood still: then answers have the
/// time again that it lost.
///
/// Times are nanoseconds of one clock. May be used by several threads.
public final class PeerPaths {
  /// How links are probed.
  ///
  /// @param probe from one probe to the next
  /// @param dead a probe that is not answered for so long says that the link is cut
  /// @param recent what was sent in this time before a link was given up may not have arrived
  public record Timing(Duration probe, Duration dead, Duration recent) {
    private static final long DEAD_MAX_MILLIS = 1000;

    /// A link is given up within a quarter of the token time: a node's vote lasts for three of them,
    /// so it is heard by another link before.
    public static Timing ofToken(long millis) {
      var dead = Math.min(DEAD_MAX_MILLIS, millis / 4);
      return new Timing(
          Duration.ofMillis(dead / 3), Duration.ofMillis(dead), Duration.ofMillis(3 * dead));
    }
  }

  /// What has become of a link.
  ///
  /// @param link its number
  /// @param up whether it is up now; it was not, or was, before
  public record Change(int link, boolean up) {}

  private static final int ANSWERS = 2; // one after the other make a link count as up
  private static final int UNANSWERED_MAX = 1000;

  private static final class Path {
    private int priority;
    private final Deque<Long> unanswered = new ArrayDeque<>();
    private long looked;
    private int answers;
    private boolean up;

    Path(int priority) {
      this.priority = priority;
    }
  }

  private final SortedMap<Integer, Path> paths = new TreeMap<>();
  private Timing timing;
  private int active;

  /// @param priorities of each link, by its number
  public PeerPaths(Timing timing, Map<Integer, Integer> priorities) {
    this.timing = timing;
    use(timing, priorities);
    active = paths.isEmpty() ? 0 : paths.firstKey();
  }

  /// Goes by other times or links from now on. What is known of links that stay is kept.
  public synchronized void use(Timing times, Map<Integer, Integer> priorities) {
    timing = times;
    paths.keySet().retainAll(priorities.keySet());
    priorities.forEach(
        (link, priority) -> paths.computeIfAbsent(link, _ -> new Path(priority)).priority = priority);
    choose();
  }

  public synchronized Timing timing() {
    return timing;
  }

  /// The link's connection for probes is there, or is there anew.
  public synchronized void opened(int link) {
    var path = paths.get(link);
    if (path != null) {
      path.unanswered.clear();
      path.answers = 0;
      path.looked = 0;
    }
  }

  /// The link's connection for probes is gone.
  public synchronized @Nullable Change closed(int link) {
    var path = paths.get(link);
    if (path == null) {
      return null;
    }
    path.unanswered.clear();
    path.answers = 0;
    return set(link, path, false);
  }

  /// A probe goes out by a link.
  public synchronized void probed(int link, long now) {
    var path = paths.get(link);
    if (path != null && path.unanswered.size() < UNANSWERED_MAX) {
      path.unanswered.add(now);
    }
  }

  /// The answer to the link's oldest probe has come.
  public synchronized @Nullable Change answered(int link) {
    var path = paths.get(link);
    if (path == null || path.unanswered.poll() == null) {
      return null;
    }
    path.answers = Math.min(ANSWERS, path.answers + 1);
    return path.answers < ANSWERS ? null : set(link, path, true);
  }

  /// Looks whether a link is still answered; to be called with each probe.
  public synchronized @Nullable Change look(int link, long now) {
    var path = paths.get(link);
    if (path == null) {
      return null;
    }
    var stood = path.looked == 0 ? 0 : now - path.looked - timing.probe.toNanos();
    path.looked = now;
    if (stood > timing.probe.toNanos()) {
      var later = new ArrayList<Long>();
      path.unanswered.forEach(it -> later.add(it + stood));
      path.unanswered.clear();
      path.unanswered.addAll(later);
    }
    var oldest = path.unanswered.peek();
    if (oldest == null || now - oldest < timing.dead.toNanos()) {
      return null;
    }
    path.answers = 0;
    return set(link, path, false);
  }

  /// Whether a link has not answered for long, so that its connection is to be made anew.
  public synchronized boolean isDead(int link, long now) {
    var path = paths.get(link);
    var oldest = path == null ? null : path.unanswered.peek();
    return oldest != null && now - oldest >= timing.dead.toNanos();
  }

  private @Nullable Change set(int link, Path path, boolean up) {
    if (path.up == up) {
      return null;
    }
    path.up = up;
    choose();
    return new Change(link, up);
  }

  private void choose() {
    var best = -1;
    for (var it : paths.entrySet()) {
      if (it.getValue().up
          && (best < 0 || it.getValue().priority > paths.get(best).priority)) {
        best = it.getKey();
      }
    }
    if (best >= 0) {
      active = best;
    } else if (!paths.containsKey(active) && !paths.isEmpty()) {
      active = paths.firstKey();
    }
  }

  /// By which link it is sent.
  public synchronized int active() {
    return active;
  }

  /// In which order links are tried where one takes nothing: the one that is used, others that are
  /// up, and if none is, all.
  public synchronized List<Integer> order() {
    var order = new ArrayList<Integer>();
    order.add(active);
    var none = paths.values().stream().noneMatch(it -> it.up);
    paths.forEach(
        (link, path) -> {
          if (link != active && (path.up || none)) {
            order.add(link);
          }
        });
    return order;
  }

  /// While no link is up: this one takes what is sent, so it is used.
  public synchronized void took(int link) {
    if (paths.containsKey(link) && paths.values().stream().noneMatch(it -> it.up)) {
      active = link;
    }
  }

  public synchronized boolean isUp(int link) {
    var path = paths.get(link);
    return path != null && path.up;
  }

  public synchronized List<Integer> links() {
    return List.copyOf(paths.keySet());
  }
}
