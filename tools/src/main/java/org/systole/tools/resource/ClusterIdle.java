package org.systole.tools.resource;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.values.Interval;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.ProgressLine;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.WorkUnderWay;

/// Waits until the cluster has nothing left to do.
final class ClusterIdle {
  private final Terminal terminal;
  private final Output out;

  ClusterIdle(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
  }

  /// @param timeout how long at most; null for an hour
  void await(@Nullable String timeout) throws CommandException {
    var millis = timeout == null ? 0 : Interval.parse(timeout, 0);
    var limit = millis == 0 ? Duration.ofHours(1) : Duration.ofMillis(millis);
    try (var controller = CtlConnection.open(terminal.environment(), limit);
        var progress = ProgressLine.of(terminal, out)) {
      var until = terminal.clock().get().plus(limit);
      while (true) {
        var answer = controller.ask(new CtlMessage.WorkQuery());
        if (answer instanceof CtlMessage.Work work) {
          if (work.idle()) {
            return;
          }
          progress.show(WorkUnderWay.text(work));
          if (terminal.clock().get().isAfter(until)) {
            progress.show(null);
            out.error("Pending actions:");
            work.pending().forEach(it -> out.error("\t" + it));
            throw new CommandException(ExitStatus.TIMEOUT, "");
          }
        } else {
          progress.show("no DC yet");
        }
        pause();
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Error connecting to the controller: Not connected (is the cluster running on this"
              + " node?)");
    }
  }

  /// The controller is asked anew this often: it has no event for being idle yet.
  static void pause() throws CommandException {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitStatus.ERROR, "interrupted");
    }
  }
}
