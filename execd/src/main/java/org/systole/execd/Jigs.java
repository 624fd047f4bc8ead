package org.systole.execd;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;
import org.systole.roles.model.RoleId;

/// Runs of jigs on this node: one at a time, each once, however often it is asked for. The end of a
/// run is kept for whoever asks for it later; the node's next DC may.
final class Jigs {
  private static final int ENDED_MAX = 64;
  private static final int NUMBERS_MAX = 10_000;

  /// The most characters that ended runs keep, whoever wants them.
  private static final long KEPT_MAX = 16 << 20;

  private static final String DROPPED = "it ended well, but its answer is not kept any more";
  private static final int WAITING_MAX = 16;
  private static final int CAUSE_MAX = 2_000;
  private static final int SHORT_MAX = 200;

  /// How a run ends.
  record End(JigResult result, String text) {
    static End failed(String why) {
      return new End(JigResult.FAILED, why);
    }
  }

  /// Something that runs.
  interface Work {
    /// Ends it; its end is still told.
    void kill();

    /// Why it is there still, although its end was told; empty if it is gone.
    String leftBehind();
  }

  /// A way to carry out roles.
  interface Jig {
    /// @param done told once, never from within this call
    Work start(ExecMessage.RunJig asked, Consumer<End> done);

    /// Looks whether what a run did is there still, and changes nothing.
    ///
    /// @param asked what a run would be asked, with the number of the last one
    /// @param done told once, never from within this call
    Work check(ExecMessage.RunJig asked, Consumer<End> done);
  }

  private static final class Run {
    final String noderole;
    final int number;
    final Deque<Consumer<ExecMessage.Reply>> waiting = new ArrayDeque<>();
    ExecMessage.RunJig asked;
    ExecMessage.@Nullable JigEnded end;
    String killed = "";
    boolean once; // so it is not ended before it ends by itself
    boolean isShort; // what it was given and has answered is dropped

    Run(ExecMessage.RunJig asked) {
      this.noderole = asked.noderole();
      this.number = asked.run();
      this.asked = asked;
      this.once = Boolean.TRUE.equals(asked.once());
    }

    boolean mayEnd() {
      return !once;
    }

    /// It may run only once by now, if whoever orders another run says so.
    void spare(ExecMessage.RunJig other) {
      once |= other.spared() != null && other.spared().contains(asked.role());
    }

    /// Keeps its number, and what it came to in a few words. What went well is not known any more without its
    /// answer: it is done again, or a person is asked where it may run only once.
    void shorten(ExecMessage.JigEnded ended) {
      isShort = true;
      asked = new ExecMessage.RunJig(noderole, number, asked.jig(), asked.role(), asked.timeoutMillis(), "", once);
      var well = ended.result() == JigResult.OK;
      end =
          new ExecMessage.JigEnded(
              noderole, number, well ? JigResult.UNKNOWN : ended.result(), well ? DROPPED : tail(ended.text(), SHORT_MAX), "");
    }
  }

  private final World world;
  private final Function<String, @Nullable Jig> jigs;
  private final Map<String, Run> runs = new LinkedHashMap<>(); // the last of each noderole
  private final Deque<Run> queue = new ArrayDeque<>();
  private @Nullable Run current;
  private @Nullable Work work;

  /// @param jigs the way of a name, null if there is none
  Jigs(World world, Function<String, @Nullable Jig> jigs) {
    this.world = world;
    this.jigs = jigs;
  }

  /// Begins a run, or joins it if it was begun before.
  ///
  /// @param done told once, at the end of the run
  void run(ExecMessage.RunJig asked, Consumer<ExecMessage.Reply> done) {
    var known = runs.get(asked.noderole());
    if (known != null && known.number >= asked.run()) {
      await(asked.noderole(), asked.run(), done);
      return;
    }
    // The DC holds no run to be under way, or would not begin another one. It may be wrong about one that it gave up when the
    // node was lost: ended half way, nobody knew what a run has done that may not be repeated. Nor does another one wait
    // for its end here: that may take long, and nobody may want it any more by then.
    if (current != null) {
      current.spare(asked);
    }
    if (current != null && !current.mayEnd()) {
      world
          .log()
          .info(
              "%s (run %d) cannot begin: %s runs, which may run only once"
                  .formatted(asked.noderole(), asked.run(), name(current)));
      done.accept(ExecMessage.NOT_NOW);
      return;
    }
    if (known != null && known.end == null) {
      stop(known, "another run of it was begun");
    }
    if (queue.size() >= WAITING_MAX) {
      done.accept(ended(asked, End.failed("too many jigs are waiting on this node")));
      return;
    }
    var run = new Run(asked);
    run.waiting.add(done);
    runs.remove(asked.noderole());
    runs.put(asked.noderole(), run);
    queue.add(run);
    if (current != null) {
      stop(current, "another run was begun: " + asked.noderole());
    }
    next();
  }

  /// @param done told once: at the end of the run, or that it is not known here
  void await(String noderole, int number, Consumer<ExecMessage.Reply> done) {
    var known = runs.get(noderole);
    if (known == null || known.number != number) {
      done.accept(
          new ExecMessage.JigEnded(
              noderole, number, JigResult.UNKNOWN, "its node does not know of it", ""));
    } else if (known.end != null) {
      done.accept(known.end);
    } else if (known.waiting.size() >= WAITING_MAX) {
      known.waiting.removeFirst();
      known.waiting.add(done);
    } else {
      known.waiting.add(done);
    }
  }

  /// @return whether it is not, or soon not, under way; what may run only once goes on
  boolean cancel(String noderole, int number) {
    var known = runs.get(noderole);
    if (known == null || known.number != number || known.end != null) {
      return true;
    }
    if (known == current && !known.mayEnd()) {
      return false;
    }
    stop(known, "it was cancelled");
    return true;
  }

  private void stop(Run run, String why) {
    if (run == current && work != null) {
      run.killed = why;
      work.kill();
    } else if (queue.remove(run)) {
      finish(run, new End(JigResult.CANCELLED, why));
    }
  }

  private void next() {
    if (current != null || queue.isEmpty()) {
      return;
    }
    var run = queue.remove();
    var left = work == null ? "" : work.leftBehind();
    var jig = jigs.apply(run.asked.jig());
    if (!left.isEmpty() || jig == null || RoleId.of(run.asked.role()) == null) {
      var why = jig == null ? "this node knows no jig " + run.asked.jig() : "no role has that name";
      finish(run, End.failed(left.isEmpty() ? why : left));
      next();
      return;
    }
    current = run;
    world.log().notice("Jig " + run.asked.jig() + " runs for " + name(run));
    work = jig.start(run.asked, end -> told(run, end));
  }

  private static String name(Run run) {
    return run.asked.noderole() + " (run " + run.asked.run() + ")";
  }

  private void told(Run run, End end) {
    current = null;
    finish(run, run.killed.isEmpty() ? end : new End(JigResult.CANCELLED, run.killed));
    next();
  }

  private void finish(Run run, End end) {
    var told = ended(run.asked, end);
    if (end.result() == JigResult.OK) {
      world.log().notice("Jig " + run.asked.jig() + " is done for " + name(run));
    } else {
      world
          .log()
          .warning(
              "Jig %s failed for %s: %s"
                  .formatted(
                      run.asked.jig(),
                      name(run),
                      told.text().strip().lines().collect(Collectors.joining("; "))));
    }
    run.end = told;
    run.waiting.forEach(it -> it.accept(told));
    run.waiting.clear();
    keepLess();
  }

  /// The numbers of all are kept: none is begun twice.
  private void keepLess() {
    var ended = List.copyOf(runs.values()).reversed();
    var whole = 0;
    var kept = 0L;
    var known = 0;
    for (var it : ended) {
      var end = it.end;
      if (end == null) {
        continue;
      }
      if (++known > NUMBERS_MAX) {
        runs.remove(it.noderole);
      } else if (!it.isShort) {
        kept += end.text().length() + end.given().length();
        if (++whole > ENDED_MAX || whole > 1 && kept > KEPT_MAX) {
          it.shorten(end);
        }
      }
    }
  }

  private static String tail(String text, int length) {
    return text.length() <= length ? text : "..." + text.substring(text.length() - length);
  }

  private static ExecMessage.JigEnded ended(ExecMessage.RunJig asked, End end) {
    var text = end.text();
    if (end.result() != JigResult.OK) {
      text = tail(text, CAUSE_MAX);
    }
    return new ExecMessage.JigEnded(
        asked.noderole(), asked.run(), end.result(), text, asked.given());
  }
}
