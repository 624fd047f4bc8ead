package org.systole.tools.corosync;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
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
/// @param tokenMillis in force, with what `token_coefficient` adds
/// @param waiting whether `wait_for_all` still keeps this node from having quorum
/// @param links none where each node has one, or the node is of a build that does not tell
record RunningConfig(
    Map<String, String> keys,
    long tokenMillis,
    boolean waiting,
    LinkMessage.Status status,
    List<PacemakerdMessage.LinkState> links) {
  private static final int LINKS = 8;
  static final Duration ANSWER = Duration.ofSeconds(10);

  /// A node of the list.
  ///
  /// @param place in the list, from 0
  /// @param addresses as the file has them, by the links' numbers
  record Node(int place, long id, SortedMap<Integer, String> addresses) {
    /// On link 0.
    String address() {
      return addresses.getOrDefault(0, "");
    }
  }

  /// @throws CommandException if the node does not run
  static RunningConfig of(Terminal terminal) throws CommandException {
    var answer = ask(terminal, new PacemakerdMessage.ConfigurationQuery(), ANSWER);
    if (!(answer instanceof PacemakerdMessage.Configuration(var text, var waiting))) {
      throw new CommandException(
          ExitStatus.PROTOCOL, "pacemakerd answered something else than its configuration");
    }
    try {
      var token = ClusterConfig.parse("corosync.conf", text).tokenMillis();
      var keys = ConfigKeys.of(text);
      return new RunningConfig(keys, token, waiting, LinkStatus.of(terminal), links(terminal, keys));
    } catch (ClusterConfigException e) {
      throw new CommandException(ExitStatus.ERROR, e.getMessage());
    }
  }

  private static List<PacemakerdMessage.LinkState> links(
      Terminal terminal, Map<String, String> keys) throws CommandException {
    if (keys.keySet().stream().noneMatch(it -> it.matches("nodelist\\.node\\.\\d+\\.ring[1-7]_addr"))) {
      return List.of();
    }
    try {
      return ask(terminal, new PacemakerdMessage.LinksQuery(), ANSWER)
              instanceof PacemakerdMessage.Links(var states)
          ? states
          : List.of();
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      return List.of(); // it has just answered something else: it does not know this question
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
      var addresses = new TreeMap<Integer, String>();
      for (var link = 0; link < LINKS; link++) {
        var address = keys.get(prefix + "ring%d_addr".formatted(link));
        if (address != null) {
          addresses.put(link, address);
        }
      }
      nodes.add(new Node(place, id, addresses));
    }
  }

  @Nullable Node node(long id) {
    return nodes().stream().filter(it -> it.id() == id).findFirst().orElse(null);
  }

  /// Whether a link to another node is up. Where the node says nothing of it, as a node with one link
  /// or of an older build, the members' are.
  boolean isUp(Node node, int link) {
    return links.stream()
        .filter(it -> it.node().number() == node.id() && it.link() == link)
        .findFirst()
        .map(PacemakerdMessage.LinkState::up)
        .orElseGet(() -> isMember(node));
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
