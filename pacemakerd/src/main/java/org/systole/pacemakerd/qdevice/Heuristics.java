package org.systole.pacemakerd.qdevice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.systole.common.cluster.QuorumDevice;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// Runs the commands that say whether this node is of use. All run at once; the first that fails
/// decides, and so does the end of the time.
final class Heuristics {
  private static final int OUTPUT_MAX = 4096;
  private static final Map<String, String> ENVIRONMENT =
      Map.of("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C");

  /// As numbered on the wire.
  enum Result {
    UNDEFINED("Undefined"),
    PASS("Pass"),
    FAIL("Fail");

    private final String shown;

    Result(String shown) {
      this.shown = shown;
    }

    int code() {
      return switch (this) {
        case UNDEFINED -> 0;
        case PASS -> 1;
        case FAIL -> 2;
      };
    }

    String shown() {
      return shown;
    }
  }

  private final class Run {
    private final List<Processes.Running> running = new ArrayList<>();
    private final Consumer<Result> done;
    private int left;
    private boolean over;

    Run(Consumer<Result> done) {
      this.done = done;
    }

    void start(Duration within) {
      left = options.commands().size();
      for (var command : options.commands()) {
        var program =
            new Processes.Program(command.words(), ENVIRONMENT, "", within, OUTPUT_MAX);
        running.add(world.processes().start(program, exit -> ended(command, exit)));
      }
    }

    private void ended(QuorumDevice.Command command, Processes.Exit exit) {
      if (over) {
        return;
      }
      var problem =
          switch (exit) {
            case Processes.Exit.Exited it when it.status() == 0 && it.signal() == 0 -> "";
            case Processes.Exit.Exited it when it.signal() != 0 ->
                "ended by signal " + it.signal();
            case Processes.Exit.Exited it -> "ended with " + it.status();
            case Processes.Exit.TimedOut it ->
                "took longer than %d ms".formatted(it.after().toMillis());
            case Processes.Exit.NotStarted it -> "cannot be started: " + it.why();
          };
      if (!problem.isEmpty()) {
        world.log().info("Heuristics: %s %s".formatted(command.name(), problem));
        end(Result.FAIL);
      } else if (--left == 0) {
        end(Result.PASS);
      }
    }

    private void end(Result result) {
      over = true;
      running.forEach(Processes.Running::kill);
      current = null;
      done.accept(result);
    }

    void cancel() {
      over = true;
      running.forEach(Processes.Running::kill);
    }
  }

  private final World world;
  private final QuorumDevice.Heuristics options;
  private @org.jspecify.annotations.Nullable Run current;

  Heuristics(World world, QuorumDevice.Heuristics options) {
    this.world = world;
    this.options = options;
  }

  boolean isOff() {
    return options.mode() == QuorumDevice.Mode.OFF;
  }

  boolean isRunning() {
    return current != null;
  }

  /// Ends what runs, and runs the commands.
  ///
  /// @param done told in the loop, at the latest after the time; not if another run takes its place
  void run(int millis, Consumer<Result> done) {
    cancel();
    var run = new Run(done);
    current = run;
    run.start(Duration.ofMillis(millis));
  }

  void cancel() {
    var it = current;
    current = null;
    if (it != null) {
      it.cancel();
    }
  }
}
