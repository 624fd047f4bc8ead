package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import org.systole.cibd.client.CibMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.wire.BlockingClient;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// A display kept up to date on a terminal: drawn anew when the CIB changes, and now and then
/// anyway.
final class StatusScreen {
  private static final String CLEAR = "\033[H\033[2J";
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /// Makes the text to show.
  interface Drawing {
    String draw() throws CommandException;
  }

  private final Terminal terminal;
  private final Duration refresh;
  private final Drawing drawing;

  /// @param refresh how often to draw without a reason, and to look for the cluster where it is
  ///     gone
  StatusScreen(Terminal terminal, Duration refresh, Drawing drawing) {
    this.terminal = terminal;
    this.refresh = refresh;
    this.drawing = drawing;
  }

  /// Shows until the user ends the process.
  ExitStatus run() throws CommandException {
    while (true) {
      draw();
      follow();
    }
  }

  private void draw() throws CommandException {
    terminal.out().print(CLEAR + drawing.draw());
    terminal.out().flush();
  }

  /// Draws at every change until the connection is lost.
  private void follow() throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(CibMessage.SOCKET);
    try (var cib = BlockingClient.open(socket, CibMessage.PROTOCOL)) {
      cib.call(new CibMessage.Subscribe(), ANSWER);
      while (true) {
        var event = cib.event(refresh);
        while (event != null) { // what came at once is shown at once
          event = cib.event(Duration.ofMillis(50));
        }
        draw();
      }
    } catch (IOException e) {
      pause();
    }
  }

  private void pause() throws CommandException {
    try {
      Thread.sleep(refresh);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitStatus.ERROR, "interrupted");
    }
  }
}
