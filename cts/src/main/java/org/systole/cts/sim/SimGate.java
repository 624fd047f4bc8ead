package org.systole.cts.sim;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.view.LiveRoles;

/// Looks at each resource that is started: nothing comes past a shut join gate.
final class SimGate {
  private static final long SECOND = 1_000_000_000L;

  /// By then the resources' plan has heard that a node's gate is shut.
  private static final long SHUT = 90 * SECOND;

  /// By then a change is on the slowest disk.
  private static final long ON_DISK = 3 * SECOND;

  /// What a plan stops and starts again where it is, also with another role. With an arrow between nodes it is one of
  /// several, where a resource may be for all that is known.
  private static final Pattern IN_PLACE =
      Pattern.compile(
          "^\\w+: Actions: (?:Recover|Restart) +([^ :]+)\\S* +\\( *(?:(?:Promoted|Unpromoted|Started) +-> +)?"
              + "(?:\\w+ )?(\\S+ +-> +(?:\\w+ )?)?(\\S+) \\)");

  private static final Pattern NO_DEVICE =
      Pattern.compile("Fencing \\(\\S+\\) of (\\S+) by .*@(\\S+) failed: No fence device");

  /// A fencer that has just come reads the CIB, and hears of others, first.
  private static final long FENCER_COMES = 15 * SECOND;

  private final SimCluster cluster;
  private final SimRoleChecks roles;
  private final SimGuardsHeard guards;
  private boolean watchdogsAlone;
  private final Map<Long, Long> fencers = new TreeMap<>(); // since when they have been there, by pid
  private final Map<String, Long> openSince = new TreeMap<>(); // gates, by node
  private final Map<String, Long> openUntil = new TreeMap<>();
  private final Map<String, Long> cameAt = new TreeMap<>();
  private final Map<String, Long> inPlace = new TreeMap<>(); // plans to restart, by resource and node
  private final Map<String, Long> ran = new TreeMap<>(); // when it was started or found, or ran as the node came; the same

  SimGate(SimCluster cluster, SimRoleChecks roles) {
    this.cluster = cluster;
    this.roles = roles;
    this.guards = new SimGuardsHeard(cluster);
  }

  /// No other device reaches a node than the one that waits for its watchdog.
  void watchdogsAlone() {
    watchdogsAlone = true;
  }

  boolean areWatchdogsAlone() {
    return watchdogsAlone;
  }

  void everySecond() {
    if (watchdogsAlone && roles.plan().gate()) {
      guards.everySecond();
    }
  }

  /// The scheduler writes a line to its log.
  void planned(String text) {
    var again = IN_PLACE.matcher(text);
    if (again.find() && (again.group(2) == null || isActive(again.group(1), again.group(3)))) {
      inPlace.put(again.group(1) + " " + again.group(3), cluster.queue().now());
    }
  }

  /// A fencer writes a line to its log. The gate is not for fence devices: nobody bans them otherwise.
  /// All fencers write how an operation ended; what counts is what the one knew that carried it out.
  void fences(SimProcess fencer, String text) {
    var now = cluster.queue().now();
    var since = fencers.computeIfAbsent(fencer.pid(), _ -> now);
    var match = NO_DEVICE.matcher(text);
    if (!roles.plan().gate() || !cluster.checks().areFenced() || now - since <= FENCER_COMES || !match.find()) {
      return;
    }
    var name = fencer.node().name();
    var target = match.group(1);
    if (match.group(2).equals(name) && (!watchdogsAlone || guards.knows(fencer, target))) {
      cluster.fail(SimCheck.NO_DEVICE, "%s finds no device to fence %s".formatted(name, target));
    }
  }

  private boolean isActive(String resource, String node) {
    return cluster.nodes().stream()
        .anyMatch(it -> it.name().equals(node) && it.activeResources().contains(resource));
  }

  /// A node's cluster software starts.
  void comes(SimNode node) {
    var now = cluster.queue().now();
    cameAt.put(node.name(), now);
    node.activeResources().forEach(it -> ran.put(name(it) + " " + node.name(), now));
  }

  private static String name(String resource) {
    return resource.contains(":") ? resource.substring(0, resource.indexOf(':')) : resource;
  }

  void see(Map<NodeRoleId, NodeRole> old, Map<NodeRoleId, NodeRole> live) {
    for (var node : cluster.nodes()) {
      var id = NodeRoleId.of(SimRolePlan.GATE + "@" + node.name());
      var was = isOpen(old.get(id));
      var is = isOpen(live.get(id));
      if (is && !was) {
        openSince.put(node.name(), cluster.queue().now());
      } else if (was && !is) {
        openUntil.put(node.name(), cluster.queue().now());
      }
    }
  }

  private static boolean isOpen(@Nullable NodeRole gate) {
    return gate != null && gate.state() == NodeRoleState.ACTIVE;
  }

  /// The agent of one that can be promoted says that it is, and has failed. However that is, it has been seen there.
  void foundFailed(SimNode node, String resource) {
    ran.put(name(resource) + " " + node.name(), cluster.queue().now());
  }

  /// A resource is started that was not active there.
  void starts(SimNode node, String resource) {
    looksAtGate(node, resource);
    ran.put(name(resource) + " " + node.name(), cluster.queue().now());
  }

  private void looksAtGate(SimNode node, String resource) {
    var newest = roles.newest();
    if (!roles.plan().gate() || node.id() == SimNode.NO_MEMBER || newest == null) {
      return;
    }
    var id = NodeRoleId.of(SimRolePlan.GATE + "@" + node.name());
    var open = id != null && isOpen(new LiveRoles(newest.document()).get(id));
    var since = openSince.getOrDefault(node.name(), -1L);
    var inThisLife = since >= cameAt.getOrDefault(node.name(), 0L);
    var justShut =
        openUntil.containsKey(node.name())
            && cluster.queue().now() - openUntil.get(node.name()) < SHUT;
    if (!(open && inThisLife) && !(justShut && inThisLife) && !isRestarted(node, resource)) {
      var now = cluster.queue().now();
      cluster.queue().after(ON_DISK, () -> startedPastTheGate(node, resource, now));
    }
  }

  /// What runs on a node stays there when its gate shuts, and when it fails, or has ended unseen, it is
  /// started again where it was. What the cluster only holds for active there, as it could not look, is not.
  private boolean isRestarted(SimNode node, String resource) {
    var name = name(resource);
    var came = cameAt.getOrDefault(node.name(), 0L);
    var planned = inPlace.get(name + " " + node.name());
    return planned != null
        && planned >= came
        && ran.getOrDefault(name + " " + node.name(), -1L) >= came
        && cluster.queue().now() - planned < SHUT;
  }

  /// The DC goes by what the primary has in memory, which is seen here when it comes onto a disk.
  private void startedPastTheGate(SimNode node, String resource, long at) {
    if (openSince.getOrDefault(node.name(), -1L) < at) {
      cluster.fail(
          SimCheck.PAST_THE_GATE,
          "%s was started on %s, whose role %s was not active"
              .formatted(resource, node.name(), SimRolePlan.GATE));
    }
  }
}
