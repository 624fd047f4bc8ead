package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;
import org.systole.pacemakerd.client.PacemakerdMessage;

/// A node's cluster configuration file. The cluster software reads it when it starts, and when an
/// administrator has it read anew.
final class SimConfFile {
  private static final String BROKEN = "nodelist {\n";
  private static final String DROPPED = "The other nodes no longer list this node in corosync.conf";
  private static final Pattern IN_FORCE =
      Pattern.compile("notice: corosync\\.conf as it was read anew is in force: nodes (.*), \\d+ votes expected.*");

  private final SimCluster cluster;
  private @Nullable Integer listed;
  private @Nullable List<String> names; // of the nodes it lists, where these are not the first ones
  private Set<String> inForce = Set.of(); // the nodes it listed when it was read last
  private boolean dropped; // its node was told that the others list it no more, and leaves
  private long tokenMillis;
  private int links = 1;
  private boolean broken;
  private boolean deviceless;
  private final Map<String, String> otherNames = new LinkedHashMap<>();
  private final Map<String, String> options = new LinkedHashMap<>();
  private final Map<String, String> deviceOptions = new LinkedHashMap<>();

  SimConfFile(SimCluster cluster) {
    this.cluster = cluster;
    this.tokenMillis = cluster.tokenNanos() / 1_000_000;
  }

  /// Lists only the first nodes.
  void list(int first) {
    listed = first;
  }

  /// Lists only these nodes.
  private void list(List<String> only) {
    names = List.copyOf(only);
  }

  /// Whether it lists a node.
  boolean lists(SimNode node) {
    return names == null ? node.id() <= listed() : names.contains(node.name());
  }

  /// Whether lists were changed node by node, and not all nodes are in all of them again, and that in force.
  static boolean areListsChanged(SimCluster cluster) {
    return cluster.nodes().stream().anyMatch(it -> it.file().names != null);
  }

  /// All files list all nodes, and that is in force everywhere.
  static void listsAreComplete(SimCluster cluster) {
    cluster.nodes().forEach(it -> it.file().names = null);
  }

  /// The cluster software of its node starts.
  void isRead() {
    dropped = false;
    inForce = cluster.nodes().stream().filter(this::lists).map(SimNode::name).collect(Collectors.toCollection(TreeSet::new));
  }

  /// What the cluster software of its node says: another list may be in force.
  void said(String text) {
    dropped |= text.contains(DROPPED);
    var match = IN_FORCE.matcher(text);
    if (match.matches()) {
      inForce = new TreeSet<>(List.of(match.group(1).split(" ")));
    }
  }

  /// Whether by the list that is in force there a node is none of the cluster.
  private boolean isWithout(SimNode node) {
    return names != null && !inForce.isEmpty() && !inForce.contains(node.name());
  }

  /// Whether two nodes are both of the cluster, by the lists that are in force on them.
  static boolean areTogether(SimNode one, SimNode two) {
    return !one.file().isWithout(two) && !two.file().isWithout(one);
  }

  /// Whether a node is of the cluster by the lists that are in force on all nodes. If not it may never be a member, nor
  /// alone, while it hears the others.
  static boolean isWithAll(SimNode node) {
    return node.cluster().nodes().stream().allMatch(it -> areTogether(it, node));
  }

  void token(long millis) {
    tokenMillis = millis;
  }

  /// How many links each node has.
  void links(int of) {
    links = of;
  }

  int links() {
    return links;
  }

  /// Whether it cannot be understood.
  void broken(boolean is) {
    broken = is;
  }

  /// Whether the cluster software of a node does not start with it: it cannot be understood, or does not list the node.
  boolean isRefusedThere(SimNode node) {
    return broken || !lists(node);
  }

  /// Takes the quorum device out.
  void deviceless() {
    deviceless = true;
  }

  /// Sets an option in the quorum section.
  void option(String name, String value) {
    options.put(name, value);
  }

  /// Sets an option in the quorum device's section.
  void deviceOption(String name, String value) {
    deviceOptions.put(name, value);
  }

  /// Whether some node's file does not list this one any more, or did not, and that may still be in force.
  private boolean isDropped(SimNode node) {
    return cluster.nodes().stream().anyMatch(it -> !it.file().lists(node) || it.file().isWithout(node));
  }

  private String calls(SimNode node) {
    return otherNames.getOrDefault(node.name(), node.name());
  }

  /// Whether its own file has other names than some node's.
  private boolean isAtOdds(SimNode node) {
    return cluster.nodes().stream()
        .anyMatch(it -> cluster.nodes().stream().anyMatch(of -> !it.file().calls(of).equals(node.file().calls(of))));
  }

  /// Whether a node may end its cluster software for good: some node's file does not list it any more, or has other names,
  /// or it is called like a remote node that was there first, and is not let in.
  boolean mayStayDown(SimNode node) {
    return isDropped(node)
        || node.file().dropped && areListsChanged(cluster)
        || isAtOdds(node)
        || cluster.nodes().stream().anyMatch(it -> it.cib() instanceof Element cib && isRemote(cib, node));
  }

  private static boolean isRemote(Element cib, SimNode node) {
    var members = cib.path("configuration", "nodes");
    return (members == null || members.first("node", String.valueOf(node.id())) == null)
        && cib.find(it -> it.is("node_state") && node.name().equals(it.id()) && Bool.isTrue(it.get("remote_node"))) != null;
  }

  int listed() {
    return listed == null ? cluster.nodes().size() : listed;
  }

  String text(Map<String, String> quorumOptions, String device) {
    if (broken) {
      return BROKEN;
    }
    var text = new StringBuilder("totem {\n  version: 2\n  cluster_name: sim\n");
    text.append("  token: ").append(tokenMillis).append("\n}\nquorum {\n");
    text.append("  provider: corosync_votequorum\n");
    quorumOptions.forEach((name, value) -> text.append("  " + name + ": " + value + "\n"));
    options.forEach((name, value) -> text.append("  " + name + ": " + value + "\n"));
    text.append(section(device)).append("}\nnodelist {\n");
    for (var node : cluster.nodes().stream().filter(this::lists).toList()) {
      text.append("  node {\n    ring0_addr: 10.0.0.").append(node.id());
      for (var link = 1; link < links; link++) {
        text.append("\n    ring%d_addr: 10.0.%d.%d".formatted(link, link, node.id()));
      }
      text.append("\n    name: ").append(calls(node));
      text.append("\n    nodeid: ").append(node.id()).append("\n  }\n");
    }
    return text.append("}\n").toString();
  }

  private String section(String device) {
    var more = new StringBuilder();
    deviceOptions.forEach((name, value) -> more.append("    " + name + ": " + value + "\n"));
    return deviceless ? "" : device.replaceFirst("model: net\n", "model: net\n" + more);
  }

  /// Changes what files say: `nodes N` (the first ones), `lists NODE...`, `token MILLIS`, `links N`, `name NODE OTHER`, `broken`, `whole`.
  static void change(SimCluster cluster, List<SimNode> holders, List<String> words) {
    var names = String.join(" ", holders.stream().map(SimNode::name).toList());
    var all = holders.size() == cluster.nodes().size();
    cluster
        .story()
        .deed(
            "file " + (all ? "all" : names) + " " + String.join(" ", words),
            () -> holders.forEach(it -> it.file().set(words)));
  }

  private void set(List<String> words) {
    switch (words.getFirst()) {
      case "nodes" -> list(Integer.parseInt(words.get(1)));
      case "lists" -> list(words.subList(1, words.size()));
      case "token" -> token(Long.parseLong(words.get(1)));
      case "links" -> links(Integer.parseInt(words.get(1)));
      case "name" -> otherNames.put(words.get(1), words.get(2));
      case "broken" -> broken(true);
      case "whole" -> broken(false);
      default -> throw new IllegalArgumentException("a file cannot say " + words);
    }
  }

  /// An administrator on a node has all nodes read their files anew; what came of it is told.
  static void reload(SimCluster cluster, SimNode node) {
    reload(cluster, node, _ -> {});
  }

  /// @param inForce told whether they have been, and what they say is in force
  static void reload(SimCluster cluster, SimNode node, Consumer<Boolean> inForce) {
    cluster.story().deed("reload " + node.name(), () -> ask(cluster, node, inForce));
  }

  private static void ask(SimCluster cluster, SimNode node, Consumer<Boolean> inForce) {
    cluster.ask(
        node.name(),
        PacemakerdMessage.SOCKET,
        PacemakerdMessage.PROTOCOL,
        new PacemakerdMessage.ReadConfiguration(),
        answer -> {
          var text =
              answer instanceof PacemakerdMessage.ReadAnew(var done, var lines)
                  ? (done ? "done" : "refused") + " " + String.join(" ", lines)
                  : "no answer";
          cluster.change("files read anew, asked on " + node.name() + ": " + text.strip());
          inForce.accept(text.strip().equals("done"));
        });
  }
}
