package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.execd.RemotedDaemon;

/// What kind of cluster lives in a run, and how eventful its life is.
///
/// @param nodes how many nodes it has
/// @param policy what a part without quorum does, the option no-quorum-policy
/// @param faults how many faults come over it
/// @param keepsInputs whether the scheduler keeps its inputs on disk, as it does by default
/// @param probes whether resources are looked for on nodes that start, as they are by default
/// @param options what else is set
/// @param guards whether the nodes have watchdogs
/// @param inside the guests
/// @param hostHa whether it is one of hosts that host HA looks after, and of nothing else
/// @param roles what the nodes must be before they are used
/// @param focus what its faults are about
/// @param quorum what else its files say of the quorum
record SimPlan(
    int nodes,
    String policy,
    int faults,
    boolean keepsInputs,
    boolean probes,
    SimOptions options,
    SimGuards guards,
    SimInside inside,
    SimHostHa hostHa,
    SimRolePlan roles,
    SimFocus focus,
    Map<String, String> quorum) {
  private static final int FAULTS_MIN = 5;
  private static final int FAULTS_SPREAD = 6;
  private static final int HOST_FAULTS = 3;
  private static final int PERCENT = 100;
  private static final String RETURNS = "15";
  private static volatile @Nullable SimBuild mixed;
  private static volatile boolean hostsAlways;

  /// Has each seed from now on be a life of hosts with host HA.
  static void hostsAlways() {
    hostsAlways = true;
  }

  /// Has all clusters from now on consist of this build and another one.
  static void mix(SimBuild other) {
    mixed = other;
  }

  /// How many nodes a seed has. One seed in ten has two, with `two_node`.
  private static int nodes(int percent) {
    if (percent < 10) {
      return 2;
    }
    if (percent < 45) {
      return 3;
    }
    if (percent < 60) {
      return 4;
    }
    if (percent < 82) {
      return 5;
    }
    return percent < 90 ? 6 : 7;
  }

  private static String policy(int percent) {
    if (percent < 60) {
      return "stop";
    }
    if (percent < 80) {
      return "freeze";
    }
    return percent < 90 ? "demote" : "fence";
  }

  static SimPlan of(long seed) {
    var random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + 17);
    var drawn = nodes(random.nextInt(PERCENT));
    var quorum = mixed == null ? SimStanding.options(seed, drawn) : Map.<String, String>of();
    var nodes = SimStanding.nodes(seed, drawn, quorum);
    var policy = policy(random.nextInt(PERCENT));
    var faults = FAULTS_MIN + random.nextInt(FAULTS_SPREAD);
    var keepsInputs = random.nextInt(PERCENT) < 5;
    var probes = random.nextInt(PERCENT) >= 20;
    var options = SimOptions.of(random);
    var guards = mixed == null ? SimGuards.of(seed, nodes, options) : SimGuards.NONE;
    var inside = mixed == null ? SimInside.of(seed) : SimInside.NOTHING;
    var roles = mixed == null ? SimRolePlan.of(seed, nodes) : SimRolePlan.NONE;
    var hostHa = mixed == null ? SimHostHa.of(seed, hostsAlways) : SimHostHa.NOTHING;
    if (hostHa.isThere() && !SimFocus.isGiven()) {
      return ofHosts(Math.clamp(nodes, 3, 4), hostHa);
    }
    var more = (inside.isThere() || roles.any() || mixed != null) && !SimFocus.isGiven();
    var focus = more ? SimFocus.NONE : SimFocus.of(seed);
    if (focus != SimFocus.NONE) {
      return focus == SimFocus.ODD
          ? odd(seed, nodes, faults, options)
          : about(seed, focus, nodes, faults, keepsInputs, options);
    }
    return new SimPlan(
        nodes,
        policy,
        faults,
        keepsInputs,
        probes,
        options,
        guards,
        inside,
        hostHa,
        roles,
        focus,
        quorum);
  }

  private static SimPlan about(
      long seed, SimFocus focus, int nodes, int faults, boolean keepsInputs, SimOptions options) {
    return new SimPlan(
        focus.nodes(nodes),
        "stop",
        faults,
        keepsInputs,
        focus.probes(true),
        focus.options(options),
        SimGuards.NONE,
        SimInside.NOTHING,
        SimHostHa.NOTHING,
        SimRolePlan.NONE,
        focus,
        focus == SimFocus.STANDING ? SimStanding.always(seed) : Map.of());
  }

  private static SimPlan odd(long seed, int nodes, int faults, SimOptions options) {
    var about = SimOdd.of(seed);
    return new SimPlan(
        about.nodes(nodes, seed),
        "stop",
        faults,
        false,
        true,
        about.options(options, seed),
        SimGuards.NONE,
        about.inside(seed),
        SimHostHa.NOTHING,
        about.roles(seed),
        SimFocus.ODD,
        about.quorum(seed));
  }

  private static SimPlan ofHosts(int nodes, SimHostHa hostHa) {
    return new SimPlan(
        nodes,
        "stop",
        HOST_FAULTS,
        false,
        true,
        SimOptions.USUAL,
        SimGuards.NONE,
        SimInside.NOTHING,
        hostHa,
        SimRolePlan.NONE,
        SimFocus.NONE,
        Map.of());
  }

  /// Two nodes have quorum each, waited for each other at the start and settle by fencing who goes
  /// on.
  boolean twoNodes() {
    return nodes == 2;
  }

  SimCluster cluster(long seed) {
    var cluster = RealDaemons.cluster(seed, nodes);
    for (var host = 1; host <= options.hosts(); host++) {
      cluster.addHost(SimOptions.host(host));
    }
    SimInside.add(cluster, inside.names());
    if (hostHa.isThere()) {
      hostHa.names().forEach(cluster::addHost);
      cluster.hostChecks().watch(hostHa);
    }
    if (twoNodes()) {
      cluster.quorumOption("two_node", "1");
    }
    quorum.forEach(cluster::quorumOption);
    if (!options.fences() && focus != SimFocus.UNFENCED) {
      cluster.checks().withoutFencing();
    }
    var listed = focus.listed(nodes);
    if (listed < nodes) {
      cluster.nodes().subList(0, listed).forEach(it -> it.listNodes(listed));
    }
    cluster.nodes().forEach(it -> it.file().links(focus.links(seed)));
    var other = mixed;
    if (other != null) {
      cluster.mix(other);
    }
    guards.into(cluster);
    if (returns(seed)) {
      cluster.variable(RemotedDaemon.RETURNS, RETURNS);
    }
    cluster.checks().roles().plan(roles);
    cluster.loadCib(cib(seed));
    return cluster;
  }

  /// Whether the executors of machines that are no members say that they are started again.
  private boolean returns(long seed) {
    return seed % 2 == 0 && (options.hosts() > 0 || hostHa.isThere() || !inside.names().isEmpty());
  }

  /// Switches on what is there from the start.
  void powerOn(SimCluster cluster) {
    if (focus.listed(nodes) < nodes) {
      cluster.nodes().subList(0, focus.listed(nodes)).forEach(SimNode::powerOn);
    } else {
      cluster.powerOnAll();
    }
  }

  /// The first lines of a scenario in such a cluster.
  List<String> script(long seed) {
    var lines = new ArrayList<String>();
    lines.add("# nodes: " + nodes);
    lines.add("# seed: " + seed);
    if (twoNodes()) {
      lines.add("# quorum: two_node 1");
    }
    quorum.forEach((name, value) -> lines.add("# quorum: " + name + " " + value));
    if (options.hosts() > 0) {
      var hosts = IntStream.rangeClosed(1, options.hosts()).mapToObj(SimOptions::host);
      lines.add("# hosts: " + hosts.collect(Collectors.joining(" ")));
    }
    if (hostHa.isThere()) {
      lines.add("# hosts: " + String.join(" ", hostHa.names()));
    }
    if (!inside.names().isEmpty()) {
      lines.add("# guests: " + String.join(" ", inside.names()));
    }
    if (!options.fences() && focus != SimFocus.UNFENCED) {
      lines.add("# fencing: no");
    }
    if (guards != SimGuards.NONE) {
      lines.add("# watchdogs: " + guards);
    }
    if (returns(seed)) {
      lines.add("# returns: " + RETURNS);
    }
    if (roles.any()) {
      lines.add("# roles: " + seed);
    }
    if (focus.links(seed) > 1) {
      lines.add("file all links " + focus.links(seed));
    }
    if (focus.listed(nodes) < nodes) {
      lines.add("# listed: " + focus.listed(nodes));
      IntStream.rangeClosed(1, focus.listed(nodes)).forEach(it -> lines.add("power node" + it + " on"));
    } else {
      lines.add("power all on");
    }
    lines.add("settle");
    if (roles.any()) {
      lines.add("roles");
    }
    return lines;
  }

  Element cib(long seed) {
    var cib = cib(seed % 2 != 0);
    return focus == SimFocus.ODD ? SimOdd.of(seed).into(cib, nodes, seed) : cib;
  }

  private Element cib(boolean live) {
    if (hostHa.isThere()) {
      return hostHa.cib(nodes);
    }
    var set = new TreeMap<>(options.cluster());
    set.putAll(guards.options());
    set.put("no-quorum-policy", policy);
    if (roles.gate()) {
      set.put("join-gate-roles", SimRolePlan.GATE);
    }
    if (!probes) {
      set.put("enable-startup-probes", "false");
    }
    if (!keepsInputs) {
      List.of("pe-error", "pe-warn", "pe-input")
          .forEach(it -> set.put(it + "-series-max", "0"));
    }
    return inside.into(guards.fencedBy(SimCibs.random(nodes, set, options, live)));
  }

  @Override
  public String toString() {
    return "%d nodes, no-quorum-policy %s, %d faults%s%s%s%s%s%s%s%s"
        .formatted(
            nodes,
            policy,
            faults,
            focus == SimFocus.NONE ? "" : ", about " + focus,
            probes ? "" : ", no probes",
            options,
            inside,
            hostHa,
            roles,
            guards == SimGuards.NONE ? "" : ", watchdogs " + guards,
            quorum.isEmpty() ? "" : ", " + quorum);
  }
}
