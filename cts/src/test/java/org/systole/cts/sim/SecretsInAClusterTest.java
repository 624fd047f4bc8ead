package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Parameters whose values are not in the CIB, in a whole cluster.
final class SecretsInAClusterTest {
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
              <instance_attributes id="power-p">
                <nvpair id="power-passwd" name="passwd" value="lrm://"/>
              </instance_attributes>
              <operations><op id="power-m" name="monitor" interval="60s" timeout="20s"/></operations>
            </primitive>
            <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
              <instance_attributes id="web-p">
                <nvpair id="web-token" name="token" value="lrm://"/>
              </instance_attributes>
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

  private static SimCluster cluster(long seed) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(CIB);
    return cluster;
  }

  private static void give(SimCluster cluster, String resource, String name, String value) {
    for (var node : List.of("node1", "node2", "node3")) {
      cluster.node(node).secrets().put(resource, name, value);
    }
  }

  private static String cib(SimCluster cluster) {
    var cib = cluster.cib("node1");
    assertNotNull(cib);
    return cib.toString();
  }

  @Test
  void aDeviceAndAResourceWorkAndTheValuesAreNowhereElse() {
    var cluster = cluster(1);
    give(cluster, "power", "passwd", SimFenceAgent.PASSWORD);
    give(cluster, "web", "token", "web-t0ken");
    cluster.powerOnAll();
    assertTrue(
        cluster.runUntil(() -> cluster.resourceOn("web").equals(List.of("node3")), LIMIT),
        cluster.trace()::toString);
    cluster.run(Duration.ofSeconds(20));

    cluster.node("node3").powerOff();
    assertTrue(
        cluster.runUntil(() -> cluster.trace().toString().contains("ends with 0"), LIMIT),
        cluster.trace()::toString);
    cluster.settle(Duration.ofMinutes(3));

    assertEquals(1, cluster.resourceOn("web").size(), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
    for (var secret : List.of(SimFenceAgent.PASSWORD, "web-t0ken")) {
      assertFalse(cluster.trace().toString().contains(secret));
      assertFalse(cib(cluster).contains(secret));
    }
    assertTrue(cib(cluster).contains("lrm://"));
  }

  /// What daemons keep of what runs, for whoever comes after them, names the secret as the CIB does.
  @Test
  void whatIsKeptOfWhatRunsHasNoValue() {
    var far = SimOptions.host(1);
    var cluster = RealDaemons.cluster(4, 3);
    cluster.addHost(far);
    var connection = "<primitive id=\"%s\" class=\"ocf\" provider=\"pacemaker\" type=\"remote\"/>".formatted(far);
    var away = CIB.substring(CIB.indexOf("<primitive id=\"web\""), CIB.indexOf("</resources>")).replace("web", "far");
    var there = "<rsc_location id=\"l3\" rsc=\"far\" node=\"%s\" score=\"INFINITY\"/>".formatted(far);
    cluster.loadCib(CIB.replace("</resources>", away + connection + "</resources>").replace("</constraints>", there + "</constraints>"));
    give(cluster, "power", "passwd", SimFenceAgent.PASSWORD);
    give(cluster, "web", "token", "web-t0ken");
    give(cluster, "far", "token", "far-t0ken"); // all of them are asked whether it runs there
    cluster.node(far).secrets().put("far", "token", "far-t0ken");
    cluster.node(far).secrets().put("web", "token", "web-t0ken");
    cluster.powerOnAll();
    assertTrue(
        cluster.runUntil(() -> cluster.resourceOn("web").equals(List.of("node3")) && cluster.resourceOn("far").equals(List.of(far)), LIMIT),
        cluster.trace()::toString);
    cluster.run(Duration.ofSeconds(20));

    assertTrue(kept(cluster, "node3", "controld", "left-running.xml").contains("lrm://"));
    assertTrue(kept(cluster, far, "remoted", "started.xml").contains("lrm://"));
    for (var machine : cluster.machines()) {
      for (var daemon : List.of("pacemakerd", "cibd", "fenced", "execd", "attrd", "schedulerd", "controld", "remoted")) {
        for (var file : machine.disk(daemon).files().keySet()) {
          var text = kept(cluster, machine.name(), daemon, file);
          for (var secret : List.of(SimFenceAgent.PASSWORD, "web-t0ken", "far-t0ken")) {
            assertFalse(text.contains(secret), machine + " " + daemon + " " + file);
          }
        }
      }
    }
  }

  private static String kept(SimCluster cluster, String node, String daemon, String file) {
    var content = cluster.node(node).file(daemon, file);
    assertNotNull(content, node + " " + daemon + " " + file);
    return new String(content, StandardCharsets.ISO_8859_1);
  }

  @Test
  void aDeviceWithTheWrongValueDoesNotWork() {
    var cluster = cluster(2);
    give(cluster, "power", "passwd", "wrong");
    give(cluster, "web", "token", "web-t0ken");
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(60));

    assertEquals(List.of(), cluster.resourceOn("power"));
    assertTrue(cluster.trace().toString().contains("wrong password"));
  }

  @Test
  void withoutTheFilesNeitherWorks() {
    var cluster = cluster(3);
    cluster.node("node2").secrets().put("web", "token", "web-t0ken");
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(90));

    assertEquals(List.of(), cluster.resourceOn("power"));
    assertTrue(cib(cluster).contains("Failed to get CIB secrets"), () -> cib(cluster));
    assertTrue(cib(cluster).contains("Unable to load CIB secrets"), () -> cib(cluster));
    // "not configured" counts for all nodes, also where one has the file
    assertEquals(List.of(), cluster.resourceOn("web"), cluster.trace()::toString);
  }
}
