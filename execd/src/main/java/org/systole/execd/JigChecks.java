package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;
import org.systole.roles.model.RoleId;

/// Looks whether this node's roles are fit still, beside the runs of jigs, as a check changes nothing:
/// one after the other, but none waits long for one that hangs. Nothing is kept of a check.
final class JigChecks {
  private static final int WAITING_MAX = 64;
  private static final int RUNNING_MAX = 16;
  private static final int CAUSE_MAX = 2_000;

  /// Nobody says which noderoles are bound here no more: beyond so many the oldest are logged once again.
  private static final int TROUBLES_MAX = 256;

  /// What takes longer holds nobody up any more.
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private record Asked(ExecMessage.CheckJig check, Consumer<ExecMessage.Reply> done) {}

  private static final class Running {
    final Asked asked;
    boolean isSlow;
    boolean isCancelled;

    Running(Asked asked) {
      this.asked = asked;
    }
  }

  private final World world;
  private final Function<String, Jigs.@Nullable Jig> jigs;
  private final List<Asked> queue = new ArrayList<>();
  private final Map<String, Running> running = new TreeMap<>(); // by their noderoles
  private final Map<String, Jigs.Work> left = new TreeMap<>(); // what may not be gone yet
  private final Map<String, String> troubles = new LinkedHashMap<>(); // as they were logged last, oldest first

  /// @param jigs the way of a name, null if there is none
  JigChecks(World world, Function<String, Jigs.@Nullable Jig> jigs) {
    this.world = world;
    this.jigs = jigs;
  }

  /// @param done told once, at the end of the check, or at once where none can be made
  void check(ExecMessage.CheckJig it, Consumer<ExecMessage.Reply> done) {
    if (queue.size() >= WAITING_MAX) {
      done.accept(found(it, JigResult.UNKNOWN, "too many checks are waiting on this node"));
      return;
    }
    queue.add(new Asked(it, done));
    next();
  }

  /// Nobody wants to know any more.
  void cancel(String noderole, int run) {
    var waiting =
        queue.stream()
            .filter(it -> it.check().noderole().equals(noderole) && it.check().run() == run)
            .toList();
    queue.removeAll(waiting);
    waiting.forEach(it -> it.done().accept(cancelled(it.check())));
    var now = running.get(noderole);
    var work = left.get(noderole);
    if (now != null && now.asked.check().run() == run && work != null) {
      now.isCancelled = true;
      work.kill();
    }
  }

  private static ExecMessage.JigEnded cancelled(ExecMessage.CheckJig it) {
    return found(it, JigResult.CANCELLED, "it was cancelled");
  }

  private void next() {
    var first = queue.stream().filter(it -> !running.containsKey(it.check().noderole())).findFirst();
    if (first.isEmpty()
        || running.size() >= RUNNING_MAX
        || running.values().stream().anyMatch(it -> !it.isSlow)) {
      return;
    }
    var asked = first.get();
    queue.remove(asked);
    begin(asked);
    next();
  }

  private void begin(Asked asked) {
    var it = asked.check();
    var jig = jigs.apply(it.jig());
    var before = left.remove(it.noderole());
    var behind = before == null ? "" : before.leftBehind();
    if (jig == null || RoleId.of(it.role()) == null) {
      asked.done().accept(found(it, JigResult.UNKNOWN, "this node knows no jig " + it.jig()));
    } else if (before != null && !behind.isEmpty()) {
      left.put(it.noderole(), before);
      asked.done().accept(found(it, JigResult.FAILED, behind));
    } else {
      var now = new Running(asked);
      running.put(it.noderole(), now);
      var timer = world.after(PATIENCE, () -> isSlow(now));
      left.put(
          it.noderole(),
          jig.check(
              it.asRun(),
              end -> {
                timer.cancel();
                ended(now, end);
              }));
    }
  }

  private void isSlow(Running it) {
    it.isSlow = true;
    next();
  }

  private void ended(Running now, Jigs.End end) {
    var asked = now.asked;
    var it = asked.check();
    running.remove(it.noderole());
    var work = left.get(it.noderole());
    if (work != null && work.leftBehind().isEmpty()) {
      left.remove(it.noderole());
    }
    if (now.isCancelled) {
      asked.done().accept(cancelled(it));
    } else {
      say(it.noderole(), end.result() == JigResult.FAILED ? end.text().strip() : "");
      asked.done().accept(found(it, end.result(), end.text()));
    }
    next();
  }

  /// A node that is not fit is looked at over and over: what is found is logged when it changes.
  private void say(String noderole, String trouble) {
    var before = troubles.getOrDefault(noderole, "");
    var same = trouble.length() <= CAUSE_MAX ? trouble : trouble.substring(0, CAUSE_MAX);
    if (same.equals(before)) {
      return;
    }
    if (trouble.isEmpty()) {
      troubles.remove(noderole);
      world.log().notice("Check of %s: it is fit again".formatted(noderole));
    } else {
      troubles.remove(noderole);
      troubles.put(noderole, same);
      if (troubles.size() > TROUBLES_MAX) {
        troubles.remove(troubles.keySet().iterator().next());
      }
      world
          .log()
          .warning(
              "Check of %s failed: %s"
                  .formatted(noderole, trouble.lines().collect(Collectors.joining("; "))));
    }
  }

  /// What it was given is known to whoever asked, and what it answered is for nobody.
  private static ExecMessage.JigEnded found(
      ExecMessage.CheckJig it, JigResult result, String why) {
    var text = result == JigResult.OK ? "" : why;
    var shown = text.length() > CAUSE_MAX ? "..." + text.substring(text.length() - CAUSE_MAX) : text;
    return new ExecMessage.JigEnded(it.noderole(), it.run(), result, shown, "");
  }
}
