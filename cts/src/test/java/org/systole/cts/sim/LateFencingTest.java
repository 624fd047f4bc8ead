package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.fenced.client.FenceMessage;

/// Fence agents that switch the power at once and say so much later: by then the node may be back,
/// and what they say is about the life it had before.
final class LateFencingTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static SimCluster running(long seed) {
    var cluster = RealDaemons.cluster(seed, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.trace().echo(Boolean.getBoolean("sim.echo"));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), cluster.trace()::toString);
    var here =
        Element.of("rsc_location", "id", "here", "rsc", "b", "node", "node3", "score", "1000");
    cluster.update("node1", List.of(CibOp.put("constraints", here)), _ -> {});
    awaitB(cluster, "node3");
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    return cluster;
  }

  private static void awaitB(SimCluster cluster, String node) {
    assertTrue(
        cluster.runUntil(() -> cluster.resourceOn("b").equals(List.of(node)), LIMIT),
        cluster.trace()::toString);
  }

  private static void agents(SimCluster cluster, String... how) {
    for (var node : cluster.nodes()) {
      node.agentFault("fence_sim", "reboot", List.of(how));
    }
  }

  private static List<FenceMessage.Reply> ask(
      SimCluster cluster, String node, FenceMessage.Request request) {
    var answers = new ArrayList<FenceMessage.Reply>();
    cluster.ask(
        node,
        FenceMessage.SOCKET,
        FenceMessage.PROTOCOL,
        request,
        answer -> {
          if (answer != null) {
            answers.add(answer);
          }
        });
    return answers;
  }

  private static FenceMessage.Request reboot(String target) {
    return new FenceMessage.Fence(
        new NodeName(target), "reboot", 120_000, 0, 0, "stonith_admin.1", true, 0);
  }

  /// A fencer that is lost in the middle says nothing of the devices: that uses up no attempts.
  @Test
  void aNodeIsFencedThoughTheFencerOfTheDcIsLostMeanwhile() {
    var cluster = RealDaemons.cluster(1, 2);
    cluster.quorumOption("two_node", "1");
    cluster.loadCib(SimCibs.standard(2));
    cluster.powerOnAll();
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    var dc = cluster.dcs().getFirst();
    var lost = dc.equals("node1") ? "node2" : "node1";
    agents(cluster, "acts", "PT5S", "takes", "PT6S");
    cluster.node(lost).powerOff();
    assertTrue(
        cluster.runUntil(
            () ->
                cluster.trace().lines().stream()
                    .anyMatch(it -> it.contains("Requesting fencing") && it.contains(lost)),
            LIMIT),
        cluster.trace()::toString);
    cluster.run(Duration.ofMillis(300));
    assertTrue(cluster.node(dc).kill("fenced"));

    assertTrue(
        cluster.runUntil(() -> timesFenced(cluster, lost) > 0, Duration.ofMinutes(1)),
        cluster.trace()::toString);
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  private static long timesFenced(SimCluster cluster, String node) {
    return cluster.trace().changes().stream()
        .filter(it -> it.contains(node + " fenced by "))
        .count();
  }

  /// node3 is stopped, rebooted by hand and has `b` again, before the agent says that it is done.
  private static SimCluster rebootedByHand(long seed) {
    var cluster = running(seed);
    cluster.node("node3").shutdown();
    assertTrue(cluster.runUntil(() -> !cluster.node("node3").isRunning(), LIMIT));
    cluster.run(Duration.ofSeconds(5));
    agents(cluster, "acts", "PT1S", "takes", "PT90S");
    ask(cluster, "node1", reboot("node3"));
    awaitB(cluster, "node3");
    return cluster;
  }

  @Test
  void aRebootByHandThatIsSaidToBeDoneLateLeavesTheNodeThatIsBackAlone() {
    var cluster = rebootedByHand(1);
    cluster.run(Duration.ofMinutes(2));

    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
    assertEquals(List.of("node3"), cluster.resourceOn("b"));
    assertTrue(cluster.node("node3").isRunning());
    assertEquals(1, timesFenced(cluster, "node3"));
    cluster.update("node1", List.of(CibOp.put("resources", SimCibs.resource("c"))), _ -> {});
    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    assertEquals(List.of("node3"), cluster.resourceOn("b"));
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aLostNodeIsNotTakenForFencedByWhatWasDoneBeforeItCameBack() {
    var cluster = rebootedByHand(2);
    cluster.run(Duration.ofSeconds(60));
    cluster.note("node3 is cut off");
    agents(cluster, "well");
    cluster.partition(List.of(List.of("node1", "node2")));

    assertTrue(
        cluster.runUntil(
            () -> cluster.resourceOn("b").size() == 1 && !cluster.resourceOn("b").contains("node3"),
            LIMIT),
        cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures(), cluster.trace()::toString);
    assertTrue(timesFenced(cluster, "node3") >= 2, cluster.trace()::toString);
  }

  @Test
  void aNodeThatIsBackBeforeItsFencingIsSaidToBeDoneStays() {
    var cluster = running(3);
    agents(cluster, "acts", "PT1S", "takes", "PT30S");
    cluster.node("node3").powerOff();
    assertTrue(cluster.runUntil(() -> timesFenced(cluster, "node3") == 1, LIMIT));
    agents(cluster, "well");
    cluster.run(Duration.ofSeconds(20));
    assertTrue(cluster.node("node3").isRunning());
    cluster.run(Duration.ofSeconds(60));

    assertTrue(cluster.settle(LIMIT), cluster.unsettled()::toString);
    assertTrue(cluster.node("node3").isRunning(), cluster.trace()::toString);
    assertEquals(List.of("node3"), cluster.resourceOn("b"));
    assertEquals(1, timesFenced(cluster, "node3"), cluster.trace()::toString);
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void failedAttemptsAreCountedAnewForANodeThatIsBack() {
    var cluster = running(7);
    agents(cluster, "fails");
    cluster.node("node3").powerOff();
    assertTrue(failedFor(cluster, 3, 0), cluster.trace()::toString);
    cluster.node("node3").powerOn();
    assertTrue(
        cluster.runUntil(() -> cluster.resourceOn("b").equals(List.of("node3")), LIMIT),
        cluster.trace()::toString);
    var before = cluster.trace().lines().size();

    cluster.node("node3").powerOff();

    assertTrue(failedFor(cluster, 1, before), cluster.trace()::toString);
  }

  /// Whether a fencing of node3 fails for the n-th time, as the DC counts, after so many lines.
  private static boolean failedFor(SimCluster cluster, int times, int from) {
    var said = "attempt " + times;
    return cluster.runUntil(
        () -> {
          var lines = cluster.trace().lines();
          return lines.subList(from, lines.size()).stream().anyMatch(it -> it.contains(said));
        },
        LIMIT);
  }

  @Test
  void theClusterDoesNotWaitForAnAgentWhoseTargetIsBack() {
    var cluster = running(4);
    agents(cluster, "acts", "PT1S", "takes", "PT50S");
    cluster.node("node3").powerOff();
    assertTrue(cluster.runUntil(() -> timesFenced(cluster, "node3") == 1, LIMIT));

    assertTrue(
        cluster.runUntil(
            () -> cluster.resourceOn("b").equals(List.of("node3")), Duration.ofSeconds(20)),
        cluster.trace()::toString);
  }

  @Test
  void whatAPersonSaysOfAMemberIsRefused() {
    var cluster = running(5);
    var answers =
        ask(cluster, "node1", new FenceMessage.Confirm(new NodeName("node3"), "stonith_admin.1"));
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT));
    cluster.run(Duration.ofSeconds(30));

    var refused = assertInstanceOf(FenceMessage.Refused.class, answers.getFirst());
    assertTrue(refused.why().startsWith("node3 is a member of the cluster"), refused.why());
    assertEquals(List.of("node3"), cluster.resourceOn("b"));
    assertEquals(List.of(), cluster.failures());
    assertTrue(cluster.node("node3").isRunning());
  }

  @Test
  void whatWasAskedForBeforeTheNodeCameBackIsNotBegunAfterwards() {
    var cluster = running(6);
    cluster.node("node3").shutdown();
    assertTrue(cluster.runUntil(() -> !cluster.node("node3").isRunning(), LIMIT));
    cluster.run(Duration.ofSeconds(5));
    var answers =
        ask(
            cluster,
            "node1",
            new FenceMessage.Fence(
                new NodeName("node3"), "reboot", 120_000, 30, 0, "stonith_admin.1", true, 0));
    cluster.run(Duration.ofSeconds(2));
    cluster.node("node3").startCluster();
    awaitB(cluster, "node3");
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT));
    cluster.run(Duration.ofSeconds(60));

    var outcome = assertInstanceOf(FenceMessage.Outcome.class, answers.getFirst());
    assertFalse(outcome.succeeded());
    assertEquals(
        "node3 has come back to the cluster since it was to be fenced",
        outcome.record().exitReason());
    assertEquals(0, timesFenced(cluster, "node3"), cluster.trace()::toString);
    assertEquals(List.of("node3"), cluster.resourceOn("b"));
  }
}
