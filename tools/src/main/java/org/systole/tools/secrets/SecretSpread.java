package org.systole.tools.secrets;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.BlockingClient;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.execd.client.SecretMessage;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import org.systole.tools.cli.Terminal;

/// Has the executor of this node give secrets to the other nodes.
final class SecretSpread {
  /// The executor itself waits for others 30 seconds.
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Terminal terminal;
  private final Output out;

  SecretSpread(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
  }

  /// @param deleted whether this node has it no more
  /// @throws CommandException if not every node that is there has it now; the reasons have been said
  void one(ResourceId resource, String parameter, Path path, boolean deleted)
      throws CommandException {
    spread(
        new SecretMessage.Spread(resource, parameter),
        (deleted ? "Deleting %s from %s ..." : "Syncing %s to %s ..."),
        path);
  }

  void all(Path directory) throws CommandException {
    spread(new SecretMessage.SpreadAll(), "Syncing %s to %s ...", directory);
  }

  private void spread(SecretMessage.Request request, String words, Path path)
      throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(SecretMessage.SOCKET);
    try (var executor = BlockingClient.open(socket, SecretMessage.PROTOCOL)) {
      var nodes = nodes(executor);
      sayWhoIsDown(nodes);
      if (nodes.isEmpty()) {
        return;
      }
      out.info(
          words.formatted(
              path, nodes.stream().map(NodeName::text).collect(Collectors.joining(" "))));
      if (!(executor.call(request, TIMEOUT) instanceof SecretMessage.Spreaded(var outcomes))) {
        throw new IOException("an unexpected answer");
      }
      var failed = false;
      for (var outcome : outcomes) {
        if (!outcome.problem().isEmpty()) {
          out.error("Node %s was not updated: %s".formatted(outcome.node(), outcome.problem()));
          failed = true;
        }
      }
      if (failed) {
        throw new CommandException(
            ExitStatus.ERROR,
            "Not all nodes have it. Mend what is named above, then run `cibsecret sync`");
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "The other nodes were not updated: the executor of this node cannot be asked (%s)"
              .formatted(e.getMessage()));
    }
  }

  private static List<NodeName> nodes(
      BlockingClient<SecretMessage.Request, SecretMessage.Reply, NoEvent> executor)
      throws IOException, CommandException {
    return switch (executor.call(new SecretMessage.NodesQuery(), TIMEOUT)) {
      case SecretMessage.Nodes(var nodes) -> nodes;
      case SecretMessage.Refused(var why) ->
          throw new CommandException(
              ExitStatus.DISCONNECT, "The other nodes were not updated: " + why);
      case SecretMessage.Spreaded _ -> throw new IOException("an unexpected answer");
    };
  }

  private void sayWhoIsDown(List<NodeName> present) throws CommandException {
    var status = LinkStatus.of(terminal);
    for (LinkMessage.ConfiguredNode node : status.configured()) {
      if (!node.name().equals(status.localName()) && !present.contains(node.name())) {
        out.info(
            "Node %s is down - you'll need to update it with `cibsecret sync` later"
                .formatted(node.name()));
      }
    }
  }
}
