package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.List;

/// Nodes whose files are read anew while they run.
abstract class NodesUnderTest {
  final List<FakeCluster.Process> nodes = new ArrayList<>();
  FakeCluster cluster;

  void form(String quorum, int... ids) throws Exception {
    cluster = new FakeCluster(ids.length, "");
    for (var id : ids) {
      nodes.add(cluster.start(id, QuorumRulesTest.config(quorum, ids)));
    }
    viewOfAll();
  }

  void viewOfAll() {
    cluster.view(nodes.toArray(FakeCluster.Process[]::new));
    cluster.run(4000);
  }

  FakeCluster.Process node(int id) {
    return nodes.stream().filter(it -> it.id == id).findFirst().orElseThrow();
  }

  void gone(int id) {
    var victim = node(id);
    victim.kill();
    nodes.remove(victim);
    nodes.forEach(it -> it.sees(victim, true));
    viewOfAll();
  }

  List<Integer> quorate() {
    return nodes.stream().filter(FakeCluster.Process::quorate).map(it -> it.id).sorted().toList();
  }

  static String text(int... ids) {
    return QuorumRulesTest.text(1000, "", ids);
  }
}
