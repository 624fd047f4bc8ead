package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.CibDaemon;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// A CIB that is as large as it may be: nodes that come get it, and what would make it larger is
/// refused.
final class LargeCibTest {
  private static final int MIB = 1 << 20;

  private static SimCluster cluster() {
    var cluster = new SimCluster(3, 3);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.daemon("controld", (_, world, _, _) -> new LowestIsDc(world));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(10));
    return cluster;
  }

  private static Rc put(SimCluster cluster, String node, String id, int length) {
    var answers = new ArrayList<Rc>();
    var state = Element.of("node_state", "id", id, "uname", "\"".repeat(length / "&quot;".length()));
    new SimCommand(cluster.node(node))
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            new CibMessage.Update(List.of(CibOp.put("status", state)), false, "", "test", 30_000),
            answer -> answers.add(answer instanceof CibMessage.Answer it ? it.rc() : null));
    cluster.run(Duration.ofSeconds(5));
    return answers.getFirst();
  }

  @Test
  void aNodeThatIsRestartedGetsItWhole() {
    var cluster = cluster();
    for (var id = 1; id <= 3; id++) {
      assertEquals(Rc.OK, put(cluster, "node" + id, "x" + id, 10 * MIB));
    }
    assertEquals(Rc.E2BIG, put(cluster, "node2", "x4", 10 * MIB));
    cluster.node("node3").powerOff();
    cluster.node("node2").kill("cibd");
    cluster.run(Duration.ofSeconds(5));
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(30));

    for (var node : cluster.nodes()) {
      var cib = node.cib();
      assertNotNull(cib, node.name());
      assertTrue(cib.textLength() > 30 * MIB, node.name() + ": " + cib.textLength());
      assertEquals(cluster.node("node1").cib().contentHash(), cib.contentHash(), node.name());
    }
    assertEquals(List.of(), cluster.failures());
  }
}
