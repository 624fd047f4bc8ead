package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.FenceDaemon;
import org.systole.fenced.client.FenceMessage;

final class FencingInAClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(300);

  private static SimCluster cluster(long seed) {
    var cluster = new SimCluster(seed, 3);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("fenced", (_, world, layout, env) -> FenceDaemon.start(world, layout, env));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(10));
    return cluster;
  }

  private static List<FenceMessage.Reply> send(
      SimCluster cluster, String node, FenceMessage.Request request) {
    var answers = new ArrayList<FenceMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(FenceMessage.SOCKET, FenceMessage.PROTOCOL, request, answers::add);
    return answers;
  }

  private static FenceMessage.Reply ask(
      SimCluster cluster, String node, FenceMessage.Request request) {
    var answers = send(cluster, node, request);
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT), cluster.trace()::toString);
    return answers.getFirst();
  }

  private static void register(
      SimCluster cluster, String node, String device, Map<String, String> parameters) {
    assertEquals(
        new FenceMessage.Ok(),
        ask(cluster, node, new FenceMessage.RegisterDevice(device, "fence_sim", parameters)));
    cluster.run(Duration.ofSeconds(2));
  }

  private static FenceMessage.Fence fence(String target, String action) {
    return new FenceMessage.Fence(new NodeName(target), action, 20_000, 0, 0, "test.1", true, 0);
  }

  private static FenceMessage.Outcome outcome(FenceMessage answer) {
    return assertInstanceOf(FenceMessage.Outcome.class, answer);
  }

  private static List<FenceMessage.FenceRecord> history(SimCluster cluster, String node) {
    return ((FenceMessage.History) ask(cluster, node, new FenceMessage.HistoryQuery(null, false)))
        .records();
  }

  @Test
  void aDeviceOfAnotherNodeDoesItAndEverybodyKnows() {
    var cluster = cluster(1);
    register(cluster, "node2", "power", Map.of());

    var outcome = outcome(ask(cluster, "node1", fence("node3", "off")));

    assertTrue(outcome.succeeded(), cluster.trace()::toString);
    assertFalse(cluster.node("node3").isPowered());
    assertEquals("node2", outcome.record().delegate());
    assertEquals("node1", outcome.record().origin().text());
    for (var node : List.of("node1", "node2")) {
      assertEquals(List.of(outcome.record()), history(cluster, node));
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aNodeIsKnownByItsIdToo() {
    var cluster = cluster(2);
    register(cluster, "node2", "power", Map.of());

    var outcome = outcome(ask(cluster, "node1", fence("3", "reboot")));

    assertEquals("node3", outcome.record().target().text());
    assertTrue(outcome.succeeded());
  }

  @Test
  void withoutADeviceItFailsAndSaysSo() {
    var cluster = cluster(3);

    var outcome = outcome(ask(cluster, "node1", fence("node3", "off")));

    assertEquals(ExecStatus.NO_FENCE_DEVICE, outcome.status());
    assertEquals(FenceMessage.Progress.FAILED, outcome.record().progress());
    assertTrue(cluster.node("node3").isPowered());
  }

  @Test
  void aVerifiedDeviceIsPreferred() {
    var cluster = cluster(4);
    var hosts = Map.of("pcmk_host_list", "node3"); // a device asked for its list is verified by it
    register(cluster, "node1", "unsure", hosts);
    register(cluster, "node2", "sure", hosts);
    var monitored =
        ask(cluster, "node2", new FenceMessage.RunDevice("sure", "monitor", null, 20_000));
    assertTrue(assertInstanceOf(FenceMessage.DeviceResult.class, monitored).succeeded());

    var outcome = outcome(ask(cluster, "node1", fence("node3", "off")));

    assertEquals("node2", outcome.record().delegate(), cluster.trace()::toString);
  }

  @Test
  void aStaticListKeepsADeviceFromOtherNodes() {
    var cluster = cluster(5);
    register(cluster, "node1", "power2", Map.of("pcmk_host_list", "node2"));

    assertFalse(outcome(ask(cluster, "node1", fence("node3", "off"))).succeeded());
    assertTrue(outcome(ask(cluster, "node1", fence("node2", "off"))).succeeded());
  }

  @Test
  void everyDeviceOfALevelHasToSucceed() {
    var cluster = cluster(6);
    register(cluster, "node1", "a", Map.of("pcmk_host_list", "node3"));
    register(cluster, "node2", "b", Map.of("pcmk_host_list", "node3"));
    register(cluster, "node2", "c", Map.of("pcmk_host_map", "node3:nowhere"));
    for (var node : List.of("node1")) {
      ask(cluster, node, new FenceMessage.RegisterLevel("node3", 1, List.of("a", "c")));
      ask(cluster, node, new FenceMessage.RegisterLevel("node3", 2, List.of("a", "b")));
    }

    var outcome = outcome(ask(cluster, "node1", fence("node3", "reboot")));

    assertTrue(outcome.succeeded(), cluster.trace()::toString);
    cluster.run(Duration.ofSeconds(10));
    assertTrue(cluster.node("node3").isPowered(), "switched on again after all were off");
  }

  @Test
  void aRebootInTwoPartsLeavesItToTheUnfencingToSwitchOnWhatThatHasToUse() {
    var cluster = cluster(12);
    var fabric = Map.of("pcmk_host_list", "node3", "CRM_meta_provides", "unfencing");
    register(cluster, "node1", "a", fabric);
    register(cluster, "node2", "b", fabric);
    ask(cluster, "node1", new FenceMessage.RegisterLevel("node3", 1, List.of("a", "b")));

    var outcome = outcome(ask(cluster, "node1", fence("node3", "reboot")));

    assertTrue(outcome.succeeded(), cluster.trace()::toString);
    cluster.run(Duration.ofSeconds(10));
    assertFalse(cluster.node("node3").isPowered(), cluster.trace()::toString);
  }

  @Test
  void theSameRequestFromTwoNodesIsCarriedOutOnce() {
    var cluster = cluster(7);
    register(cluster, "node1", "power", Map.of());

    var one = send(cluster, "node1", fence("node3", "reboot"));
    var other = send(cluster, "node2", fence("node3", "reboot"));
    assertTrue(cluster.runUntil(() -> !one.isEmpty() && !other.isEmpty(), LIMIT));

    assertTrue(outcome(one.getFirst()).succeeded());
    assertEquals(outcome(one.getFirst()).record(), outcome(other.getFirst()).record());
    assertEquals(1, history(cluster, "node1").size());
  }

  @Test
  void theNextFencerTakesOverFromOneThatDies() {
    var cluster = cluster(8);
    var hosts = Map.of("pcmk_host_list", "node3"); // a device asked for its list is verified by it
    register(cluster, "node2", "slow", Map.of("pcmk_host_list", "node3", "pcmk_delay_base", "15s"));
    ask(cluster, "node2", new FenceMessage.RunDevice("slow", "monitor", null, 20_000));
    register(cluster, "node1", "other", hosts);

    var answers = send(cluster, "node1", fence("node3", "off"));
    cluster.run(Duration.ofSeconds(5));
    assertTrue(answers.isEmpty());
    cluster.node("node2").powerOff();
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT));

    assertTrue(outcome(answers.getFirst()).succeeded(), cluster.trace()::toString);
    assertEquals("node1", outcome(answers.getFirst()).record().delegate());
  }

  @Test
  void aPersonsWordEndsWhatIsUnderWay() {
    var cluster = cluster(9);
    register(cluster, "node1", "slow", Map.of("pcmk_delay_base", "50s"));
    var answers = send(cluster, "node1", fence("node3", "off"));
    cluster.run(Duration.ofSeconds(5));
    cluster.node("node3").powerOff();
    cluster.run(Duration.ofSeconds(5));

    assertEquals(
        new FenceMessage.Ok(),
        ask(cluster, "node2", new FenceMessage.Confirm(new NodeName("node3"), "stonith_admin.7")));
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(5)));

    assertTrue(outcome(answers.getFirst()).succeeded());
    assertEquals("a human", outcome(answers.getFirst()).record().delegate());
  }

  @Test
  void whatWasDoneJustNowIsToleratedAndNotDoneAgain() {
    var cluster = cluster(10);
    register(cluster, "node1", "power", Map.of());
    var first = outcome(ask(cluster, "node1", fence("node3", "off")));

    var again =
        outcome(
            ask(
                cluster,
                "node2",
                new FenceMessage.Fence(
                    new NodeName("node3"), "off", 20_000, 0, 60_000, "test.2", true, 0)));

    assertEquals(first.record(), again.record());
  }

  @Test
  void aNodeThatComesBackLearnsWhatItMissed() {
    var cluster = cluster(11);
    register(cluster, "node1", "power", Map.of());
    outcome(ask(cluster, "node1", fence("node3", "off")));

    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(60));

    assertEquals(history(cluster, "node1"), history(cluster, "node3"), cluster.trace()::toString);
    ask(cluster, "node3", new FenceMessage.HistoryCleanup(""));
    cluster.run(Duration.ofSeconds(5));
    assertEquals(List.of(), history(cluster, "node1"));
  }

  /// Fencers die, agents fail and hang, requests cross: still every request is answered, and all
  /// fencers remember the same.
  @Test
  void everyRequestIsAnsweredWhateverGoesWrong() {
    for (var seed = 100; seed < 115; seed++) {
      var cluster = cluster(seed);
      var random = new Random(seed);
      register(cluster, "node1", "a", Map.of("pcmk_host_list", "node2 node3"));
      register(cluster, "node2", "b", Map.of("pcmk_host_list", "node1 node3"));
      register(cluster, "node3", "c", Map.of());
      var answers = new ArrayList<List<FenceMessage.Reply>>();
      for (var round = 0; round < 6; round++) {
        var asker = "node" + (1 + random.nextInt(2));
        if (cluster.node(asker).isPowered()) {
          answers.add(
              send(cluster, asker, fence("node3", random.nextBoolean() ? "reboot" : "off")));
        }
        switch (random.nextInt(5)) {
          case 0 -> cluster.node("node" + (1 + random.nextInt(3))).kill("fenced");
          case 1 -> cluster.node("node1").agentFault("fence_sim", "*", List.of("fails"));
          case 2 -> cluster.node("node2").agentFault("fence_sim", "off", List.of("hangs"));
          case 3 -> cluster.node("node1").agentsWell();
          default -> cluster.node("node3").powerOn();
        }
        cluster.run(Duration.ofMillis(random.nextInt(8_000)));
      }
      var told = "seed " + seed;
      assertTrue(
          cluster.runUntil(() -> answers.stream().noneMatch(List::isEmpty), LIMIT),
          () -> told + "\n" + cluster.trace());
      cluster.run(Duration.ofSeconds(120));
      assertEquals(List.of(), cluster.failures(), told);
      var known = history(cluster, "node1");
      assertTrue(
          known.stream().noneMatch(FenceMessage.FenceRecord::pending),
          () -> told + "\n" + known + cluster.trace());
      assertEquals(
          Set.copyOf(known),
          Set.copyOf(history(cluster, "node2")),
          () -> told + "\n" + cluster.trace());
    }
  }
}
