package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.values.Interval;
import org.systole.common.world.Processes;
import org.systole.common.world.Processes.Exit;

/// Runs the first of several programs that exists, and gives its exit in the cluster's terms.
final class AgentProgram implements Runner.Run {
  /// A program that may exist.
  record Candidate(List<String> command, Map<String, String> environment) {}

  private final Processes.Running running;

  private AgentProgram(Processes.Running running) {
    this.running = running;
  }

  /// @param candidates not empty
  /// @param done the exit of the first program that is there, or why the last could not be started
  static AgentProgram start(
      Processes processes,
      List<Candidate> candidates,
      @Nullable Duration timeout,
      int outputMax,
      Consumer<Exit> done) {
    var programs =
        candidates.stream()
            .map(
                it -> new Processes.Program(it.command(), it.environment(), "", timeout, outputMax))
            .toList();
    return new AgentProgram(processes.startFirst(programs, done));
  }

  @Override
  public void kill() {
    running.kill();
  }

  /// Valid after the outcome was reported.
  @Override
  public long leftBehind() {
    return running.isAlive() ? running.pid() : 0;
  }

  @Override
  public void whenGone(Runnable what) {
    running.whenGone(what);
  }

  static boolean isMissing(String why) {
    var words = why.toLowerCase(Locale.ROOT);
    return words.contains("no such file") || words.contains("not found");
  }

  /// What a failure to start means for an operation.
  static Outcome notStarted(String program, String why) {
    if (isMissing(why)) {
      return Outcome.error(
          OcfCode.NOT_INSTALLED, ExecStatus.NOT_INSTALLED, program + ": No such file or directory");
    }
    if (why.contains("not executable") || why.contains("ermission denied")) {
      return Outcome.error(
          OcfCode.INSUFFICIENT_PRIVILEGES, ExecStatus.ERROR, program + ": Permission denied");
    }
    return Outcome.error(OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, why);
  }

  static Outcome timedOut(Duration after) {
    return Outcome.error(
        OcfCode.UNKNOWN_ERROR,
        ExecStatus.TIMEOUT,
        "Resource agent did not complete within " + Interval.format(after.toMillis()));
  }

  static Outcome interrupted(int signal) {
    return Outcome.error(
        OcfCode.UNKNOWN_ERROR,
        ExecStatus.ERROR,
        "Resource agent interrupted by " + signalName(signal) + " signal");
  }

  private static String signalName(int signal) {
    return switch (signal) {
      case 1 -> "Hangup";
      case 2 -> "Interrupt";
      case 3 -> "Quit";
      case 4 -> "Illegal instruction";
      case 6 -> "Aborted";
      case 7 -> "Bus error";
      case 8 -> "Floating point exception";
      case 9 -> "Killed";
      case 11 -> "Segmentation fault";
      case 13 -> "Broken pipe";
      case 14 -> "Alarm clock";
      case 15 -> "Terminated";
      default -> "number " + signal;
    };
  }
}
