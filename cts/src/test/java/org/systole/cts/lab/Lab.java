package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.systole.common.xml.Element;
import org.systole.tools.demo.ClusterView;
import org.systole.tools.demo.ClusterView.Snapshot;
import org.systole.tools.demo.LocalCluster;
import org.systole.tools.demo.LocalNode;

/// Three real nodes in namespaces, and what a test does with them: every step is done, seen to have
/// worked, and timed.
final class Lab implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(120);

  private static final int NODES = 3;

  /// Longer than the default: on a machine with little to spare a node may stand still for a while.
  private static final int TOKEN_MILLIS = 3000;

  private static final int LOG_LINES = 25;
  private static final Duration LOOK = Duration.ofMillis(200);

  private final LabNetwork network;
  private final LocalCluster cluster;
  private final ClusterView view;
  private boolean intact = true;

  private Lab(LabNetwork network, LocalCluster cluster) {
    this.network = network;
    this.cluster = cluster;
    this.view = new ClusterView(cluster.nodes());
  }

  /// @param home the installed program
  /// @param parent the directory the nodes' trees are made in
  static Lab make(Path home, Path parent) throws IOException {
    LabNetwork.sweep(parent);
    var dir = parent.resolve(LabNetwork.PREFIX + ProcessHandle.current().pid());
    var network = LabNetwork.make(NODES);
    var nodes = new ArrayList<LocalNode>();
    for (var id = 1; id <= NODES; id++) {
      var name = "node" + id;
      nodes.add(
          new LocalNode(name, network.address(id), home, dir.resolve(name), network.execute(id)));
    }
    var cluster = new LocalCluster(dir, nodes);
    cluster.prepare("lab", TOKEN_MILLIS);
    return new Lab(network, cluster);
  }

  List<LocalNode> nodes() {
    return cluster.nodes();
  }

  LocalNode node(String name) {
    return cluster.node(name);
  }

  Path dir() {
    return cluster.dir();
  }

  LocalNode otherThan(String... names) {
    return nodes().stream()
        .filter(it -> !List.of(names).contains(it.name()))
        .findFirst()
        .orElseThrow();
  }

  /// Whether every step up to now was seen to work.
  boolean isIntact() {
    return intact;
  }

  /// Something to do that may fail.
  interface Action {
    void run() throws IOException;
  }

  /// Does it and says how long it took; a failure comes with the ends of the nodes' logs.
  void step(String what, Action action) throws IOException {
    var begin = System.nanoTime();
    try {
      action.run();
    } catch (IOException | RuntimeException | AssertionError e) {
      intact = false;
      System.out.println("FAILED: " + what + ": " + e.getMessage());
      System.out.println(evidence());
      throw e;
    }
    System.out.printf("%6.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
  }

  /// Waits until the cluster is as wanted, as the first node that answers tells it.
  Snapshot await(String what, Predicate<Snapshot> wanted) {
    return await(view, what, wanted);
  }

  /// Waits until one node tells that the cluster is as wanted.
  Snapshot await(LocalNode witness, String what, Predicate<Snapshot> wanted) {
    return await(new ClusterView(List.of(witness)), what, wanted);
  }

  private static Snapshot await(ClusterView from, String what, Predicate<Snapshot> wanted) {
    var seen = from.await(wanted, LIMIT);
    return seen != null
        ? seen
        : fail("not seen within %d s: %s".formatted(LIMIT.toSeconds(), what));
  }

  Snapshot now() {
    var seen = view.now();
    return seen != null ? seen : fail("no node answers");
  }

  /// Waits for what no event tells, such as a process that comes or goes.
  static void awaitProcess(String what, BooleanSupplier wanted) {
    var deadline = System.nanoTime() + LIMIT.toNanos();
    while (!wanted.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        fail("not seen within %d s: %s".formatted(LIMIT.toSeconds(), what));
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
  }

  static LocalNode.Outcome succeed(LocalNode node, String command, String... arguments)
      throws IOException {
    return expect(0, node, command, arguments);
  }

  static LocalNode.Outcome expect(int status, LocalNode node, String command, String... arguments)
      throws IOException {
    var outcome = node.run(command, arguments);
    assertEquals(
        status,
        outcome.status(),
        () ->
            "%s: %s %s: %s"
                .formatted(
                    node.name(), command, String.join(" ", arguments), outcome.output().strip()));
    return outcome;
  }

  /// The process of one daemon of a node.
  static List<ProcessHandle> daemon(LocalNode node, String name) {
    return node.processes().stream().filter(it -> isDaemon(it.pid(), name)).toList();
  }

  private static boolean isDaemon(long pid, String name) {
    try {
      var words =
          List.of(
              Files.readString(
                      Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1)
                  .split("\0"));
      var main = words.indexOf("org.systole.tools.Main");
      return main >= 0 && words.subList(main + 1, words.size()).indexOf(name) == 0;
    } catch (IOException e) {
      return false; // it ended meanwhile
    }
  }

  /// The last thing done with each resource of a node, other than looking at it. It stays the same
  /// as
  /// long as the resource is left alone.
  static SortedMap<String, String> deeds(Snapshot seen, String node) {
    var found = new TreeMap<String, String>();
    var status = seen.cib().path("status");
    if (status != null) {
      for (var state : status.children("node_state")) {
        if (node.equals(state.get("uname"))) {
          resources(state).forEach(it -> collectDeeds(it, found));
        }
      }
    }
    return found;
  }

  private static void collectDeeds(Element resource, SortedMap<String, String> found) {
    for (var operation : resource.children("lrm_rsc_op")) {
      if (!"monitor".equals(operation.get("operation"))) {
        found.put(
            resource.get("id", "") + " " + operation.get("operation"),
            "call %s at %s".formatted(operation.get("call-id"), operation.get("last-rc-change")));
      }
    }
  }

  private static List<Element> resources(Element state) {
    var list = state.path("lrm", "lrm_resources");
    return list == null ? List.of() : list.children("lrm_resource");
  }

  /// Ends of the logs, and the status as each node tells it.
  private String evidence() throws IOException {
    var text = new StringBuilder();
    for (var node : nodes()) {
      text.append("--- ").append(node.name()).append(": crm_mon\n");
      text.append(node.run("crm_mon", "-1", "-r", "-f").output());
      for (var name : List.of("console.log", "pacemaker.log")) {
        var log = node.layout().log().resolve(name);
        if (Files.exists(log)) {
          var lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
          text.append("--- ").append(node.name()).append(": ").append(name).append('\n');
          lines
              .subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
              .forEach(it -> text.append(it).append('\n'));
        }
      }
    }
    return text.toString();
  }

  /// Asks all nodes to stop in good order.
  ///
  /// @return those that did not
  List<String> stop() throws IOException {
    return cluster.stop(LIMIT);
  }

  /// Ends and removes everything; the nodes' files stay after a failure.
  @Override
  public void close() throws IOException {
    try {
      for (var node : nodes()) {
        node.kill();
      }
    } finally {
      network.close();
    }
    if (intact) {
      cluster.removeFiles();
      Files.delete(cluster.dir());
    } else {
      System.out.println("the nodes' files are kept in " + cluster.dir());
    }
  }
}
