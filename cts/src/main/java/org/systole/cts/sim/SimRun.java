package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// One random life of a cluster: it forms, faults come and go, they end, it must come to rest with
/// every resource where it belongs.
public final class SimRun {
  private static final int NODES_MIN = 3;
  private static final int NODES_SPREAD = 3;
  private static final int FAULTS = 6;
  private static final Duration FORM = Duration.ofMinutes(3);

  /// A recurring monitor has noticed by then what a fault did behind the cluster's back.
  private static final Duration NOTICE = Duration.ofSeconds(15);

  private static final Duration REST = Duration.ofMinutes(15);

  private final SimCluster cluster;
  private final RandomGenerator random;
  private final List<String> acknowledged = new ArrayList<>();
  private int changes;

  public SimRun(long seed) {
    var nodes = NODES_MIN + Math.floorMod(seed, NODES_SPREAD);
    this.cluster = RealDaemons.cluster(seed, nodes);
    this.random = cluster.random("faults", "", "", 0);
    cluster.loadCib(SimCibs.standard(nodes));
  }

  public SimCluster cluster() {
    return cluster;
  }

  /// Lives it; returns what went wrong, most important first.
  public List<String> carryOut() {
    cluster.powerOnAll();
    if (!cluster.settle(FORM)) {
      cluster.fail("the cluster did not form within " + FORM + ": " + cluster.unsettled());
      return cluster.failures();
    }
    for (var fault = 0; fault < FAULTS && cluster.failures().isEmpty(); fault++) {
      new SimFault(cluster, random).happen();
      change();
      cluster.run(Duration.ofMillis(random.nextLong(20_000)));
    }
    end();
    cluster.run(NOTICE);
    if (cluster.failures().isEmpty() && !cluster.settle(REST)) {
      cluster.fail("the cluster did not come to rest: " + cluster.unsettled());
    }
    if (cluster.failures().isEmpty()) {
      lookAround();
    }
    cluster.finish();
    return cluster.failures();
  }

  /// Asks for a change of the configuration; what is acknowledged must never be lost.
  private void change() {
    var node = someNode();
    if (node == null) {
      return;
    }
    var name = "change-" + ++changes;
    var property =
        Element.builder("cluster_property_set")
            .attr("id", "changes")
            .add(Element.of("nvpair", "id", name, "name", name, "value", "made"))
            .build();
    cluster.update(
        node.name(),
        List.of(CibOp.put("crm_config", property)),
        answer -> {
          if (answer != null && answer.rc().isOk()) {
            acknowledged.add(name);
            cluster.note(name + " is acknowledged");
          }
        });
  }

  private @Nullable SimNode someNode() {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    return up.isEmpty() ? null : up.get(random.nextInt(up.size()));
  }

  private void end() {
    cluster.note("faults end");
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
  }

  private void lookAround() {
    for (var node : cluster.nodes()) {
      var cib = node.cib();
      for (var name : acknowledged) {
        if (cib != null && cib.find(it -> name.equals(it.id())) == null) {
          cluster.fail(name + " was acknowledged and is lost on " + node.name());
        }
      }
    }
    for (var resource : cluster.exclusiveResources()) {
      if (!resource.startsWith("fenc") && cluster.resourceOn(resource).size() != 1) {
        cluster.fail(resource + " is on " + cluster.resourceOn(resource) + " at the end");
      }
    }
  }
}
