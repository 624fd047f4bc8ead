package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// A simulated cluster: nodes, network, power switches, and the daemons that ship.
///
/// Nothing happens by itself: [#run] lets virtual time pass. Not safe for use by several threads.
public final class SimCluster {
  private static final long SECOND = 1_000_000_000;
  private static final long MOMENT = 50_000_000;
  private static final int CONFLICTS_MAX = 20;
  private static final long TOKEN_MILLIS = 3_000;

  private final long seed;
  private final SimQueue queue = new SimQueue();
  private final SimTrace trace = new SimTrace();
  private final Map<String, SimNode> nodes = new LinkedHashMap<>();
  private final SimHosts hosts = new SimHosts(this);
  private final SimHostChecks hostChecks = new SimHostChecks(this);
  private final SimDaemons daemons = new SimDaemons(this);
  private final SimNetwork network;
  private final SimStreams streams = new SimStreams(this);
  private final SimChecks checks = new SimChecks(this);
  private final SimJigs jigs = new SimJigs(this);
  private final SimOrder order = new SimOrder(this);
  private final SimCounts counts = new SimCounts(this);
  private final List<String> failures = new ArrayList<>();
  private final Set<SimCheck> checksFailed = EnumSet.noneOf(SimCheck.class);
  private final Map<String, String> quorumOptions = new LinkedHashMap<>();
  private final SimMessageDisks messageDisks = new SimMessageDisks(this);
  private final Map<String, String> variables = new LinkedHashMap<>();
  private final SimStory story = new SimStory(queue);
  private @Nullable SimBuild mixed;
  private @Nullable SimQnetd qnetd;
  private String device = "";
  private int busy;
  private long lastPid = 1000;

  /// @param seed decides everything chance has a say in
  /// @param count how many nodes, named `node1` and so on, with the ids 1 and so on
  public SimCluster(long seed, int count) {
    this.seed = seed;
    this.network = new SimNetwork(this);
    for (var id = 1; id <= count; id++) {
      var name = "node" + id;
      nodes.put(name, new SimNode(this, name, id));
    }
    queue.after(SECOND, this::everySecond);
    queue.after(MOMENT, this::everyMoment);
  }

  /// Adds a program a node can run as a daemon, or replaces it.
  void daemon(String program, SimDaemons.Factory factory) {
    daemons.add(program, factory);
  }

  // --- for the parts of the simulator

  SimQueue queue() {
    return queue;
  }

  /// What is done to the cluster from outside.
  SimStory story() {
    return story;
  }

  /// Sets a variable of the environment of all nodes' cluster software.
  public void variable(String name, String value) {
    variables.put(name, value);
  }

  Map<String, String> variables() {
    return variables;
  }

  SimMessageDisks messageDisks() {
    return messageDisks;
  }

  SimDaemons daemons() {
    return daemons;
  }

  SimNetwork network() {
    return network;
  }

  SimStreams streams() {
    return streams;
  }

  SimHostChecks hostChecks() {
    return hostChecks;
  }

  SimJigs jigs() {
    return jigs;
  }

  SimHosts outside() {
    return hosts;
  }

  /// How long a node may be silent before it is taken for lost.
  long tokenNanos() {
    return TOKEN_MILLIS * 1_000_000;
  }

  /// What a node's cluster configuration file says.
  ClusterConfig config(SimNode holder) {
    try {
      return ClusterConfig.parse("corosync.conf", corosyncConf(holder));
    } catch (ClusterConfigException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  String corosyncConf(SimNode holder) {
    return holder.file().text(quorumOptions, device);
  }

  Path directory() {
    return Path.of("/sim");
  }

  long nextPid() {
    return ++lastPid;
  }

  /// A stream of chance of its own for each use, so that one more draw here moves nothing there.
  RandomGenerator random(String use, String node, String what, long number) {
    var mixed = seed;
    for (var part : List.of(use, node, what)) {
      mixed = mixed * 0x9E3779B97F4A7C15L + part.hashCode();
    }
    return new SplittableRandom(mixed * 0x9E3779B97F4A7C15L + number);
  }

  /// A process writes a line to its log.
  void said(SimProcess process, String text) {
    trace.add(queue.now(), process.node().name(), process.name(), text);
    counts.said(process, text);
    checks.said(process, text);
    hostChecks.said(process, text);
    checks.roles().said(process, text);
  }

  void note(String text) {
    trace.add(queue.now(), "-", "sim", text);
  }

  void change(String text) {
    trace.change(queue.now(), text);
  }

  /// Something that must never happen did.
  void fail(SimCheck check, String what) {
    if (failures.size() < CONFLICTS_MAX) {
      failures.add(String.format("at %.3f s: %s: %s", queue.now() / 1e9, check, what));
      checksFailed.add(check);
    }
    note("FAILURE: " + check + ": " + what);
  }

  /// Something that goes on for a while begins (1) or ends (-1).
  void busy(int more) {
    busy += more;
  }

  boolean isBusy() {
    return busy > 0;
  }

  SimChecks checks() {
    return checks;
  }

  SimOrder order() {
    return order;
  }

  private void everyMoment() {
    queue.after(MOMENT, this::everyMoment);
    order.everyMoment();
  }

  /// Asks a daemon of a node, as a command does there; `done` is told the answer, null if none
  /// came.
  public <Q, R> void ask(
      String node,
      String socket,
      ClientProtocol<Q, R, ?> protocol,
      Q request,
      Consumer<@Nullable R> done) {
    new SimCommand(node(node)).ask(socket, protocol, request, done);
  }

  private void everySecond() {
    queue.after(SECOND, this::everySecond);
    checks.everySecond();
    hostChecks.everySecond();
  }

  void bug(SimProcess process, Throwable thrown) {
    var text = new StringBuilder(process + " died of " + thrown);
    for (var frame : thrown.getStackTrace()) {
      if (text.length() > 2_000 || frame.getClassName().startsWith("org.systole.cts.sim.SimProcess")) {
        break;
      }
      text.append("\n    at ").append(frame);
    }
    fail(SimCheck.CRASH, text.toString());
  }

  void resourceChanged(SimNode node, String resource, SimAgents.State state) {
    switch (state) {
      case STARTED -> checks.resourceStarted(node, resource);
      case PROMOTED -> checks.resourcePromoted(node, resource);
      case STOPPED -> {}
    }
    change(resource + " " + state.name().toLowerCase() + " on " + node.name());
    hosts.changed(node, resource, state);
  }

  void cutPower(SimNode victim, SimNode by) {
    change(victim.name() + " fenced by " + by.name());
    hostChecks.fenced(victim);
    victim.powerOff();
  }

  /// The other build that nodes may have, null if there is none.
  @Nullable SimBuild mixed() {
    return mixed;
  }

  // --- for tests

  /// Has chance decide, each time a node's cluster software starts, whether it is this build or
  /// another one.
  public void mix(SimBuild other) {
    mixed = other;
  }

  public long seed() {
    return seed;
  }

  public SimTrace trace() {
    return trace;
  }

  public List<SimNode> nodes() {
    return List.copyOf(nodes.values());
  }

  /// Adds a host that is no member but can be a remote node; its name is its address.
  public SimNode addHost(String name) {
    return hosts.host(name);
  }

  /// The hosts that are no members.
  public List<SimNode> hosts() {
    return hosts.hosts();
  }

  /// Members and other hosts.
  public List<SimNode> machines() {
    var all = new ArrayList<>(nodes.values());
    all.addAll(hosts.all());
    return all;
  }

  public SimNode node(String name) {
    var node = nodeOrNull(name);
    if (node == null) {
      throw new IllegalArgumentException("no node is called " + name);
    }
    return node;
  }

  @Nullable SimNode nodeOrNull(String name) {
    var node = nodes.get(name);
    return node == null ? hosts.named(name) : node;
  }

  /// What went wrong so far that must never go wrong: crashes, broken promises.
  public List<String> failures() {
    return List.copyOf(failures);
  }

  /// The checks that found the failures.
  public Set<SimCheck> checksFailed() {
    return Collections.unmodifiableSet(checksFailed);
  }

  /// Looks at what can only be judged over the whole run.
  public void finish() {
    order.finish();
  }

  /// How many events have happened since the beginning.
  public long events() {
    return queue.handled();
  }

  /// Virtual time since the beginning.
  public Duration now() {
    return Duration.ofNanos(queue.now());
  }

  public void powerOnAll() {
    machines().forEach(SimNode::powerOn);
  }

  /// Lets virtual time pass.
  public void run(Duration duration) {
    var until = queue.now() + duration.toNanos();
    while (queue.step(until)) {
      // each step is one event
    }
  }

  /// Lets virtual time pass until `reached`, looked at every 100 ms.
  ///
  /// @return whether it was reached before `limit` had passed
  public boolean runUntil(BooleanSupplier reached, Duration limit) {
    var end = queue.now() + limit.toNanos();
    while (!reached.getAsBoolean()) {
      if (queue.now() >= end) {
        return false;
      }
      run(Duration.ofMillis(100));
    }
    return true;
  }

  /// Sets an option in the quorum section of every node's cluster configuration file, for nodes not
  /// yet switched on.
  public void quorumOption(String name, String value) {
    quorumOptions.put(name, value);
  }

  /// Gives the cluster a quorum device, with this many votes, for nodes not yet switched on.
  ///
  /// @param more settings of the section `net`
  SimQnetd device(String algorithm, int votes, String... more) {
    device = SimQnetd.section(algorithm, votes, more);
    var made = new SimQnetd(this, algorithm.equals("lms"));
    qnetd = made;
    return made;
  }

  /// The way to the quorum device.
  UpgradableStreams streams(World world) {
    var it = qnetd;
    if (it == null || !(world instanceof SimWorld simulated)) {
      return (_, _, handler) -> world.post(() -> handler.closed("there is no such host"));
    }
    return it.streams(simulated.process());
  }

  boolean hasDevice() {
    return qnetd != null;
  }

  String quorumOption(String name) {
    return quorumOptions.getOrDefault(name, "");
  }

  /// Puts a configuration on every node's disk, for nodes not yet switched on.
  public void loadCib(Element cib) {
    checks.learn(cib);
    var content = XmlWriter.pretty(cib).getBytes(StandardCharsets.UTF_8);
    nodes.values().forEach(it -> it.file("cibd", "cib.xml", content));
  }

  /// As [#loadCib(Element)].
  ///
  /// @throws IllegalArgumentException if the text is not XML
  public void loadCib(String xml) {
    try {
      loadCib(XmlReader.parse(xml));
    } catch (XmlException e) {
      throw new IllegalArgumentException("not a CIB: " + e.getMessage(), e);
    }
  }

  /// Changes the CIB from a node, as cibadmin does there; `done` is told the answer, null if none
  /// came.
  public void update(
      String node, List<CibOp> operations, Consumer<CibMessage.@Nullable Answer> done) {
    var request = new CibMessage.Update(operations, false, "", "cibadmin", 30_000);
    new SimCommand(node(node))
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            request,
            answer -> done.accept(answer instanceof CibMessage.Answer it ? it : null));
  }

  /// A node's copy of the CIB, null if there is none to be had.
  public @Nullable Element cib(String node) {
    return node(node).cib();
  }

  /// The nodes that take themselves for the DC.
  public List<String> dcs() {
    return nodes.values().stream().filter(SimNode::isDc).map(SimNode::name).toList();
  }

  /// What keeps the cluster from being at rest; empty if it is: one DC with nothing to do, the
  /// others following it, the same CIB everywhere.
  public List<String> unsettled() {
    return busy > 0 ? List.of("administrators are at work") : checks.unsettled();
  }

  /// Lets virtual time pass until the cluster has been at rest for two seconds.
  ///
  /// @return whether that was reached before `limit` had passed
  public boolean settle(Duration limit) {
    var end = queue.now() + limit.toNanos();
    var rest = 0;
    while (rest < 20) {
      if (queue.now() >= end) {
        return false;
      }
      run(Duration.ofMillis(100));
      rest = unsettled().isEmpty() ? rest + 1 : 0;
    }
    return true;
  }

  /// Resources that may be active on one node only.
  public List<String> exclusiveResources() {
    return checks.exclusive();
  }

  /// Cuts the cluster into groups that hear only themselves; a node that is not named is alone.
  public void partition(List<List<String>> groups) {
    var sides = groups.stream().map(it -> String.join(" ", it)).toList();
    story.deed("partition " + String.join(" | ", sides), () -> network.cutApart(groups));
  }

  /// Has a share of the messages between nodes arrive late, as after a loss.
  public void loss(double share) {
    note("loss " + share);
    story.deed("loss " + share, () -> network.loss(share));
  }

  /// Has messages between nodes take longer, by up to this time each.
  public void delay(Duration max) {
    note("delay " + max);
    story.deed("delay " + max, () -> network.delay(max.toNanos()));
  }

  /// Cuts one direction between two nodes.
  public void cut(String from, String to) {
    note("cut " + from + " > " + to);
    story.deed("cut " + from + " " + to, () -> network.link(node(from), node(to), false));
  }

  public void heal() {
    note("heal");
    story.deed("heal", network::mendAll);
  }

  /// Where a resource is active in truth, whatever the cluster believes.
  public List<String> resourceOn(String resource) {
    return machines().stream()
        .filter(it -> it.activeResources().contains(resource))
        .map(SimNode::name)
        .toList();
  }
}
