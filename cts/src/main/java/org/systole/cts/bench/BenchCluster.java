package org.systole.cts.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.systole.cibd.client.CibMessage;
import org.systole.cts.lab.LabNetwork;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// Three nodes in namespaces, with their network and their files.
final class BenchCluster implements AutoCloseable {
  static final int NODES = 3;

  private static final Duration LIMIT = Duration.ofSeconds(120);

  private final Path home;
  private final Path dir;
  private final BenchStage stage;
  private final LabNetwork network;
  private final LocalCluster files;
  private final List<BenchNode> nodes;
  private boolean closed;

  private BenchCluster(
      Path home,
      Path dir,
      BenchStage stage,
      LabNetwork network,
      LocalCluster files,
      List<BenchNode> nodes) {
    this.home = home;
    this.dir = dir;
    this.stage = stage;
    this.network = network;
    this.files = files;
    this.nodes = nodes;
  }

  /// Nodes that are booted and run nothing yet, with default settings and one configuration.
  ///
  /// @param home the installed program
  /// @param parent where the nodes' files go: what it is on is what they write to
  static BenchCluster make(Path home, Path parent, String configuration) throws IOException {
    LabNetwork.sweep(parent);
    var dir = parent.resolve(LabNetwork.PREFIX + ProcessHandle.current().pid());
    Files.createDirectories(dir);
    var stage = BenchStage.make(home, dir.resolve("stage"));
    var network = LabNetwork.make(NODES);
    var all = new ArrayList<LocalNode>();
    var nodes = new ArrayList<BenchNode>();
    for (var id = 1; id <= NODES; id++) {
      var name = "node" + id;
      var node = new LocalNode(name, network.address(id), home, dir.resolve(name), List.of());
      all.add(node);
      nodes.add(new BenchNode(node, id, network.namespace(id), stage, "pacemakerd"));
    }
    var made = new BenchCluster(home, dir, stage, network, new LocalCluster(dir, all), nodes);
    Runtime.getRuntime().addShutdownHook(new Thread(made::closeAtEnd));
    try {
      made.prepare(configuration);
    } catch (IOException e) {
      made.close();
      throw e;
    }
    return made;
  }

  private void prepare(String configuration) throws IOException {
    files.prepare("bench", 0);
    for (var node : nodes) {
      var cluster = node.layout().clusterConfiguration();
      Files.writeString(
          cluster, Files.readString(cluster).replaceFirst("(?m)^ *token:.*\\n", "")); // the default
      var cib = node.layout().state("cib");
      Files.createDirectories(cib);
      Files.writeString(cib.resolve("cib.xml"), configuration);
      node.boot();
    }
  }

  /// Adds a place in the network that is no member's.
  ///
  /// @return what a program is to be started through to be there
  List<String> addPlace(int id) throws IOException {
    network.add(id);
    return network.execute(id);
  }

  /// Adds a booted host that is no member, and runs the executor of a remote node once started.
  BenchNode addRemote(int id, String name) throws IOException {
    network.add(id);
    var node = new LocalNode(name, network.address(id), home, dir.resolve(name), List.of());
    node.prepareRemote();
    var host = new BenchNode(node, id, network.namespace(id), stage, "systole-remoted");
    host.boot();
    return host;
  }

  /// The address of a member or another place in the network.
  String address(int id) {
    return network.address(id);
  }

  /// Where the files of all are.
  Path directory() {
    return dir;
  }

  BenchStage stage() {
    return stage;
  }

  List<BenchNode> nodes() {
    return nodes;
  }

  BenchNode node(String name) {
    return nodes.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
  }

  /// Starts all nodes.
  ///
  /// @return when that began
  double start() throws IOException {
    var begun = now();
    for (var node : nodes) {
      node.start();
    }
    return begun;
  }

  static double now() {
    var now = Instant.now();
    return now.getEpochSecond() + now.getNano() / 1e9;
  }

  /// Cuts a node's cable, or mends it.
  void cable(BenchNode node, boolean whole) throws IOException {
    network.cable(node.id(), whole);
  }

  /// Waits until the cluster is as wanted, as one of these nodes tells.
  Snapshot await(List<BenchNode> witnesses, String what, Predicate<Snapshot> wanted)
      throws IOException {
    var view = new ClusterView(witnesses.stream().map(BenchNode::files).toList());
    var seen = view.await(wanted, LIMIT);
    if (seen == null) {
      throw new IOException("not seen within " + LIMIT.toSeconds() + " s: " + what);
    }
    return seen;
  }

  /// Waits until all nodes are online and that many resources run and nothing is under way, and a
  /// moment longer.
  Snapshot settle(int resources, double extraSeconds) throws IOException {
    return settle(nodes, resources, extraSeconds);
  }

  Snapshot settle(List<BenchNode> witnesses, int resources, double extraSeconds)
      throws IOException {
    Predicate<Snapshot> wanted =
        it ->
            it.dc() != null
                && it.online().size() == NODES
                && running(it) == resources
                && !it.isPending();
    await(witnesses, "a cluster of 3 with " + resources + " resources running", wanted);
    Waiting.seconds(extraSeconds);
    return await(witnesses, "a cluster at rest", wanted);
  }

  static int running(Snapshot seen) {
    return (int)
        seen.status().resources().stream().filter(it -> seen.activeOn(it.id()).size() == 1).count();
  }

  BenchNode dc() throws IOException {
    var name = await(nodes, "a DC", it -> it.dc() != null).dc();
    return node(String.valueOf(name));
  }

  /// Waits for a line in the log of one of the nodes.
  ///
  /// @return when it was written, the first if there are several
  double logged(List<BenchNode> at, String pattern, double since) throws IOException {
    return Waiting.look(
        LIMIT,
        "'" + pattern + "' in a log",
        () -> {
          var first = Double.MAX_VALUE;
          for (var node : at) {
            for (var moment : NodeLog.moments(node.log(), pattern, since)) {
              first = Math.min(first, moment);
            }
          }
          return first == Double.MAX_VALUE ? null : first;
        });
  }

  /// The socket of a node's CIB manager.
  static Path cibSocket(BenchNode node) {
    return node.layout().socket(CibMessage.SOCKET);
  }

  /// What the logs of all nodes end with, for a measurement that failed.
  String evidence() {
    var text = new StringBuilder();
    for (var node : nodes) {
      for (var log : List.of(node.log(), node.layout().log().resolve("console.log"))) {
        try {
          var lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
          text.append("--- ").append(log).append('\n');
          lines
              .subList(Math.max(0, lines.size() - 20), lines.size())
              .forEach(it -> text.append(it).append('\n'));
        } catch (IOException e) {
          text.append("--- no ").append(log).append('\n');
        }
      }
    }
    return text.toString();
  }

  /// Whoever interrupts the benchmark should not be left with its nodes.
  private void closeAtEnd() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("cannot remove all of the nodes: " + e.getMessage());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    for (var node : nodes) {
      node.kill();
    }
    network.close();
    files.removeFiles();
    try (var tree = Files.walk(dir)) {
      for (var file : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
