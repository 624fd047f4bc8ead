package org.systole.cts.sim;

import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// What the faults of odd lives are made of.
abstract class SimOddDeeds {
  static final long SECOND = 1_000_000_000L;
  static final long MILLI = 1_000_000L;
  static final int REPLICAS_MAX = 3;

  final SimCluster cluster;
  final RandomGenerator random;
  final SimChanges changes;
  final SimBites bites;
  final SimNode node;

  SimOddDeeds(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    this.cluster = cluster;
    this.random = random;
    this.changes = changes;
    this.bites = bites;
    this.node = any();
  }

  SimNode any() {
    return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
  }

  <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  void after(long nanos, Runnable task) {
    cluster.queue().after(nanos, task);
  }

  long upTo(long seconds) {
    return random.nextLong(seconds * SECOND);
  }

  /// Asked of some node that can take it, if there is one.
  void ask(CibOp change) {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (!up.isEmpty()) {
      changes.ask(one(up), change);
    }
  }

  void cleanUp() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (!up.isEmpty()) {
      changes.cleanUp(one(up), _ -> {});
    }
  }

  void cutOff(SimNode machine, long nanos) {
    for (var each : cluster.nodes()) {
      if (each != machine) {
        cluster.cut(each.name(), machine.name());
        cluster.cut(machine.name(), each.name());
      }
    }
    after(nanos, cluster::heal);
  }

  static Element location(String resource, SimNode at) {
    return Element.of(
        "rsc_location", "id", "at-" + resource, "rsc", resource, "node", at.name(), "score", "INFINITY");
  }

  SimNode dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElse(node);
  }

  SimNode connectedTo(SimNode host) {
    var members = List.copyOf(cluster.streams().connectedTo(host, 0));
    return members.isEmpty() ? node : cluster.node(one(members));
  }
}
