package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import org.systole.cibd.client.CibMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.wire.BlockingClient;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// Does something again whenever the CIB has changed, and now and then anyway, until it is told to
/// end from another thread, which then interrupts this one.
final class CibWatch {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /// What is done.
  interface Step {
    void run() throws CommandException;
  }

  private final Terminal terminal;
  private final Duration refresh;
  private final Step step;
  private volatile boolean over;

  /// @param refresh how often to do it without a reason, and to look for the cluster where it is
  ///     gone
  CibWatch(Terminal terminal, Duration refresh, Step step) {
    this.terminal = terminal;
    this.refresh = refresh;
    this.step = step;
  }

  void end() {
    over = true;
  }

  boolean isOver() {
    return over;
  }

  void run() throws CommandException {
    while (!over) {
      step.run();
      follow();
    }
  }

  private void follow() throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(CibMessage.SOCKET);
    try (var cib = BlockingClient.open(socket, CibMessage.PROTOCOL)) {
      cib.call(new CibMessage.Subscribe(), ANSWER);
      while (!over) {
        var event = cib.event(refresh);
        while (event != null) { // what came at once is dealt with at once
          event = cib.event(Duration.ofMillis(50));
        }
        step.run();
      }
    } catch (IOException e) {
      pause();
    }
  }

  private void pause() throws CommandException {
    try {
      if (!over) {
        Thread.sleep(refresh);
      }
    } catch (InterruptedException e) {
      if (!over) {
        Thread.currentThread().interrupt();
        throw new CommandException(ExitStatus.ERROR, "interrupted");
      }
    }
  }
}
