package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// Real nodes in namespaces, and what a test does with them: every step is done, seen to have
/// worked, and timed.
final class Lab implements AutoCloseable {
  /// How long to wait for anything; `lab.patience` in seconds.
  static final Duration LIMIT = Duration.ofSeconds(Long.getLong("lab.patience", 120));

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final AtomicInteger MADE = new AtomicInteger();

  private final Path distribution;
  private final Shape shape;
  private final LabNetwork network;
  private final LocalCluster cluster;
  private final ClusterView view;
  private final @Nullable LabQnetd qnetd;
  private final SortedMap<String, Integer> hosts = new TreeMap<>();
  private final SortedMap<String, LocalNode> machines = new TreeMap<>(); // those of the hosts
  private boolean intact = true;

  private final Evidence evidence;

  private Lab(
      Path distribution,
      Shape shape,
      LabNetwork network,
      LocalCluster cluster,
      @Nullable LabQnetd qnetd)
      throws IOException {
    this.distribution = distribution;
    this.shape = shape;
    this.network = network;
    this.cluster = cluster;
    this.qnetd = qnetd;
    this.view = new ClusterView(cluster.nodes());
    this.evidence = new Evidence(cluster.dir().resolve("evidence"));
  }

  /// @param distribution the installed program; the lab adds its own agents to a copy
  /// @param parent the directory the nodes' trees are made in
  static Lab make(Path distribution, Path parent, Shape shape) throws IOException {
    LabNetwork.sweep(parent);
    var dir =
        parent.resolve(
            LabNetwork.PREFIX + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet());
    var network = LabNetwork.make(shape.nodes() + (shape.hasDevice() ? 1 : 0), shape.links());
    var nodes = new ArrayList<LocalNode>();
    for (var id = 1; id <= shape.nodes(); id++) {
      var name = "node" + id;
      var home = dir.resolve("home").resolve(name);
      LabHome.make(distribution, home);
      nodes.add(
          new LocalNode(name, network.address(id), home, dir.resolve(name), network.execute(id)));
    }
    var cluster = new LocalCluster(dir, nodes);
    var device = shape.nodes() + 1;
    var quorum =
        shape.quorum().stream()
            .map(it -> it.replace(LabQnetd.HOST, network.address(device)))
            .toList();
    cluster.prepare(
        "lab", shape.tokenMillis(), quorum, id -> moreAddresses(network, shape.links(), id));
    var qnetd =
        shape.hasDevice()
            ? LabQnetd.make(dir.resolve("qnetd"), network.execute(device), "lab", nodes)
            : null;
    return new Lab(distribution, shape, network, cluster, qnetd);
  }

  private static List<String> moreAddresses(LabNetwork network, int links, int id) {
    return IntStream.range(1, links)
        .mapToObj(link -> "ring%d_addr: %s".formatted(link, network.address(id, link)))
        .toList();
  }

  /// The installed program that is tested.
  Path distribution() {
    return distribution;
  }

  /// Replaces the program on one node.
  ///
  /// @param build an installed program
  void install(LocalNode node, Path build) throws IOException {
    LabHome.replace(build, node.home());
  }

  Shape shape() {
    return shape;
  }

  /// Adds a host that is no member, with a cable and an address of its own.
  LocalNode addHost(String name) throws IOException {
    var id = nextHostId();
    hosts.put(name, id);
    network.add(id);
    var home = dir().resolve("home").resolve(name);
    LabHome.remove(home);
    LabHome.remove(dir().resolve(name));
    LabHome.make(distribution, home);
    var host = new LocalNode(name, network.address(id), home, dir().resolve(name), network.execute(id));
    machines.put(name, host);
    return host;
  }

  private int nextHostId() {
    var id = deviceId();
    while (hosts.containsValue(id)) {
      id++;
    }
    return id;
  }

  /// Cuts the cable of a host that is no member, or mends it.
  void hostCable(String name, boolean whole) throws IOException {
    network.cable(Objects.requireNonNull(hosts.get(name), name), whole);
  }

  /// The firewall of a host that is no member drops what comes for a port, or takes it again.
  void hostDrops(String name, int port, boolean on) throws IOException {
    network.drop(Objects.requireNonNull(hosts.get(name), name), port, on);
  }

  /// Nothing of a host that is no member reaches this member any more, until the network is healed.
  void keepFrom(LocalNode member, String host) throws IOException {
    network.cutOneWay(Objects.requireNonNull(hosts.get(host), host), Run.id(member));
  }

  /// Removes a host that is no member, whose processes have ended.
  void removeHost(String name) throws IOException {
    network.remove(Objects.requireNonNull(hosts.remove(name), name));
    machines.remove(name);
  }

  LabNetwork network() {
    return network;
  }

  /// The quorum device of a shape that has one.
  LabQnetd qnetd() {
    return Objects.requireNonNull(qnetd, "this lab has no quorum device");
  }

  /// The quorum device's number in the network.
  int deviceId() {
    return shape.nodes() + 1;
  }

  Evidence evidence() {
    return evidence;
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
      System.out.println(LabLogs.ends(this));
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
    return seen != null ? seen : missed(what);
  }

  Snapshot now() {
    return now(view);
  }

  Snapshot now(LocalNode witness) {
    return now(new ClusterView(List.of(witness)));
  }

  private static Snapshot now(ClusterView from) {
    var seen = from.now();
    if (seen == null) {
      throw new LabFailure("no node answers");
    }
    return seen;
  }

  private static <T> T missed(String what) {
    throw new LabFailure("not seen within %d s: %s".formatted(LIMIT.toSeconds(), what));
  }

  /// Waits for what no event tells, such as a process that comes or goes.
  static void awaitProcess(String what, BooleanSupplier wanted) {
    var deadline = System.nanoTime() + LIMIT.toNanos();
    while (!wanted.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        missed(what);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new LabFailure("interrupted while waiting for: " + what);
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
    LabFailure.unless(
        status == outcome.status(),
        "%s: %s %s: status %d, not %d: %s"
            .formatted(
                node.name(),
                command,
                String.join(" ", arguments),
                outcome.status(),
                status,
                outcome.output().strip()));
    return outcome;
  }

  /// The last thing done with each resource of a node, other than looking at it. It stays the same
  /// as long as the resource is left alone.
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

  /// Asks all nodes to stop in good order.
  ///
  /// @return those that did not
  List<String> stop() throws IOException {
    return cluster.stop(LIMIT);
  }

  /// Something went wrong here: the files stay.
  void spoil() {
    intact = false;
  }

  /// Ends and removes everything; the nodes' files stay after a failure.
  @Override
  public void close() throws IOException {
    try {
      // all at once, or those left would fence the first ones, and so start them again
      var all = new ArrayList<>(nodes());
      all.addAll(machines.values()); // of a run that was broken off
      var processes = new ArrayList<Long>();
      for (var node : all) {
        processes.addAll(LabProcesses.freeze(node));
      }
      LabProcesses.kill(processes);
      for (var node : all) {
        node.kill();
      }
      if (qnetd != null) {
        qnetd.kill();
      }
    } finally {
      network.close();
    }
    if (intact) {
      LabHome.remove(cluster.dir());
    } else {
      System.out.println("the nodes' files are kept in " + cluster.dir());
    }
  }
}
