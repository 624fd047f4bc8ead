package org.systole.tools.corosync;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.cluster.ConfigKeys;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.wire.BlockingClient;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import org.systole.tools.cli.Terminal;

/// What is in force on this node: the settings of the cluster configuration file, members, quorum.
///
/// @param keys as [ConfigKeys] has them
/// @param waiting whether `wait_for_all` still keeps this node from having quorum
record RunningConfig(Map<String, String> keys, boolean waiting, LinkMessage.Status status) {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final long DEFAULT_TOKEN = 1000;

  /// A node of the list.
  ///
  /// @param place in the list, from 0
  /// @param address as the file has it
  record Node(int place, long id, String address) {}

  /// @throws CommandException if the node does not run
  static RunningConfig of(Terminal terminal) throws CommandException {
    var answer = ask(terminal, new PacemakerdMessage.ConfigurationQuery(), ANSWER);
    if (!(answer instanceof PacemakerdMessage.Configuration(var text, var waiting))) {
      throw new CommandException(
          ExitStatus.PROTOCOL, "pacemakerd answered something else than its configuration");
    }
    try {
      return new RunningConfig(ConfigKeys.of(text), waiting, LinkStatus.of(terminal));
    } catch (ClusterConfigException e) {
      throw new CommandException(ExitStatus.ERROR, e.getMessage());
    }
  }

  /// Asks the node's pacemakerd.
  ///
  /// @throws CommandException with [ExitStatus#DISCONNECT] if it does not run, or if it refuses
  static PacemakerdMessage.Reply ask(
      Terminal terminal, PacemakerdMessage.Request request, Duration patience)
      throws CommandException {
    var socket = Layout.of(terminal.environment()).socket(PacemakerdMessage.SOCKET);
    try (var client = BlockingClient.open(socket, PacemakerdMessage.PROTOCOL)) {
      var answer = client.call(request, patience);
      if (answer instanceof PacemakerdMessage.Denied(var why)) {
        throw CommandException.denied("pacemakerd refuses", why);
      }
      return answer;
    } catch (java.net.SocketTimeoutException e) {
      throw new CommandException(ExitStatus.TIMEOUT, "pacemakerd did not answer in time");
    } catch (IOException e) {
      throw new CommandException(ExitStatus.DISCONNECT, "the node does not run");
    }
  }

  /// In the order of the list.
  List<Node> nodes() {
    var nodes = new ArrayList<Node>();
    for (var place = 0; ; place++) {
      var prefix = "nodelist.node." + place + ".";
      var id = number(keys.get(prefix + "nodeid"));
      if (id == null) {
        return nodes;
      }
      nodes.add(new Node(place, id, keys.getOrDefault(prefix + "ring0_addr", "")));
    }
  }

  /// With what `token_coefficient` adds; 1000 if the file cannot be read, as by default.
  long tokenMillis() {
    var token = number(keys.get("totem.token"));
    var coefficient = number(keys.get("totem.token_coefficient"));
    var more = coefficient == null ? 0 : coefficient * Math.max(0, nodes().size() - 2);
    return (token == null ? DEFAULT_TOKEN : token) + more;
  }

  @Nullable Node node(long id) {
    return nodes().stream().filter(it -> it.id() == id).findFirst().orElse(null);
  }

  boolean isLocal(Node node) {
    return node.id() == status.localId().number();
  }

  boolean isMember(Node node) {
    return status.membership().members().stream().anyMatch(it -> it.id().number() == node.id());
  }

  static @Nullable Long number(@Nullable String text) {
    return text != null && text.matches("\\d{1,18}") ? Long.valueOf(text) : null;
  }
}
