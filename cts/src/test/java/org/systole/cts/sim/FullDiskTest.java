package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// Disks that take nothing any more, and then the node is lost that had the DC: those left take
/// over, and what is acknowledged is on disk all the same.
final class FullDiskTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static SimCluster cluster(int nodes) {
    var cluster = RealDaemons.cluster(7, nodes);
    if (nodes == 2) {
      cluster.quorumOption("two_node", "1");
    }
    cluster.loadCib(SimCibs.standard(nodes));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), () -> "" + cluster.unsettled());
    return cluster;
  }

  private static SimNode dc(SimCluster cluster) {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElseThrow();
  }

  private static List<SimNode> fillDisksOfOthersThan(SimNode node, SimCluster cluster) {
    var others = cluster.nodes().stream().filter(it -> it != node).toList();
    others.forEach(it -> it.failDisk(true));
    cluster.run(Duration.ofSeconds(20));
    return others;
  }

  private static void isTakenOver(int nodes) {
    var cluster = cluster(nodes);
    var lost = dc(cluster);
    var left = fillDisksOfOthersThan(lost, cluster).stream().map(SimNode::name).toList();

    lost.powerOff();
    assertTrue(cluster.settle(LIMIT), () -> cluster.unsettled() + "\n" + cluster.trace());

    assertTrue(left.contains(dc(cluster).name()));
    for (var resource : List.of("a", "b")) {
      assertEquals(1, cluster.resourceOn(resource).size(), resource);
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void ofTwoNodesTheOneWithTheFullDiskTakesOver() {
    isTakenOver(2);
  }

  @Test
  void threeNodesOfWhichTwoHaveFullDisksGoOnWithThese() {
    isTakenOver(3);
  }

  @Test
  void aChangeOfTheConfigurationIsNotAcknowledgedUntilItIsOnDisk() {
    var cluster = cluster(3);
    var lost = dc(cluster);
    var left = fillDisksOfOthersThan(lost, cluster);
    lost.powerOff();
    cluster.settle(LIMIT);
    left.forEach(it -> it.failDisk(true));
    var answers = new java.util.ArrayList<Rc>();
    var change =
        CibOp.put(
            "crm_config",
            Element.builder("cluster_property_set")
                .attr("id", "full")
                .add(Element.of("nvpair", "id", "full-x", "name", "x", "value", "1"))
                .build());

    lost.failDisk(true);
    cluster.update(left.getFirst().name(), List.of(change), it -> answers.add(it.rc()));
    cluster.run(Duration.ofSeconds(20));
    assertTrue(answers.stream().noneMatch(Rc::isOk), answers::toString);
    cluster.nodes().forEach(it -> it.failDisk(false));
    assertTrue(cluster.settle(LIMIT), () -> "" + cluster.unsettled());
    cluster.update(left.getFirst().name(), List.of(change), it -> answers.add(it.rc()));
    cluster.run(Duration.ofSeconds(20));

    assertEquals(Rc.OK, answers.getLast());
    var onDisk =
        cluster.nodes().stream()
            .filter(it -> new String(it.file("cibd", "cib.xml"), StandardCharsets.UTF_8).contains("full-x"))
            .count();
    assertTrue(onDisk >= 2, "on disk of " + onDisk);
    assertEquals(List.of(), cluster.failures());
  }

  /// A change is acknowledged on a node whose CIB manager is killed in that moment, and read there.
  private static Set<SimCheck> readFromTheNextManager(boolean full, boolean forgotten) {
    var cluster = cluster(3);
    var dc = dc(cluster);
    var node = cluster.nodes().stream().filter(it -> it != dc).findFirst().orElseThrow();
    node.failDisk(full);
    var disk = node.disk("cibd").files();
    var before = Map.copyOf(disk);
    var promises = new SimPromises(cluster);
    promises.once(
        () -> {
          node.kill("cibd");
          if (forgotten) {
            disk.clear();
            disk.putAll(before);
          }
          cluster.partition(List.of(List.of(node.name()), others(node, cluster)));
        });
    new SimChanges(cluster, promises).write(node, "change-1");
    cluster.run(Duration.ofSeconds(5));
    assertEquals(1, promises.count());
    return cluster.checksFailed();
  }

  private static List<String> others(SimNode node, SimCluster cluster) {
    return cluster.nodes().stream().filter(it -> it != node).map(SimNode::name).toList();
  }

  @Test
  void whatOnlyOtherNodesHaveOnDiskTheNextManagerNeedNotKnowAtOnce() {
    assertEquals(Set.of(), readFromTheNextManager(true, false));
  }

  @Test
  void aManagerThatDoesNotFindWhatWasOnItsDiskIsNoticed() {
    assertEquals(Set.of(), readFromTheNextManager(false, false));
    assertEquals(Set.of(SimCheck.STALE_READ), readFromTheNextManager(false, true));
  }
}
