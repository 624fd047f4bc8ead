package org.systole.controld.roles;

import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;

/// When a noderole is to be looked at again, and what is found then. A check is ordered an interval
/// after the one before has ended; what is found is handed on if it says anything new. Nothing of it
/// outlives the DC: a new one begins with a whole interval.
final class RoleChecks {
  private static final long LATE_NANOS = Duration.ofSeconds(30).toNanos();

  /// Something that is to be looked at.
  ///
  /// @param wellNow whether it is taken for fit so far
  /// @param order has it looked at
  record Due(RunKey key, boolean wellNow, long intervalMillis, long timeoutMillis, Runnable order) {}

  private static final class Next {
    long at;

    Next(long at) {
      this.at = at;
    }
  }

  private final World world;
  private final Consumer<Map.Entry<RunKey, String>> found;
  private final SortedMap<RunKey, Next> next = new TreeMap<>();
  private SortedMap<RunKey, Due> wanted = new TreeMap<>();
  private World.@Nullable Timer timer;

  /// @param found told what says something new: the fault, empty if what was in error is fit
  RoleChecks(World world, Consumer<Map.Entry<RunKey, String>> found) {
    this.world = world;
    this.found = found;
  }

  /// @param now all there is to look at by the document as it is
  void want(SortedMap<RunKey, Due> now) {
    wanted = now;
    next.keySet().retainAll(now.keySet());
    now.forEach(
        (key, due) ->
            next.computeIfAbsent(key, _ -> new Next(world.nanoTime() + nanos(due.intervalMillis()))));
    arm();
  }

  void end() {
    wanted = new TreeMap<>();
    next.clear();
    arm();
  }

  /// What a node has found.
  void news(RunKey key, PeerMessage.CheckNews it) {
    var due = wanted.get(key);
    var known = next.get(key);
    if (due == null || known == null) {
      return; // of another run, or of what is done no more
    }
    known.at = world.nanoTime() + nanos(due.intervalMillis());
    var fine = it.result().equals("OK");
    var failed = it.result().equals("FAILED");
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
    var first = next.values().stream().mapToLong(it -> it.at - world.nanoTime()).min();
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
      if (due != null && it.at - now <= 0) {
        it.at = now + nanos(due.timeoutMillis()) + LATE_NANOS;
        due.order().run();
      }
    }
    arm();
  }

  private static long nanos(long millis) {
    return millis * 1_000_000;
  }
}
