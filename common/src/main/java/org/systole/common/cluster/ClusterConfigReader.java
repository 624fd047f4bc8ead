package org.systole.common.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Makes a [ClusterConfig] of corosync.conf's text. What belongs to corosync's own inner life is
/// ignored.
final class ClusterConfigReader {
  private static final int DEFAULT_TOKEN = 1000;
  private static final int TOKEN_MAX = 600_000;
  private static final int DEFAULT_PORT = 5405;
  private static final int PORT_MAX = 65_000; // some ports above are used too
  private static final int LINK_MAX = 7;
  private static final int PRIORITY = 1;
  private static final int PRIORITY_MAX = 255;
  private static final int DEFAULT_WINDOW = 10_000;

  private final String file;
  private final List<String> remarks = new ArrayList<>();

  ClusterConfigReader(String file) {
    this.file = file;
  }

  ClusterConfig read(String text) throws ClusterConfigException {
    var root = ConfigSection.parse(file, text);
    var totem = section(root, "totem");
    check(totem);
    var nodes = nodes(root);
    var token = number(totem, "token", DEFAULT_TOKEN, ClusterConfig.TOKEN_MIN, TOKEN_MAX);
    var coefficient = number(totem, "token_coefficient", 0, 0, TOKEN_MAX);
    var quorum = section(root, "quorum");
    var device = new QuorumDeviceReader(file, nodes).read(quorum);
    return new ClusterConfig(
        text(totem, "cluster_name", "systole"),
        Math.min(token + (long) coefficient * Math.max(0, nodes.size() - 2), ClusterConfig.TOKEN_MOST),
        port(totem),
        encrypted(totem),
        optional(totem, "keyfile"),
        nodes,
        priorities(totem),
        quorum(quorum, nodes, device),
        device,
        remarks);
  }

  /// What is not used is checked all the same: a slip there is a slip in what was meant.
  private void check(ConfigSection totem) throws ClusterConfigException {
    oneOf(totem, "version", "2");
    oneOf(totem, "transport", "knet", "udpu", "udp");
    oneOf(totem, "link_mode", "passive", "active", "rr");
    oneOf(totem, "secauth", "on", "off", "yes", "no", "1", "0");
    oneOf(totem, "crypto_cipher", "none", "aes256", "aes192", "aes128", "3des");
    oneOf(totem, "crypto_hash", "none", "md5", "sha1", "sha256", "sha384", "sha512");
    var keyFile = totem.setting("keyfile");
    if (keyFile != null && !keyFile.value().startsWith("/")) {
      throw error(
          keyFile.line(), "keyfile is \"%s\"; give the whole path".formatted(keyFile.value()));
    }
  }

  private void oneOf(ConfigSection section, String key, String... known)
      throws ClusterConfigException {
    var setting = section.setting(key);
    if (setting != null && !List.of(known).contains(setting.value())) {
      throw error(
          setting.line(),
          "%s is \"%s\"; use %s".formatted(key, setting.value(), String.join(", ", known)));
    }
  }

  private int port(ConfigSection totem) throws ClusterConfigException {
    for (var section : totem.sections("interface")) {
      if (link(section) == 0 && section.setting("mcastport") != null) {
        return number(section, "mcastport", DEFAULT_PORT, 1, PORT_MAX);
      }
    }
    return number(totem, "mcastport", DEFAULT_PORT, 1, PORT_MAX);
  }

  private int link(ConfigSection section) throws ClusterConfigException {
    return number(section, "linknumber", number(section, "ringnumber", 0, 0, LINK_MAX), 0, LINK_MAX);
  }

  private SortedMap<Integer, Integer> priorities(ConfigSection totem)
      throws ClusterConfigException {
    var priorities = new TreeMap<Integer, Integer>();
    for (var section : totem.sections("interface")) {
      priorities.put(
          link(section), number(section, "knet_link_priority", PRIORITY, 0, PRIORITY_MAX));
    }
    return priorities;
  }

  private static boolean encrypted(ConfigSection totem) {
    var cipher = totem.setting("crypto_cipher");
    var hash = totem.setting("crypto_hash");
    var secure = totem.setting("secauth");
    if (cipher != null) {
      return !cipher.value().equals("none") || (hash != null && !hash.value().equals("none"));
    }
    return secure == null || !List.of("off", "no", "0").contains(secure.value());
  }

  private List<ClusterConfig.Node> nodes(ConfigSection root) throws ClusterConfigException {
    var list = root.sections("nodelist");
    if (list.isEmpty() || list.getFirst().sections("node").isEmpty()) {
      throw new ClusterConfigException(
          file + ": there is no nodelist with nodes; list every node of the cluster in it");
    }
    var nodes = new ArrayList<ClusterConfig.Node>();
    for (var section : list.getFirst().sections("node")) {
      var node = node(section);
      for (var other : nodes) {
        if (other.id().equals(node.id())
            || other.name().equals(node.name())
            || other.addresses().values().stream().anyMatch(node.addresses()::containsValue)) {
          throw error(
              section.line(),
              "node %s has the nodeid, name or address of node %s; give each its own"
                  .formatted(node.name(), other.name()));
        }
      }
      nodes.add(node);
    }
    nodes.sort(Comparator.comparing(ClusterConfig.Node::id));
    return nodes;
  }

  private ClusterConfig.Node node(ConfigSection section) throws ClusterConfigException {
    var addresses = addresses(section);
    var address = addresses.get(0);
    if (address == null) {
      throw error(section.line(), "the node has no ring0_addr; give its address");
    }
    if (section.setting("nodeid") == null) {
      throw error(
          section.line(), "node %s has no nodeid; give each node a number".formatted(address));
    }
    var listed = section.setting("name") != null && !isAddress(text(section, "name", address));
    var name = NodeName.of(listed ? text(section, "name", address) : address);
    if (name == null) {
      throw error(section.line(), "the node's name has control characters; give it another");
    }
    return new ClusterConfig.Node(
        new NodeId(number(section, "nodeid", 0, 1, Integer.MAX_VALUE)),
        name,
        listed ? ClusterConfig.Naming.LISTED : ClusterConfig.Naming.UNKNOWN,
        addresses,
        number(section, "quorum_votes", 1, 0, 1000));
  }

  private TreeMap<Integer, String> addresses(ConfigSection section) throws ClusterConfigException {
    var addresses = new TreeMap<Integer, String>();
    for (var link = 0; link <= LINK_MAX; link++) {
      var setting = "ring%d_addr".formatted(link);
      var address = optional(section, setting);
      if (address == null || address.isEmpty()) {
        continue;
      }
      if (address.chars()
          .anyMatch(it -> Character.isWhitespace(it) || "\"'{},;".indexOf(it) >= 0)) {
        throw error(
            section.line(),
            "%s is \"%s\"; give one address or name".formatted(setting, address));
      }
      if (addresses.containsValue(address)) {
        throw error(
            section.line(), "%s is the address of another link, too".formatted(setting));
      }
      addresses.put(link, address);
    }
    return addresses;
  }

  /// An IP address is no name, as with Pacemaker; a host name that is the node's address is one.
  private static boolean isAddress(String text) {
    return text.matches("\\d+(\\.\\d+){3}") || text.matches("[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*");
  }

  private QuorumOptions quorum(
      ConfigSection section, List<ClusterConfig.Node> nodes, @Nullable QuorumDevice device)
      throws ClusterConfigException {
    var provider = section.setting("provider");
    if (provider != null && !provider.value().equals("corosync_votequorum")) {
      throw error(
          provider.line(),
          "quorum provider \"%s\" is unknown; use corosync_votequorum".formatted(provider.value()));
    }
    var votes = nodes.stream().mapToInt(ClusterConfig.Node::votes).sum();
    var all = Math.max(1, votes) + (device == null ? 0 : device.votes());
    var expected = number(section, "expected_votes", all, 1, 1_000_000);
    var asked = flag(section, "two_node", false);
    var twoNode = asked && nodes.size() <= 2;
    if (asked && nodes.size() > 2) { // left alone, as by Corosync: crmsh adds a third node so, and takes it out once that runs
      expected = Math.max(expected, all);
      remarks.add("two_node has no effect in %s, which lists %d nodes".formatted(file, nodes.size()));
    }
    var tieBreaker = flag(section, "auto_tie_breaker", false);
    if (twoNode && nodes.size() == 2 && all == 2 && expected < 2) {
      expected = all; // crmsh adds a second node so, and corrects the number once that runs
    }
    if (twoNode && nodes.size() == 2 && all == 2 && expected > 2) {
      throw error(
          section.line(),
          "two_node goes with two votes, and expected_votes is %d; remove one of them"
              .formatted(expected));
    }
    if (twoNode && (nodes.size() != 2 || expected != 2)) {
      throw error(
          section.line(),
          "two_node needs exactly two nodes with one vote each, and there are %d; remove it"
              .formatted(nodes.size()));
    }
    if (twoNode && tieBreaker) {
      throw error(section.line(), "two_node and auto_tie_breaker exclude each other; remove one");
    }
    if (device != null) {
      var voters = (int) nodes.stream().filter(it -> it.votes() > 0).count();
      checkWithDevice(section, expected - device.votes(), voters);
    }
    return withTieBreaker(section, expected, twoNode, tieBreaker, nodes, device);
  }

  /// What decides between sides in another way than the device would.
  private void checkWithDevice(ConfigSection section, int ofNodes, int count)
      throws ClusterConfigException {
    for (var option :
        List.of("two_node", "last_man_standing", "auto_tie_breaker", "allow_downscale")) {
      if (flag(section, option, false)) {
        throw error(
            section.line(),
            "%s and a quorum device exclude each other; remove one".formatted(option));
      }
    }
    if (ofNodes < count) {
      throw error(
          section.line(),
          "expected_votes leaves %d for %d nodes once the device's votes are taken off; raise it or remove it"
              .formatted(ofNodes, count));
    }
  }

  private QuorumOptions withTieBreaker(
      ConfigSection section,
      int expected,
      boolean twoNode,
      boolean tieBreaker,
      List<ClusterConfig.Node> nodes,
      @Nullable QuorumDevice device)
      throws ClusterConfigException {
    var ids = new ArrayList<NodeId>();
    var setting = section.setting("auto_tie_breaker_node");
    var highest = setting != null && setting.value().equals("highest");
    if (setting != null && !highest && !setting.value().equals("lowest")) {
      for (var word : setting.value().split("\\s+")) {
        var number = parse(setting, word);
        var id = NodeId.of(number);
        if (id == null || nodes.stream().noneMatch(it -> it.id().equals(id))) {
          throw error(setting.line(), "no node has the nodeid %d; correct it".formatted(number));
        }
        ids.add(id);
      }
    }
    return new QuorumOptions(
        expected,
        twoNode,
        flag(section, "wait_for_all", twoNode),
        flag(section, "last_man_standing", false),
        number(section, "last_man_standing_window", DEFAULT_WINDOW, 0, Integer.MAX_VALUE),
        tieBreaker,
        ids,
        highest,
        device == null ? null : device.votes());
  }

  private static ConfigSection section(ConfigSection root, String name) {
    var found = root.sections(name);
    return found.isEmpty() ? new ConfigSection(name, 1, List.of(), List.of()) : found.getFirst();
  }

  private static @Nullable String optional(ConfigSection section, String key) {
    var setting = section.setting(key);
    return setting == null ? null : setting.value();
  }

  private static String text(ConfigSection section, String key, String otherwise) {
    var setting = section.setting(key);
    return setting == null || setting.value().isEmpty() ? otherwise : setting.value();
  }

  private boolean flag(ConfigSection section, String key, boolean otherwise)
      throws ClusterConfigException {
    var setting = section.setting(key);
    if (setting == null) {
      return otherwise;
    }
    return switch (setting.value().toLowerCase(Locale.ROOT)) {
      case "1", "yes", "on", "true" -> true;
      case "0", "no", "off", "false" -> false;
      default ->
          throw error(setting.line(), "%s is \"%s\"; use 1 or 0".formatted(key, setting.value()));
    };
  }

  private int number(ConfigSection section, String key, int otherwise, int min, int max)
      throws ClusterConfigException {
    var setting = section.setting(key);
    if (setting == null) {
      return otherwise;
    }
    var value = parse(setting, setting.value());
    if (value < min || value > max) {
      throw error(
          setting.line(), "%s is %d; use a number from %d to %d".formatted(key, value, min, max));
    }
    return value;
  }

  private int parse(ConfigSection.Setting setting, String word) throws ClusterConfigException {
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException e) {
      throw error(setting.line(), "%s is \"%s\"; use a number".formatted(setting.key(), word));
    }
  }

  private ClusterConfigException error(int line, String what) {
    return ConfigSection.error(file, line, what);
  }
}
