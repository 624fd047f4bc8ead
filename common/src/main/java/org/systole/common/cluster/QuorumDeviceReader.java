package org.systole.common.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.QuorumDevice.Algorithm;
import org.systole.common.cluster.QuorumDevice.Command;
import org.systole.common.cluster.QuorumDevice.Heuristics;
import org.systole.common.cluster.QuorumDevice.Mode;
import org.systole.common.cluster.QuorumDevice.Net;
import org.systole.common.cluster.QuorumDevice.TieBreaker;
import org.systole.common.cluster.QuorumDevice.Tls;
import org.systole.common.values.NodeId;

/// Makes a [QuorumDevice] of the section `device`. A slip in it is refused: a vote that was meant
/// and is missing is noticed only when it is needed.
final class QuorumDeviceReader {
  static final int DEFAULT_PORT = 5403;
  private static final int PORT_MAX = 65_535;
  private static final int SYNC_TIMEOUT = 30_000;
  private static final int TIMEOUT_MIN = 2_000;
  private static final int TIMEOUT_MAX = 240_000;
  private static final int HOUR = 3_600_000;
  private static final int COMMANDS = 32;
  private static final String EXEC = "exec_";

  private final String file;
  private final List<ClusterConfig.Node> nodes;

  QuorumDeviceReader(String file, List<ClusterConfig.Node> nodes) {
    this.file = file;
    this.nodes = nodes;
  }

  /// @param quorum the section around it
  /// @return null if there is none with a model, as Corosync has it
  @Nullable QuorumDevice read(ConfigSection quorum) throws ClusterConfigException {
    if (quorum.sections("device").isEmpty()) {
      return null;
    }
    var device = quorum.sections("device").getFirst();
    var model = device.setting("model");
    if (model == null) {
      return null;
    }
    if (!model.value().equals("net")) {
      throw error(
          model.line(), "quorum device model \"%s\" is unknown; use net".formatted(model.value()));
    }
    if (device.sections("net").isEmpty()) {
      throw error(device.line(), "the quorum device has no section net; add it, with host");
    }
    var net = net(device.sections("net").getFirst());
    var timeout = device.setting("timeout");
    var limit = timeout == null ? null : number(device, "timeout", 0, TIMEOUT_MIN, TIMEOUT_MAX);
    var sync = number(device, "sync_timeout", SYNC_TIMEOUT, TIMEOUT_MIN, HOUR);
    if (limit != null && sync < limit) {
      throw error(
          device.line(),
          "sync_timeout (%d) is less than timeout (%d): no answer could come in that time; raise it"
              .formatted(sync, limit));
    }
    return new QuorumDevice(
        votes(quorum, device, net.algorithm()), limit, sync, net, heuristics(device, sync));
  }

  private int votes(ConfigSection quorum, ConfigSection device, Algorithm algorithm)
      throws ClusterConfigException {
    var sum = nodes.stream().mapToInt(ClusterConfig.Node::votes).sum();
    var even = nodes.stream().allMatch(it -> it.votes() == 1);
    if (device.setting("votes") == null && (!even || quorum.setting("expected_votes") != null)) {
      throw error(
          device.line(),
          "the device's votes do not follow from the nodes', give them: votes in section device");
    }
    var usual = algorithm == Algorithm.FFSPLIT && nodes.size() == 2 ? 1 : Math.max(1, sum - 1);
    var votes = number(device, "votes", usual, 0, 1_000_000);
    if (algorithm == Algorithm.FFSPLIT && (votes != 1 || !even)) {
      throw error(
          device.line(),
          "ffsplit needs votes: 1 for the device and one vote for each node; correct that or use lms");
    }
    if (votes >= sum && sum > 1 || votes > sum) {
      throw error(
          device.line(),
          "the device has %d votes and all nodes together %d: they could do nothing without it; give it %d at most"
              .formatted(votes, sum, Math.max(1, sum - 1)));
    }
    return votes;
  }

  private Net net(ConfigSection net) throws ClusterConfigException {
    var host = net.setting("host");
    if (host == null || host.value().isEmpty()) {
      throw error(net.line(), "the quorum device has no host; give the server's address");
    }
    var algorithm = net.setting("algorithm");
    if (algorithm == null) {
      throw error(net.line(), "the quorum device has no algorithm; use ffsplit or lms");
    }
    var keep = word(net, "keep_active_partition_tie_breaker", "on", "on", "off", "yes", "no");
    return new Net(
        host.value(),
        number(net, "port", DEFAULT_PORT, 1, PORT_MAX),
        word(net, "algorithm", "", "ffsplit", "lms").equals("lms")
            ? Algorithm.LMS
            : Algorithm.FFSPLIT,
        switch (word(net, "tls", "on", "on", "off", "required", "yes", "no")) {
          case "off", "no" -> Tls.OFF;
          case "required" -> Tls.REQUIRED;
          default -> Tls.ON;
        },
        tieBreaker(net),
        net.setting("connect_timeout") == null
            ? null
            : number(net, "connect_timeout", 0, 1_000, 120_000),
        Integer.parseInt(word(net, "force_ip_version", "0", "0", "4", "6")),
        keep.equals("on") || keep.equals("yes"));
  }

  private TieBreaker tieBreaker(ConfigSection net) throws ClusterConfigException {
    var setting = net.setting("tie_breaker");
    if (setting == null || setting.value().equals("lowest")) {
      return new TieBreaker.Lowest();
    }
    if (setting.value().equals("highest")) {
      return new TieBreaker.Highest();
    }
    var id = NodeId.of(setting.value());
    if (id == null || nodes.stream().noneMatch(it -> it.id().equals(id))) {
      throw error(
          setting.line(),
          "tie_breaker is \"%s\"; use lowest, highest or the nodeid of a node"
              .formatted(setting.value()));
    }
    return new TieBreaker.Node(id);
  }

  private Heuristics heuristics(ConfigSection device, int syncTimeout)
      throws ClusterConfigException {
    if (device.sections("heuristics").isEmpty()) {
      return new Heuristics(Mode.OFF, 1_000, syncTimeout / 2, 30_000, List.of());
    }
    var section = device.sections("heuristics").getFirst();
    var commands = new ArrayList<Command>();
    for (var setting : section.settings()) {
      if (setting.key().startsWith(EXEC)) {
        commands.add(command(setting));
      }
    }
    if (commands.size() > COMMANDS) {
      throw error(
          section.line(),
          "there are %d heuristics; use %d at most".formatted(commands.size(), COMMANDS));
    }
    var mode =
        switch (word(section, "mode", "off", "off", "on", "sync")) {
          case "on" -> Mode.ON;
          case "sync" -> Mode.SYNC;
          default -> Mode.OFF;
        };
    return new Heuristics(
        commands.isEmpty() ? Mode.OFF : mode,
        number(section, "timeout", 5_000, 250, 120_000),
        number(section, "sync_timeout", syncTimeout / 2, 250, 120_000),
        number(section, "interval", 30_000, 250, HOUR),
        commands);
  }

  private Command command(ConfigSection.Setting setting) throws ClusterConfigException {
    var words = CommandWords.split(setting.value());
    if (words == null || words.isEmpty() || !words.getFirst().startsWith("/")) {
      throw error(
          setting.line(),
          "%s is \"%s\"; give a program with its whole path, and close every quotation mark"
              .formatted(setting.key(), setting.value()));
    }
    return new Command(setting.key().substring(EXEC.length()), words);
  }

  private String word(ConfigSection section, String key, String otherwise, String... known)
      throws ClusterConfigException {
    var setting = section.setting(key);
    if (setting == null) {
      return otherwise;
    }
    if (!List.of(known).contains(setting.value())) {
      throw error(
          setting.line(),
          "%s is \"%s\"; use %s".formatted(key, setting.value(), String.join(", ", known)));
    }
    return setting.value();
  }

  private int number(ConfigSection section, String key, int otherwise, int min, int max)
      throws ClusterConfigException {
    var setting = section.setting(key);
    if (setting == null) {
      return otherwise;
    }
    try {
      var value = Integer.parseInt(setting.value());
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw error(
        setting.line(),
        "%s is \"%s\"; use a number from %d to %d".formatted(key, setting.value(), min, max));
  }

  private ClusterConfigException error(int line, String what) {
    return ConfigSection.error(file, line, what);
  }
}
