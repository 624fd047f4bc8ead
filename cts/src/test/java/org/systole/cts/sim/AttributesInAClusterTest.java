package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.AttrDaemon;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class AttributesInAClusterTest {
  private static SimCluster cluster(long seed) {
    var cluster = new SimCluster(seed, 3);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("attrd", (_, world, layout, env) -> AttrDaemon.start(world, layout, env));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(5));
    return cluster;
  }

  private static AttrMessage.Reply ask(
      SimCluster cluster, String node, AttrMessage.Request request) {
    var answers = new ArrayList<AttrMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(AttrMessage.SOCKET, AttrMessage.PROTOCOL, request, answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(60));
    return answers.getFirst();
  }

  private static List<AttrMessage.NodeValue> values(SimCluster cluster, String node, String name) {
    return ((AttrMessage.Values) ask(cluster, node, new AttrMessage.Query(name, null))).values();
  }

  @Test
  void everyNodeSeesWhatOneSets() {
    var cluster = cluster(1);
    var update = AttrUpdates.set("color", null, "red");

    var done = ask(cluster, "node2", AttrUpdates.waiting(update, AttrMessage.Wait.CLUSTER));

    assertEquals(new AttrMessage.Done(AttrMessage.Outcome.OK, ""), done, cluster.trace()::toString);
    for (var node : List.of("node1", "node2", "node3")) {
      assertEquals(
          List.of(new AttrMessage.NodeValue(new NodeName("node2"), "red")),
          values(cluster, node, "color"));
    }
  }

  @Test
  void countingUpLosesNothing() {
    var cluster = cluster(2);
    for (var round = 0; round < 10; round++) {
      for (var node : cluster.nodes()) {
        new SimCommand(node)
            .ask(
                AttrMessage.SOCKET,
                AttrMessage.PROTOCOL,
                AttrUpdates.set("fail-count-a#start_0", new NodeName("node1"), "value++"),
                _ -> {});
      }
    }
    cluster.run(Duration.ofSeconds(2));

    assertEquals(
        List.of(new AttrMessage.NodeValue(new NodeName("node1"), "30")),
        values(cluster, "node3", "fail-count-a#start_0"));
  }

  private static SimCluster withAlert(long seed, String select) throws XmlException {
    var cib =
        XmlReader.parse(
            """
            <cib admin_epoch="0" epoch="1" num_updates="0">
              <configuration>
                <crm_config/><nodes/><resources/><constraints/>
                <alerts><alert id="pager" path="/no/such/alert">%s</alert></alerts>
              </configuration>
              <status/>
            </cib>
            """
                .formatted(select));
    var cluster = new SimCluster(seed, 3);
    var link = new SimPerfectLink(cluster);
    var perfect = new SimPerfectCib(cluster, cib);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("cibd", (node, world, _, _) -> perfect.start(node, world));
    cluster.daemon("attrd", (_, world, layout, env) -> AttrDaemon.start(world, layout, env));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(5));
    return cluster;
  }

  private static int alerts(SimCluster cluster) {
    return cluster.trace().toString().split("Alert pager", -1).length - 1;
  }

  @Test
  void aChangeIsAlertedToOnceWhenItIsWritten() throws Exception {
    var cluster = withAlert(6, "<select><select_attributes/></select>");
    ask(cluster, "node2", AttrUpdates.set("color", null, "red"));
    cluster.run(Duration.ofSeconds(3));
    assertEquals(1, alerts(cluster), cluster.trace()::toString);

    ask(cluster, "node3", AttrUpdates.set("color", new NodeName("node2"), "red"));
    ask(cluster, "node3", new AttrMessage.Refresh());
    cluster.node("node1").kill("attrd");
    cluster.run(Duration.ofSeconds(10));
    assertEquals(1, alerts(cluster), cluster.trace()::toString);
  }

  @Test
  void onlyTheAttributesAnAlertSelectsAreAlertedTo() throws Exception {
    var select =
        "<select><select_attributes><attribute id='x' name='color'/></select_attributes></select>";
    var cluster = withAlert(7, select);
    ask(cluster, "node2", AttrUpdates.set("size", null, "9"));
    ask(cluster, "node2", AttrUpdates.set("color", null, "red"));
    cluster.run(Duration.ofSeconds(3));

    assertEquals(1, alerts(cluster), cluster.trace()::toString);
  }

  @Test
  void ofManyUpdatesAtOnceOnlyWhatLastsIsTold() {
    var cluster = cluster(5);
    var before = cluster.trace().toString().split("Setting ", -1).length;
    for (var at = 1; at <= 300; at++) {
      var update =
          at % 10 == 0
              ? AttrUpdates.set("count", null, "value++")
              : AttrUpdates.set("color", null, Integer.toString(at));
      new SimCommand(cluster.node("node2"))
          .ask(AttrMessage.SOCKET, AttrMessage.PROTOCOL, update, _ -> {});
    }
    cluster.run(Duration.ofSeconds(2));

    var color = values(cluster, "node1", "color");
    assertEquals(1, color.size());
    for (var node : List.of("node1", "node2", "node3")) {
      assertEquals(color, values(cluster, node, "color"));
      assertEquals(
          List.of(new AttrMessage.NodeValue(new NodeName("node2"), "30")),
          values(cluster, node, "count"));
    }
    var told = cluster.trace().toString().split("Setting ", -1).length - before;
    assertTrue(told >= 3 * 31 && told < 3 * 200, told + " changes");
  }

  @Test
  void aRestartedManagerLearnsTheValuesAgain() {
    var cluster = cluster(3);
    ask(cluster, "node1", AttrUpdates.set("color", null, "blue"));
    cluster.run(Duration.ofSeconds(1));

    cluster.node("node1").kill("attrd");
    cluster.run(Duration.ofSeconds(5));

    assertEquals(
        List.of(new AttrMessage.NodeValue(new NodeName("node1"), "blue")),
        values(cluster, "node1", "color"));
    assertEquals(
        List.of(new AttrMessage.NodeValue(new NodeName("node1"), "blue")),
        values(cluster, "node3", "color"));
  }

  @Test
  void aLostNodeLosesItsValues() {
    var cluster = cluster(4);
    ask(cluster, "node1", AttrUpdates.set("color", null, "blue"));
    ask(cluster, "node2", AttrUpdates.set("color", null, "green"));

    cluster.node("node1").powerOff();
    cluster.run(Duration.ofSeconds(5));

    assertEquals(
        List.of(new AttrMessage.NodeValue(new NodeName("node2"), "green")),
        values(cluster, "node3", "color"));
  }

  @Test
  void failuresAreClearedByResourceAndOperation() {
    var cluster = cluster(5);
    ask(cluster, "node1", AttrUpdates.set("fail-count-a#start_0", null, "3"));
    ask(cluster, "node1", AttrUpdates.set("fail-count-a#monitor_10000", null, "2"));
    ask(cluster, "node1", AttrUpdates.set("fail-count-ab#start_0", null, "1"));

    ask(cluster, "node2", new AttrMessage.ClearFailures(new ResourceId("a"), "start", 0, null));
    cluster.run(Duration.ofSeconds(1));

    assertEquals("[null, 2, 1]", counts(cluster));
    ask(cluster, "node2", new AttrMessage.ClearFailures(new ResourceId("a"), "", 0, null));
    cluster.run(Duration.ofSeconds(1));
    assertEquals("[null, null, 1]", counts(cluster));
  }

  private static String counts(SimCluster cluster) {
    var found = new ArrayList<String>();
    for (var name :
        List.of("fail-count-a#start_0", "fail-count-a#monitor_10000", "fail-count-ab#start_0")) {
      values(cluster, "node3", name).forEach(it -> found.add(it.value()));
    }
    return found.toString();
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    var first = cluster(7);
    var second = cluster(7);
    var other = cluster(8);

    assertEquals(first.trace().hash(), second.trace().hash());
    assertTrue(first.trace().hash() != other.trace().hash());
    assertEquals(List.of(), first.failures());
  }
}
