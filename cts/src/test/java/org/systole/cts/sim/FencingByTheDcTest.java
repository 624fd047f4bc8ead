package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.fenced.client.FenceMessage;

/// Fencing as part of the whole: devices from the CIB, started by the cluster, used by the DC.
final class FencingByTheDcTest {
  private static final Duration LIMIT = Duration.ofSeconds(120);

  private static final String CIB =
      """
      <cib crm_feature_set="3.20.1" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration>
          <crm_config>
            <cluster_property_set id="o">
              <nvpair id="o1" name="fencing-enabled" value="true"/>
              <nvpair id="o2" name="stonith-enabled" value="true"/>
            </cluster_property_set>
          </crm_config>
          <nodes>
            <node id="1" uname="node1"/>
            <node id="2" uname="node2"/>
            <node id="3" uname="node3"/>
          </nodes>
          <resources>
            <primitive id="power" class="stonith" type="fence_sim">
              <operations><op id="power-m" name="monitor" interval="60s" timeout="20s"/></operations>
            </primitive>
            <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
              <operations><op id="web-m" name="monitor" interval="10s" timeout="20s"/></operations>
            </primitive>
          </resources>
          <constraints>
            <rsc_location id="l1" rsc="web" node="node3" score="100"/>
            <rsc_location id="l2" rsc="power" node="node1" score="100"/>
          </constraints>
        </configuration>
        <status/>
      </cib>
      """;

  private static SimCluster running(long seed) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(CIB);
    cluster.powerOnAll();
    assertTrue(
        cluster.runUntil(() -> cluster.resourceOn("web").equals(List.of("node3")), LIMIT),
        cluster.trace()::toString);
    cluster.run(Duration.ofSeconds(20));
    return cluster;
  }

  private static List<FenceMessage.FenceRecord> history(SimCluster cluster, String node) {
    var answers = new ArrayList<FenceMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(
            FenceMessage.SOCKET,
            FenceMessage.PROTOCOL,
            new FenceMessage.HistoryQuery(null, false),
            answers::add);
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT));
    return ((FenceMessage.History) answers.getFirst()).records();
  }

  @Test
  void aLostNodeIsFencedBeforeItsResourceStartsElsewhere() {
    var cluster = running(21);
    cluster.node("node3").powerOff();

    assertTrue(
        cluster.runUntil(
            () ->
                cluster.resourceOn("web").size() == 1
                    && !cluster.resourceOn("web").contains("node3"),
            LIMIT),
        cluster.trace()::toString);

    var records = history(cluster, "node1");
    assertEquals("node3", records.getLast().target().text(), cluster.trace()::toString);
    assertEquals("reboot", records.getLast().action());
    assertEquals(FenceMessage.Progress.DONE, records.getLast().progress());
    assertEquals("node1", records.getLast().delegate(), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
  }
}
