package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/// One random life of a cluster: it forms, faults come and go while administrators change its
/// configuration, the faults end, it must come to rest with every resource where it belongs.
public final class SimRun {
  private static final Duration FORM = Duration.ofMinutes(3);
  private static final int PAUSE_MILLIS = 20_000;

  /// A recurring monitor has noticed by then what a fault did behind the cluster's back.
  private static final Duration NOTICE = Duration.ofSeconds(15);

  private static final Duration REST = Duration.ofMinutes(15);

  /// By then the late effects of the faults have happened.
  private static final Duration LATE = Duration.ofSeconds(20);

  private final SimPlan plan;
  private final SimCluster cluster;
  private final RandomGenerator random;
  private final SimPromises promises;
  private final SimChanges changes;

  public SimRun(long seed) {
    this.plan = SimPlan.of(seed);
    this.cluster = plan.cluster(seed);
    this.random = cluster.random("faults", "", "", 0);
    this.promises = new SimPromises(cluster);
    this.changes = new SimChanges(cluster, promises);
  }

  public SimCluster cluster() {
    return cluster;
  }

  /// Lives it; returns what went wrong, most important first.
  public List<String> carryOut() {
    cluster.note(plan.toString());
    cluster.powerOnAll();
    if (!cluster.settle(FORM)) {
      cluster.fail(
          SimCheck.NOT_AT_REST,
          "the cluster did not form within " + FORM + ": " + cluster.unsettled());
      return cluster.failures();
    }
    changes.writing(true);
    for (var fault = 0; fault < plan.faults() && isWell(); fault++) {
      new SimFault(cluster, random, promises, changes).happen();
      cluster.run(Duration.ofMillis(random.nextLong(PAUSE_MILLIS)));
    }
    changes.writing(false);
    if (isWell()) {
      end();
    }
    cluster.finish();
    return cluster.failures();
  }

  private boolean isWell() {
    return cluster.failures().isEmpty();
  }

  private void end() {
    faultsEnd();
    changes.undo();
    cluster.run(NOTICE);
    if (isWell() && !cluster.settle(REST)) {
      cluster.fail(
          SimCheck.NOT_AT_REST, "the cluster did not come to rest: " + cluster.unsettled());
    }
    if (isWell()) {
      cluster.note(promises.count() + " changes are acknowledged");
      promises.check();
      cluster.checks().placement();
      cluster.checks().sameCibs();
      cluster.checks().sameFiles();
    }
  }

  private void faultsEnd() {
    cluster.note("faults end");
    cluster.trace().once("", _ -> {});
    promises.once(null);
    cluster.heal();
    cluster.loss(0);
    cluster.delay(Duration.ZERO);
    for (var node : cluster.nodes()) {
      node.agentsWell();
      node.failDisk(false);
      node.slowDisk(Duration.ZERO);
      node.resume();
      node.powerOn();
      if (!node.isRunning()) {
        node.startClusterSoon();
      }
    }
    cluster.run(LATE);
    // a node may be let go only when a fencing of another has come to its end
    cluster.runUntil(
        () -> !cluster.isBusy() && cluster.nodes().stream().noneMatch(SimNode::isLeaving), REST);
    for (var node : cluster.nodes()) {
      node.powerOn();
      if (!node.isRunning() && !node.isComing()) {
        node.startClusterSoon();
      }
    }
  }

  @Override
  public String toString() {
    return plan.toString();
  }
}
