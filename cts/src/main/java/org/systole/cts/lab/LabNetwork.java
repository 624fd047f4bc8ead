package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A network of namespaces: one for each node, and one for the bridge between them. Nothing of it
/// is seen in the namespace of the machine itself.
public final class LabNetwork implements AutoCloseable {
  /// What the names of all namespaces begin with; the process id of the maker follows.
  public static final String PREFIX = "systole-lab-";

  private static final int COMMAND_SECONDS = 60;

  private final String prefix;
  private final int nodes;
  private final int links;

  private LabNetwork(String prefix, int nodes, int links) {
    this.prefix = prefix;
    this.nodes = nodes;
    this.links = links;
  }

  /// Why no namespace can be made here, empty if one can.
  public static String obstacle() {
    var name = PREFIX + "try-" + ProcessHandle.current().pid();
    try {
      ip("netns", "add", name);
      try {
        run("ip", "netns", "exec", name, "iptables", "-F", "INPUT");
        ip("-n", name, "link", "add", "br0", "type", "bridge");
        ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "eth1");
        ip("netns", "exec", name, "true");
      } finally {
        ip("netns", "delete", name);
      }
      return "";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /// Makes the network for nodes 1 ... `nodes`.
  public static LabNetwork make(int nodes) throws IOException {
    return make(nodes, 1);
  }

  /// @param links so many networks between them, each with a bridge and cables of its own
  static LabNetwork make(int nodes, int links) throws IOException {
    var made = new LabNetwork(PREFIX + ProcessHandle.current().pid() + "-", nodes, links);
    made.close();
    try {
      made.build();
    } catch (IOException e) {
      made.close();
      throw e;
    }
    return made;
  }

  private void build() throws IOException {
    var bridge = bridge();
    ip("netns", "add", bridge);
    for (var link = 0; link < links; link++) {
      ip("-n", bridge, "link", "add", "br" + link, "type", "bridge");
      ip("-n", bridge, "link", "set", "br" + link, "up");
    }
    for (var id = 1; id <= nodes; id++) {
      add(id);
    }
  }

  /// Adds the namespace of a node, or of a host that is none.
  public void add(int id) throws IOException {
    var bridge = bridge();
    var node = namespace(id);
    var port = "port" + id;
    ip("netns", "add", node);
    ip("-n", bridge, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", node);
    ip("-n", bridge, "link", "set", port, "master", "br0", "up");
    // the same card for one that is added again: others know it by that for a while
    ip("-n", node, "link", "set", "eth0", "address", "02:00:00:00:00:%02x".formatted(id));
    ip("-n", node, "address", "add", address(id) + "/24", "dev", "eth0");
    ip("-n", node, "link", "set", "eth0", "up");
    ip("-n", node, "link", "set", "lo", "up");
    for (var link = 1; link < links; link++) {
      var card = "eth" + link;
      var plug = port(id, link);
      ip("-n", bridge, "link", "add", plug, "type", "veth", "peer", "name", card, "netns", node);
      ip("-n", bridge, "link", "set", plug, "master", "br" + link, "up");
      ip("-n", node, "address", "add", address(id, link) + "/24", "dev", card);
      ip("-n", node, "link", "set", card, "up");
    }
  }

  private static String port(int id, int link) {
    return "port" + id + (link == 0 ? "" : "-" + link);
  }

  /// Takes all addresses from a node but its own: those that resources gave it end with its power.
  void forgetAddresses(int id) throws IOException {
    var node = namespace(id);
    ip("-n", node, "address", "flush", "dev", "eth0");
    ip("-n", node, "address", "add", address(id) + "/24", "dev", "eth0");
  }

  /// Removes a namespace and its cables. These would go with it by themselves, but some time later: the next
  /// namespace of that number could not have its own.
  public void remove(int id) throws IOException {
    for (var link = 0; link < links; link++) {
      ip("-n", bridge(), "link", "delete", port(id, link));
    }
    ip("netns", "delete", namespace(id));
  }

  public String namespace(int id) {
    return prefix + id;
  }

  /// An address that differs between runs, though nobody outside could meet it.
  public String address(int id) {
    return "10.99.%d.%d".formatted(1 + ProcessHandle.current().pid() % 250, id);
  }

  /// The address in another of the networks.
  String address(int id, int link) {
    return link == 0 ? address(id) : address(id).replaceFirst("^10\\.99", "10." + (99 - link));
  }

  public List<String> execute(int id) {
    return List.of("ip", "netns", "exec", namespace(id));
  }

  /// The namespace of the bridge.
  String bridge() {
    return prefix + "bridge";
  }

  /// Gives the bridge an address, with which it is a host like the others.
  void addBridgeAddress(String address) throws IOException {
    ip("-n", bridge(), "address", "add", address, "dev", "br0");
  }

  /// Cuts a node's cable, or mends it.
  public void cable(int id, boolean whole) throws IOException {
    ip("-n", bridge(), "link", "set", "port" + id, whole ? "up" : "down");
  }

  /// As [#cable(int, boolean)] for the cable to one of the networks.
  void cable(int id, int link, boolean whole) throws IOException {
    ip("-n", bridge(), "link", "set", port(id, link), whole ? "up" : "down");
  }

  /// Nothing of one node reaches the other any more; the way back stays open.
  public void cutOneWay(int from, int to) throws IOException {
    keepOut(address(from), to, List.of("-j", "DROP"));
  }

  /// A node's firewall breaks all connections of another, on all networks, and refuses new ones, so that
  /// the processes behind it seem to have ended.
  void reject(int from, int at) throws IOException {
    var how = List.of("-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset");
    for (var link = 0; link < links; link++) {
      keepOut(address(from, link), at, how);
    }
  }

  private void keepOut(String from, int to, List<String> how) throws IOException {
    var command =
        new ArrayList<>(List.of("ip", "netns", "exec", namespace(to), "iptables", "-A", "INPUT"));
    command.addAll(List.of("-s", from));
    command.addAll(how);
    run(command.toArray(String[]::new));
  }

  /// A node's firewall drops all that comes for a port, without a word, or takes it again.
  void drop(int at, int port, boolean on) throws IOException {
    run(
        "ip", "netns", "exec", namespace(at), "iptables", on ? "-A" : "-D", "INPUT",
        "-p", "tcp", "--dport", Integer.toString(port), "-j", "DROP");
  }

  /// Cuts the link between two nodes, both ways.
  public void cut(int one, int other) throws IOException {
    cutOneWay(one, other);
    cutOneWay(other, one);
  }

  /// Cuts some nodes off from all others.
  public void partition(List<Integer> side) throws IOException {
    for (var inside : side) {
      for (var id = 1; id <= nodes; id++) {
        if (!side.contains(id)) {
          cut(inside, id);
        }
      }
    }
  }

  /// All links work again.
  public void heal() throws IOException {
    for (var id = 1; id <= nodes; id++) {
      run("ip", "netns", "exec", namespace(id), "iptables", "-F", "INPUT");
    }
  }

  /// Removes every namespace of this network; the links in them go with them.
  @Override
  public void close() throws IOException {
    for (var name : namespaces()) {
      if (name.startsWith(prefix)) {
        ip("netns", "delete", name);
      }
    }
  }

  /// Ends the processes and removes the namespaces that crashed runs left behind. Their files stay,
  /// for whoever wants to know what happened.
  public static void sweep(Path directory) throws IOException {
    try (var entries = Files.newDirectoryStream(directory, PREFIX + "[0-9]*")) {
      for (var entry : entries) {
        var name = entry.getFileName().toString();
        if (isLeftOver(name.substring(PREFIX.length()).split("-")[0])) {
          killNodesBelow(entry);
        }
      }
    }
    for (var name : namespaces()) {
      if (name.matches(PREFIX + "[0-9]+-.*")
          && isLeftOver(name.substring(PREFIX.length(), name.lastIndexOf('-')))) {
        ip("netns", "delete", name);
      }
    }
  }

  private static boolean isLeftOver(String pid) {
    return pid.matches("[0-9]{1,9}")
        && (Long.parseLong(pid) == ProcessHandle.current().pid()
            || ProcessHandle.of(Long.parseLong(pid)).isEmpty());
  }

  /// Ends the processes that carry a node's directory below this one in their environment.
  private static void killNodesBelow(Path directory) {
    ProcessHandle.allProcesses()
        .filter(it -> it.pid() != ProcessHandle.current().pid())
        .filter(it -> environment(it.pid()).contains("\0SYSTOLE_ROOT=" + directory + "/"))
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static String environment(long pid) {
    try {
      return "\0"
          + new String(
              Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ")),
              StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it ended meanwhile
    }
  }

  private static List<String> namespaces() throws IOException {
    return ip("netns", "list").lines().map(it -> it.split(" ")[0]).toList();
  }

  private static String ip(String... arguments) throws IOException {
    var line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    return run(line.toArray(String[]::new));
  }

  /// Runs a program to its end.
  ///
  /// @return what it prints
  /// @throws IOException if it fails or takes too long, with what it says
  static String run(String... line) throws IOException {
    var process = new ProcessBuilder(line).redirectErrorStream(true).start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException("'" + String.join(" ", line) + "' failed: " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return output;
  }
}
