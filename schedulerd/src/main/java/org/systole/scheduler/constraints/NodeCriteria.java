package org.systole.scheduler.constraints;

import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Seconds;
import org.systole.scheduler.unpack.FailCounts;
import org.systole.scheduler.unpack.Health;

/// Scores that depend on the node alone: health, shutdown locks, locations, stickiness, failures.
public final class NodeCriteria {
  private NodeCriteria() {}

  /// Turns the health of nodes into location constraints.
  public static void applyHealth(WorkingSet cluster) {
    var strategy = Health.strategy(cluster);
    if (strategy.equals("none")) {
      return;
    }
    var base = strategy.equals("progressive") ? Health.score(cluster, "node-health-base") : 0;
    for (var node : cluster.nodes()) {
      var health = Health.sum(cluster, node, base);
      if (health == 0) {
        continue;
      }
      for (var rsc : cluster.resources()) {
        if (health > 0 || !Bool.isTrue(rsc.meta().get("allow-unhealthy-nodes"))) {
          Locations.add(strategy, rsc, health, null, node);
        }
      }
    }
  }

  public static void apply(WorkingSet cluster) {
    if (cluster.is(ClusterFlag.SHUTDOWN_LOCK)) {
      cluster.resources().forEach(NodeCriteria::lock);
    }
    Locations.applyAll(cluster);
    cluster.resources().forEach(NodeCriteria::stick);
    for (var node : cluster.nodes()) {
      for (var rsc : cluster.resources()) {
        banAfterFailures(rsc, node);
        applyExclusiveDiscovery(rsc, node);
      }
    }
  }

  // A resource whose node shuts down cleanly is kept for that node; no clones or bundles.
  private static void lock(Resource rsc) {
    if (rsc instanceof Group) {
      rsc.children().forEach(NodeCriteria::lock);
    } else if (rsc instanceof Primitive
        && !rsc.is(ResourceFlag.FENCE_DEVICE)
        && !rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
      lockPrimitive(rsc);
    }
  }

  private static void lockPrimitive(Resource rsc) {
    if (rsc.lockNode() != null) {
      if (!rsc.active().isEmpty()) {
        // Started elsewhere in spite of the lock: leave it alone.
        Actions.clearHistory(rsc, rsc.lockNode());
        rsc.setLockNode(null);
        rsc.setLockTime(0);
      }
    } else if (rsc.active().size() == 1) {
      var node = rsc.active().getFirst();
      if (node.shutdown() && !node.unclean()) {
        rsc.setLockNode(node);
        rsc.setLockTime(shutdownTime(rsc.cluster(), node));
      }
    }
    if (rsc.lockNode() == null) {
      return;
    }
    if (rsc.cluster().shutdownLockMs() > 0) {
      rsc.cluster().recheckBy(rsc.lockTime() + Seconds.of(rsc.cluster().shutdownLockMs()) + 1);
    }
    for (var node : rsc.cluster().nodes()) {
      if (node != rsc.lockNode()) {
        Explanations.prefer(rsc, node, -Score.INFINITY, Kind.SHUTDOWN_LOCK, "");
      }
    }
  }

  private static long shutdownTime(WorkingSet cluster, Node node) {
    var time = Numbers.parse(node.attributes().get("shutdown"), 0);
    return time == 0 ? cluster.nowSeconds() : time;
  }

  private static void stick(Resource rsc) {
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(NodeCriteria::stick);
      return;
    }
    if (!rsc.is(ResourceFlag.MANAGED) || rsc.stickiness() < 1 || rsc.active().size() != 1) {
      return;
    }
    var node = rsc.active().getFirst();
    if (rsc.cluster().is(ClusterFlag.SYMMETRIC) || rsc.allowed().contains(node)) {
      Explanations.prefer(rsc, node, rsc.stickiness(), Kind.STICKINESS, "");
    }
  }

  private static void banAfterFailures(Resource rsc, Node node) {
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(child -> banAfterFailures(child, node));
      return;
    }
    if (thresholdReached(rsc, node)
        && Actions.ofTaskOn(rsc, TaskName.CLEAR_FAILCOUNT, node).isEmpty()) {
      var banned = rsc.is(ResourceFlag.UNIQUE) ? rsc : rsc.top(false);
      Explanations.prefer(banned, node, -Score.INFINITY, Kind.FAILURES, rsc.id());
    }
  }

  /// Whether the resource failed too often on the node to be tried there again.
  public static boolean thresholdReached(Resource rsc, Node node) {
    if (rsc.migrationThreshold() == 0 || rsc.is(ResourceFlag.IGNORE_FAILURE)) {
      return false;
    }
    var count = FailCounts.effective(node, rsc, true).count();
    if (count <= 0) {
      return false;
    }
    var banned = rsc.is(ResourceFlag.UNIQUE) ? rsc : rsc.top(false);
    if (count < rsc.migrationThreshold()) {
      return false;
    }
    rsc.cluster()
        .warning(
            "pcmk__threshold_reached",
            "%s cannot run on %s due to reaching migration threshold (clean up resource to allow again)"
                .formatted(banned.id(), node.name()),
            "failures=%d migration-threshold=%d".formatted(count, rsc.migrationThreshold()));
    return true;
  }

  private static void applyExclusiveDiscovery(Resource rsc, Node node) {
    if (!rsc.is(ResourceFlag.EXCLUSIVE_PROBES)
        && !rsc.top(false).is(ResourceFlag.EXCLUSIVE_PROBES)) {
      return;
    }
    rsc.children().forEach(child -> applyExclusiveDiscovery(child, node));
    var entry = rsc.allowed().get(node);
    if (entry != null && entry.probeMode() != ProbeMode.EXCLUSIVE) {
      entry.setScore(-Score.INFINITY);
      Explanations.note(rsc, node, -Score.INFINITY, Kind.DISCOVERY, "");
    }
  }
}
