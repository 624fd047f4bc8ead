package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.wire.BlockingClient;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.scheduler.status.SummaryView;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// What the supervisor of the local node says of itself.
final class SupervisorStatus {
  private static final DateTimeFormatter UPDATED =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss XXX", Locale.ROOT);

  private SupervisorStatus() {}

  static ExitStatus show(Output out, Terminal terminal, Duration timeout) throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(PacemakerdMessage.SOCKET);
    try (var supervisor = BlockingClient.open(socket, PacemakerdMessage.PROTOCOL)) {
      if (!(supervisor.call(new PacemakerdMessage.Ping(), timeout)
          instanceof PacemakerdMessage.State(var state, var updatedSeconds))) {
        throw new CommandException(
            ExitStatus.PROTOCOL, "error: pacemakerd answered something unexpected");
      }
      show(out, terminal, state, updatedSeconds);
      return ExitStatus.OK;
    } catch (java.net.SocketTimeoutException e) {
      throw new CommandException(
          ExitStatus.TIMEOUT, "error: Command failed: pacemakerd did not answer in time");
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "error: Could not connect to pacemakerd: Not connected (is the cluster running on this"
              + " node?)");
    }
  }

  private static void show(Output out, Terminal terminal, String state, long updatedSeconds) {
    var updated = UPDATED.format(Instant.ofEpochSecond(updatedSeconds).atZone(terminal.zone()));
    switch (out) {
      case TextOutput text ->
          text.print(
              text.isQuiet()
                  ? state + "\n"
                  : "Status of pacemakerd: '%s' (last updated %s)\n"
                      .formatted(words(state), updated));
      case XmlOutput xml ->
          xml.add("pacemakerd", "sys_from", "pacemakerd", "state", state, "last_updated", updated);
    }
  }

  private static String words(String state) {
    for (var known : SummaryView.DaemonState.values()) {
      if (known.word().equals(state)) {
        return known.text();
      }
    }
    return state;
  }
}
