package org.systole.common.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The programs a daemon under test starts: each is kept, and ends when its script or the test says
/// so, or when its time is over.
public final class TestPrograms implements Processes {
  private final TestWorld world;
  private final List<Run> runs = new ArrayList<>();
  private Function<Program, @Nullable Exit> script = _ -> null;

  TestPrograms(TestWorld world) {
    this.world = world;
  }

  /// Says how programs end as soon as they are started; null leaves one running.
  public void script(Function<Program, @Nullable Exit> what) {
    script = what;
  }

  /// Those that run, in the order of their start.
  public List<Run> running() {
    return runs.stream().filter(run -> !run.ended).toList();
  }

  /// All that were ever started, in the order of their start.
  public List<Run> all() {
    return List.copyOf(runs);
  }

  @Override
  public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
    var program = programs.getFirst();
    var run = new Run(program, onExit);
    runs.add(run);
    var timeout = program.timeout();
    if (timeout != null) {
      world.after(timeout, () -> run.end(new Exit.TimedOut("", "", timeout)));
    }
    var exit = script.apply(program);
    if (exit != null) {
      run.end(exit);
    }
    return run;
  }

  /// A program that was started.
  public final class Run implements Running {
    private final List<String> heard = new ArrayList<>();
    private final Program program;
    private final Consumer<Exit> onExit;
    private final long startedNanos = world.nanoTime();
    private boolean ended;
    private boolean stuck;
    private final List<Runnable> waiting = new ArrayList<>();

    private Run(Program program, Consumer<Exit> onExit) {
      this.program = program;
      this.onExit = onExit;
    }

    public Program program() {
      return program;
    }

    /// A line of its standard input, null if there is none for this name.
    public @Nullable String input(String name) {
      return program
          .input()
          .lines()
          .filter(line -> line.startsWith(name + "="))
          .map(line -> line.substring(name.length() + 1))
          .findFirst()
          .orElse(null);
    }

    /// It ends by itself.
    public void exits(int status, String output) {
      exits(status, output, "");
    }

    /// It ends by itself.
    ///
    /// @param errors what it said on standard error
    public void exits(int status, String output, String errors) {
      var took = Duration.ofNanos(world.nanoTime() - startedNanos);
      end(new Exit.Exited(status, 0, output, errors, took));
      world.settle();
    }

    /// It hangs in the kernel: its exit is told at its timeout, but it stays.
    public void hangs() {
      stuck = true;
    }

    /// It hangs no more, and is gone if it was killed meanwhile.
    public void wakes() {
      stuck = false;
      if (ended) {
        waiting.forEach(world::post);
        waiting.clear();
      }
      world.settle();
    }

    @Override
    public void whenGone(Runnable what) {
      if (isAlive()) {
        waiting.add(what);
      } else {
        world.post(what);
      }
    }

    @Override
    public boolean isAlive() {
      return !ended || stuck;
    }

    void end(Exit exit) {
      if (!ended) {
        ended = true;
        world.post(() -> onExit.accept(exit));
        if (!stuck) {
          waiting.forEach(world::post);
          waiting.clear();
        }
      }
    }

    @Override
    public long pid() {
      return 1000 + runs.indexOf(this);
    }

    /// The lines it was told.
    public List<String> heard() {
      return List.copyOf(heard);
    }

    @Override
    public void tell(String line) {
      heard.add(line);
    }

    @Override
    public void terminate() {
      end(new Exit.Exited(0, 15, "", "", Duration.ZERO));
    }

    @Override
    public void kill() {
      end(new Exit.Exited(0, 9, "", "", Duration.ZERO));
    }
  }
}
