package org.systole.common.world;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Interval;

/// Programs started by a daemon, each in a process group of its own.
public interface Processes {
  /// A program to run.
  ///
  /// @param command the program and its arguments; no shell is involved
  /// @param environment the whole environment, nothing is inherited
  /// @param input what it reads on standard input
  /// @param timeout after this the whole process group is killed; null for a program without end
  /// @param outputMax bytes kept of standard output and of standard error each; 0 sends both to
  ///     where this process' standard output goes
  record Program(
      List<String> command,
      Map<String, String> environment,
      String input,
      @Nullable Duration timeout,
      int outputMax) {
    /// Whether it is to run as long as the process that starts it, and writes its output where that
    /// one does. Its standard input ends with that process.
    public boolean isDaemon() {
      return timeout == null && outputMax == 0;
    }
  }

  /// How a program ended.
  sealed interface Exit {
    /// What became of it, as people say it: "killed by signal 9 after 2m".
    default String words() {
      return switch (this) {
        case Exited(var status, var signal, var _, var errors, var took) ->
            "%s after %s%s"
                .formatted(
                    signal == 0 ? "exit status " + status : "killed by signal " + signal,
                    seconds(took),
                    errors.isBlank() ? "" : ": " + errors.strip());
        case TimedOut(var _, var _, var after) -> "killed as it took longer than " + seconds(after);
        case NotStarted(var why) -> "not started: " + why;
      };
    }

    private static String seconds(Duration time) {
      return time.toSeconds() == 0 ? time.toMillis() + "ms" : Interval.format(time.toSeconds() * 1000);
    }

    /// It ended by itself, or by a signal it did not get from here (`signal` then is not 0).
    record Exited(int status, int signal, String output, String errors, Duration took)
        implements Exit {}

    /// Its process group was killed after the timeout. One that hangs in the kernel, as with a disk
    /// that does not answer, may still be there, see [Running#isAlive].
    record TimedOut(String output, String errors, Duration after) implements Exit {}

    /// It could not be started.
    record NotStarted(String why) implements Exit {}
  }

  interface Running {
    /// 0 while it is not known.
    long pid();

    /// Whether the program is there: also before its exit was told, and after that if it, or a
    /// process it had started, could not be killed.
    boolean isAlive();

    /// Has something done in the loop once the program is gone. Where its exit was told and it could
    /// be killed, that is at once.
    void whenGone(Runnable what);

    /// Writes a line to the standard input of a daemon, see [Program#isDaemon].
    ///
    /// @param line without its end
    void tell(String line);

    /// Sends SIGTERM to the program, not to its group.
    void terminate();

    /// Kills the whole process group. The exit is still reported.
    void kill();
  }

  /// Starts a program; `onExit` is told in the loop, once.
  default Running start(Program program, Consumer<Exit> onExit) {
    return startFirst(List.of(program), onExit);
  }

  /// Starts the first of several programs whose file is there, the last if there is none.
  ///
  /// @param programs not empty
  Running startFirst(List<Program> programs, Consumer<Exit> onExit);
}
