package org.systole.tools.cli;

import java.io.IOException;
import java.time.Duration;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.wire.BlockingClient;

/// What the node's link says of nodes, membership and quorum.
public final class LinkStatus {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private LinkStatus() {}

  /// How this node stands with the quorum device.
  ///
  /// @throws CommandException if the cluster does not run on this node
  public static LinkMessage.DeviceInfo device(Terminal terminal, boolean verbose)
      throws CommandException {
    return ask(terminal, new LinkMessage.DeviceQuery(verbose), LinkMessage.DeviceInfo.class);
  }

  /// @throws CommandException if the cluster does not run on this node
  public static LinkMessage.Status of(Terminal terminal) throws CommandException {
    return ask(terminal, new LinkMessage.StatusQuery(), LinkMessage.Status.class);
  }

  private static <T extends LinkMessage.Reply> T ask(
      Terminal terminal, LinkMessage.Request question, Class<T> wanted) throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(LinkMessage.SOCKET);
    try (var link = BlockingClient.open(socket, LinkMessage.PROTOCOL)) {
      var answer = link.call(question, TIMEOUT);
      if (!wanted.isInstance(answer)) {
        throw new CommandException(
            ExitStatus.PROTOCOL, "The cluster layer answered something else than what it was asked");
      }
      return wanted.cast(answer);
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Could not connect to the cluster: Not connected (is the cluster running on this node?)");
    }
  }
}
