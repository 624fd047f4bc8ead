package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.cib.CibOp;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// What administrators ask of a controller, in a cluster of real daemons.
final class CommandsInAClusterTest {
  private static SimCluster cluster(long seed) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    settle(cluster);
    return cluster;
  }

  private static void settle(SimCluster cluster) {
    var settled = cluster.settle(Duration.ofMinutes(5));
    assertTrue(settled, () -> "not settled: " + cluster.unsettled() + "\n" + cluster.trace());
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
  }

  private static CtlMessage.Reply ask(SimCluster cluster, String node, CtlMessage.Request request) {
    var answers = new ArrayList<CtlMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(CtlMessage.SOCKET, CtlMessage.PROTOCOL, request, answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(90));
    return answers.getFirst();
  }

  @Test
  void aControllerTellsOfAnother() {
    var cluster = cluster(1);
    var dc = cluster.dcs().getFirst();
    for (var asked : cluster.nodes()) {
      assertEquals(
          new CtlMessage.State(new NodeName(dc), "S_IDLE", new NodeName(dc)),
          ask(cluster, asked.name(), new CtlMessage.StateQuery(new NodeName(dc))));
    }
    var unknown = ask(cluster, "node1", new CtlMessage.StateQuery(new NodeName("node9")));
    assertEquals(
        CtlMessage.Reason.UNKNOWN, assertInstanceOf(CtlMessage.Refused.class, unknown).reason());
  }

  @Test
  void aClusterAtRestSaysSo() {
    var cluster = cluster(2);

    assertEquals(
        new CtlMessage.Work(true, "S_IDLE", List.of(), null),
        ask(cluster, "node2", new CtlMessage.WorkQuery()));
  }

  @Test
  void aPretendedFailureIsRecovered() {
    var cluster = cluster(3);
    var node = cluster.resourceOn("a").getFirst();
    var before = count(cluster, "a stopped on");

    ask(
        cluster,
        "node1",
        new CtlMessage.FailResource(
            new ResourceId("a"), new NodeName(node), "ocf", "pacemaker", "Dummy"));
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);

    assertTrue(count(cluster, "a stopped on") > before, cluster.trace()::toString);
    assertEquals(1, cluster.resourceOn("a").size());

    var recovered = count(cluster, "a stopped on");
    ask(cluster, "node1", new CtlMessage.Elect()); // whoever is DC plans anew
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);
    assertEquals(recovered, count(cluster, "a stopped on"), "recovered once");
  }

  @Test
  void whatWasForgottenIsProbedAndFoundAgain() {
    var cluster = cluster(4);
    var before = cluster.resourceOn("a");

    assertEquals(
        new CtlMessage.Done(), ask(cluster, "node3", new CtlMessage.ClearHistory("a", "")));
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);

    assertEquals(before, cluster.resourceOn("a"));
    assertEquals(0, count(cluster, "a stopped on"), cluster.trace()::toString);
  }

  /// Such a name could be an XPath that finds everything.
  @Test
  void aNameWithQuotesConcernsNothingElse() {
    var cluster = cluster(8);
    for (var name : List.of("x' or '1'='1", "x\" or \"1\"=\"1", "x'\" or '1'='1")) {
      assertEquals(
          new CtlMessage.Done(),
          ask(cluster, "node1", new CtlMessage.RemoveNode(new NodeName(name))));
      for (var node : List.of("node1", "node2", "node3")) {
        assertEquals(
            new CtlMessage.Done(), ask(cluster, "node1", new CtlMessage.ClearHistory(name, node)));
      }
    }
    settle(cluster);

    var cib = cluster.cib("node1");
    assertEquals(3, count(cib, "configuration", "nodes"), () -> String.valueOf(cib));
    assertEquals(3, count(cib, "status"), () -> String.valueOf(cib));
    assertEquals(0, count(cluster, " is looked for"), cluster.trace()::toString);
  }

  private static int count(@Nullable Element cib, String... path) {
    var found = cib == null ? null : cib.path(path);
    return found == null ? 0 : found.children().size();
  }

  @Test
  void aNodeInStandbyRunsNothing() {
    var cluster = cluster(5);
    var node = cluster.node(cluster.resourceOn("a").getFirst());
    var standby =
        Element.builder("node")
            .attr("id", node.id())
            .add(
                Element.builder("instance_attributes")
                    .attr("id", "nodes-x")
                    .add(
                        Element.of(
                            "nvpair", "id", "nodes-x-standby", "name", "standby", "value", "on")))
            .build();

    cluster.update(node.name(), List.of(CibOp.put("nodes", standby)), _ -> {});
    cluster.run(Duration.ofSeconds(10));
    settle(cluster);

    assertEquals(List.of(), node.activeResources(), cluster.trace()::toString);
    assertNotEquals(List.of(node.name()), cluster.resourceOn("a"));
  }

  @Test
  void aNodeThatCannotStopAResourceIsFenced() {
    var cluster = cluster(6);
    var node = cluster.node(cluster.resourceOn("a").getFirst());
    node.agentFault("a", "stop", List.of("fails"));
    node.force("a", "stopped");

    cluster.run(Duration.ofSeconds(60));
    settle(cluster);

    assertTrue(count(cluster, node.name() + " fenced by") > 0, cluster.trace()::toString);
    assertEquals(1, cluster.resourceOn("a").size());
  }

  @Test
  void aMemberCannotBeRemoved() {
    var cluster = cluster(7);

    var answer = ask(cluster, "node1", new CtlMessage.RemoveNode(new NodeName("node2")));

    assertEquals(
        CtlMessage.Reason.NOT_NOW, assertInstanceOf(CtlMessage.Refused.class, answer).reason());
  }

  @Test
  void aNodeThatIsDownAndStillListedIsNotRemovedAndNotFenced() {
    var cluster = cluster(8);
    cluster.node("node3").shutdown();
    cluster.run(Duration.ofSeconds(60));

    var answer = ask(cluster, "node1", new CtlMessage.RemoveNode(new NodeName("node3")));

    var refused = assertInstanceOf(CtlMessage.Refused.class, answer);
    assertTrue(refused.why().contains("node list"), refused::why);
    cluster.run(Duration.ofSeconds(60));
    assertEquals(0, count(cluster, "node3 fenced"), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  /// So do administrators' programs that ask first and change the files then.
  @Test
  void whatWasRefusedSinceItWasListedIsRemovedWithItsEntry() {
    var cluster = cluster(8);
    cluster.node("node3").shutdown();
    cluster.run(Duration.ofSeconds(60));
    assertInstanceOf(
        CtlMessage.Refused.class,
        ask(cluster, "node1", new CtlMessage.RemoveNode(new NodeName("node3"))));

    SimConfFile.change(cluster, cluster.nodes().subList(0, 2), List.of("nodes", "2"));
    SimConfFile.reload(cluster, cluster.node("node1"));
    cluster.run(Duration.ofSeconds(60));

    var cib = cluster.cib("node1");
    assertEquals(2, count(cib, "configuration", "nodes"), cluster.trace()::toString);
    assertEquals(2, count(cib, "status"), cluster.trace()::toString);
    assertEquals(0, count(cluster, "node3 fenced"), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  private static long count(SimCluster cluster, String text) {
    return cluster.trace().lines().stream().filter(it -> it.contains(text)).count();
  }

  private static void createWithState(SimCluster cluster, String state) {
    var primitive =
        Element.builder("primitive")
            .attr("id", "c")
            .attr("class", "ocf")
            .attr("provider", "pacemaker")
            .attr("type", "Dummy")
            .add(
                Element.builder("instance_attributes")
                    .attr("id", "c-attributes")
                    .add(Element.of("nvpair", "id", "c-state", "name", "state", "value", state))
                    .build())
            .build();
    cluster.update("node1", List.of(CibOp.put("resources", primitive)), _ -> {});
    settle(cluster);
    assertEquals(1, cluster.resourceOn("c").size(), cluster.trace()::toString);
  }

  private static void delete(SimCluster cluster) {
    cluster.update("node1", List.of(CibOp.deleteXPath("//primitive[@id='c']")), _ -> {});
    settle(cluster);
  }

  @Test
  void aResourceDeletedAfterItsHistoryWasClearedIsStoppedWithItsParameters() {
    var cluster = cluster(6);
    createWithState(cluster, "/run/c");
    ask(cluster, "node3", new CtlMessage.ClearHistory("c", ""));
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);

    delete(cluster);

    assertEquals(List.of(), cluster.resourceOn("c"), cluster.trace()::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"controld", "execd"})
  void alsoWhenADaemonWasStartedAgainInBetween(String daemon) {
    var cluster = cluster(7);
    createWithState(cluster, "/run/c");
    ask(cluster, "node3", new CtlMessage.ClearHistory("c", ""));
    cluster.run(Duration.ofSeconds(5));
    settle(cluster);
    cluster.node(cluster.resourceOn("c").getFirst()).kill(daemon);
    cluster.run(Duration.ofSeconds(10));
    settle(cluster);

    delete(cluster);

    assertEquals(List.of(), cluster.resourceOn("c"), cluster.trace()::toString);
  }

  @Test
  void alsoWhenItsNodeHadLostItsMemoryMeanwhile() {
    var cluster = cluster(8);
    createWithState(cluster, "/run/c");
    var node = cluster.node(cluster.resourceOn("c").getFirst());
    node.kill("execd");
    node.kill("controld");
    cluster.run(Duration.ofMillis(50));

    delete(cluster);
    cluster.run(Duration.ofSeconds(30));
    settle(cluster);

    assertEquals(List.of(), cluster.resourceOn("c"), cluster.trace()::toString);
  }
}
