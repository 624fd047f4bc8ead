package org.systole.controld.roles;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.roles.model.NodeRoleId;

/// When a noderole is to be looked at again, and what is found then. A check is ordered an interval
/// after the one before has ended; what is found is handed on if it says anything new. Nothing of it
/// outlives the DC: a new one begins with a whole interval. One whose answer nobody waits for any more,
/// as its node is in maintenance or its role bound no more, is ended.
///
/// What is in error and looks fit is done anew. Where that fails again, and it looks fit again, the check
/// does not see what is wrong: it waits twice as long each time, so that a run that fails for good is not
/// tried, and told of, for ever at the pace of the checks.
final class RoleChecks {
  private static final long LATE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long WAIT_MAX_MILLIS = Duration.ofHours(1).toMillis();
  private static final int DOUBLED_MAX = 16;

  /// Something that is to be looked at.
  ///
  /// @param wellNow whether it is taken for fit so far
  /// @param later whether it is not to be looked at now: its node does something else
  /// @param order has it looked at
  /// @param end has that end
  record Due(
      RunKey key,
      boolean wellNow,
      boolean later,
      long intervalMillis,
      long timeoutMillis,
      Runnable order,
      Runnable end) {}

  private static final class Next {
    long at;

    Next(long at) {
      this.at = at;
    }
  }

  private final World world;
  private final Consumer<Map.Entry<RunKey, String>> found;
  private final SortedMap<RunKey, Next> next = new TreeMap<>();
  private final SortedMap<RunKey, Due> underWay = new TreeMap<>(); // ordered, and not heard of
  private final SortedMap<NodeRoleId, Integer> inVain = new TreeMap<>(); // done anew since it failed a check
  private SortedMap<RunKey, Due> wanted = new TreeMap<>();
  private World.@Nullable Timer timer;

  /// @param found told what says something new: the fault, empty if what was in error is fit
  RoleChecks(World world, Consumer<Map.Entry<RunKey, String>> found) {
    this.world = world;
    this.found = found;
  }

  /// @param now all there is to look at by the document as it is. What cannot be looked at for a while,
  ///     because its node does something else, is looked at after that, and not an interval later: else it
  ///     never would be where something is done again and again
  /// @param bound all noderoles in it
  void want(SortedMap<RunKey, Due> now, SortedSet<RunKey> bound) {
    wanted = now;
    next.keySet().retainAll(bound);
    endUnwanted();
    inVain.keySet().retainAll(bound.stream().map(RunKey::id).collect(Collectors.toSet()));
    now.forEach(
        (key, due) -> {
          if (due.wellNow() && inVain.remove(key.id()) != null) {
            soon(key, due);
          }
          next.computeIfAbsent(key, _ -> new Next(world.nanoTime() + nanos(wait(key, due))));
        });
    arm();
  }

  /// A person took it as done: it waits no longer than others that are fit.
  private void soon(RunKey key, Due due) {
    var known = next.get(key);
    var latest = world.nanoTime() + nanos(due.intervalMillis());
    if (known != null && !underWay.containsKey(key) && known.at - latest > 0) {
      known.at = latest;
    }
  }

  /// Whether what is found of it counts.
  boolean isWanted(RunKey key) {
    var due = wanted.get(key);
    return due != null && !due.later();
  }

  private void endUnwanted() {
    for (var key : List.copyOf(underWay.keySet())) {
      if (!wanted.containsKey(key)) {
        underWay.remove(key).end().run();
        next.computeIfPresent(key, (_, it) -> new Next(world.nanoTime())); // nobody knows its answer
      }
    }
  }

  private long wait(RunKey key, Due due) {
    var times = Math.min(inVain.getOrDefault(key.id(), 0), DOUBLED_MAX);
    var longest = Math.max(WAIT_MAX_MILLIS, due.intervalMillis());
    return Math.min(due.intervalMillis() << times, longest);
  }

  void end() {
    wanted = new TreeMap<>();
    next.clear();
    underWay.clear();
    inVain.clear();
    arm();
  }

  /// What a node has found.
  void news(RunKey key, PeerMessage.CheckNews it) {
    var due = wanted.get(key);
    var known = next.get(key);
    underWay.remove(key);
    if (due == null || known == null) {
      return; // of another run, or of what is done no more
    }
    if (due.later()) { // what its node does meanwhile may be what it has found: it is looked at again after that
      known.at = world.nanoTime();
      return;
    }
    var fine = it.result().equals("OK");
    var failed = it.result().equals("FAILED");
    if (failed) {
      inVain.remove(key.id());
    } else if (fine && !due.wellNow()) {
      inVain.merge(key.id(), 1, Integer::sum);
    }
    known.at = world.nanoTime() + nanos(wait(key, due));
    if (fine && !due.wellNow() || failed && due.wellNow()) {
      var fault = it.text().isBlank() ? "its jig said nothing" : it.text();
      found.accept(Map.entry(key, fine ? "" : fault));
    }
    arm();
  }

  private void arm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    var first =
        next.entrySet().stream()
            .filter(it -> isWanted(it.getKey()))
            .mapToLong(it -> it.getValue().at - world.nanoTime())
            .min();
    if (first.isPresent()) {
      timer = world.after(Duration.ofNanos(Math.max(0, first.getAsLong())), this::order);
    }
  }

  /// Orders what is due. What was ordered and not heard of for its time and some more is ordered
  /// again.
  private void order() {
    timer = null;
    var now = world.nanoTime();
    for (var entry : next.entrySet()) {
      var due = wanted.get(entry.getKey());
      var it = entry.getValue();
      if (due != null && !due.later() && it.at - now <= 0) {
        it.at = now + nanos(due.timeoutMillis()) + LATE_NANOS;
        underWay.put(entry.getKey(), due);
        due.order().run();
      }
    }
    arm();
  }

  private static long nanos(long millis) {
    return millis * 1_000_000;
  }
}
