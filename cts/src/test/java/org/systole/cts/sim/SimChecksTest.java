package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.client.CtlMessage;

/// A check that cannot fail is worth nothing.
final class SimChecksTest {
  @Test
  void aResourceOnTwoNodesIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(
        XmlWriter.compact(SimCibs.standard(3))
            .replace(
                "name=\"fencing-enabled\" value=\"true\"",
                "name=\"fencing-enabled\" value=\"false\"")
            .replace(
                "name=\"no-quorum-policy\" value=\"stop\"",
                "name=\"no-quorum-policy\" value=\"ignore\""));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);

    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.settle(Duration.ofMinutes(2));

    assertTrue(
        cluster.failures().stream().anyMatch(it -> it.contains("at the same time")),
        cluster.failures()::toString);
    assertTrue(cluster.checksFailed().contains(SimCheck.TWO_ACTIVE));
  }

  @Test
  void aNodeThatIsCountedAsFencedByItsWatchdogAndHasResourcesIsNoticed() {
    var cluster = new SimCluster(1, 3);
    cluster.node("node1").powerOn();
    var text = "notice: Fencing (reboot) of node1 by node2 with watchdog succeeded | fencing=1";
    cluster.checks().said("fenced", text);
    assertEquals(Set.of(), cluster.checksFailed(), "it has nothing");
    cluster.node("node1").force("a", "started");
    cluster.checks().said("fenced", text.replace("succeeded", "failed"));
    assertEquals(Set.of(), cluster.checksFailed());
    cluster.checks().said("fenced", text);
    assertEquals(Set.of(SimCheck.COUNTED_ALIVE), cluster.checksFailed());
  }

  @Test
  void aResourceOnAFencedNodeIsActiveNowhereAndOnAFrozenOneItIs() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.nodes().forEach(SimNode::powerOn);
    cluster.node("node1").force("a", "started");
    cluster.cutPower(cluster.node("node1"), cluster.node("node2"));

    cluster.node("node2").force("a", "started");

    assertEquals(List.of(), cluster.failures());

    cluster.node("node2").pause();
    cluster.node("node3").force("a", "started");

    assertEquals(Set.of(SimCheck.TWO_ACTIVE), cluster.checksFailed());
  }

  @Test
  void aStartOnANodeThatHasLongBeenInStandbyIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var node1 = cluster.node("node1");
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    changes.ask(cluster.node("node2"), SimChanges.nodeAttribute(node1, "standby", "on"));
    cluster.run(Duration.ofSeconds(40));
    node1.agents().begin("late", "one");
    assertEquals(Set.of(), cluster.checksFailed(), "it may have been under way");
    cluster.run(Duration.ofSeconds(20));
    node1.agents().begin("late", "one");
    assertEquals(Set.of(), cluster.checksFailed(), "it runs there already");
    cluster.node("node2").agents().begin("other", "one");
    assertEquals(Set.of(), cluster.checksFailed(), "of another node");

    node1.agents().begin("other", "two");

    assertEquals(Set.of(SimCheck.IN_STANDBY), cluster.checksFailed());
  }

  /// A controller may know of it before those who look do.
  @Test
  void aNodeThatIsTakenOutOfStandbyMayStartAnything() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var node1 = cluster.node("node1");
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    changes.ask(cluster.node("node2"), SimChanges.nodeAttribute(node1, "standby", "on"));
    cluster.run(Duration.ofSeconds(60));
    changes.ask(cluster.node("node2"), SimChanges.nodeAttribute(node1, "standby", "off"));
    node1.agents().begin("other", "two");

    assertEquals(Set.of(), cluster.checksFailed());
  }

  @Test
  void aSecondInstanceOnTheSameNodeIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.nodes().forEach(SimNode::powerOn);
    var agents = cluster.node("node1").agents();
    agents.begin("b", "one");
    agents.begin("b", "one");
    agents.force("b", SimAgents.State.STOPPED);
    agents.begin("b", "other");
    assertEquals(List.of(), cluster.failures(), "it was stopped in between");

    agents.begin("b", "third");

    assertEquals(Set.of(SimCheck.TWO_ACTIVE), cluster.checksFailed());
  }

  @Test
  void twoPromotedInstancesAreNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.nodes().forEach(SimNode::powerOn);
    cluster.node("node1").force("store", "promoted");
    cluster.node("node2").force("store", "started");
    assertEquals(List.of(), cluster.failures());

    cluster.node("node2").force("store", "promoted");

    assertEquals(Set.of(SimCheck.TWO_ACTIVE), cluster.checksFailed());
  }

  @Test
  void twoDcsThatHearEachOtherAreNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    everybodyIsDc(cluster);
    cluster.powerOnAll();

    cluster.run(Duration.ofSeconds(20));
    assertEquals(List.of(), cluster.failures());
    cluster.run(Duration.ofSeconds(40));

    assertEquals(Set.of(SimCheck.TWO_DCS), cluster.checksFailed());
  }

  @Test
  void whoseLeadersDoNotHearEachOtherMayHaveADcEach() {
    var cluster = RealDaemons.cluster(1, 3);
    everybodyIsDc(cluster);
    cluster.cut("node1", "node2");
    cluster.cut("node2", "node1");
    cluster.node("node1").powerOn();
    cluster.node("node2").powerOn();
    cluster.run(Duration.ofSeconds(10)); // so that each leads a membership
    cluster.node("node3").powerOn();

    cluster.run(Duration.ofSeconds(60));

    // node3 is in the membership of one of the two, and apart from the other
    assertEquals(1, cluster.failures().size(), cluster.failures()::toString);
    assertTrue(cluster.failures().getFirst().contains("node3"), cluster.failures()::toString);
    cluster.heal();
    cluster.run(Duration.ofSeconds(60));
    assertEquals(3, cluster.failures().size(), cluster.failures()::toString);
  }

  private static void everybodyIsDc(SimCluster cluster) {
    cluster.daemon(
        "controld",
        (node, world, _, _) ->
            RpcServer.serve(
                world,
                CtlMessage.SOCKET,
                World.Access.GROUP,
                CtlMessage.PROTOCOL,
                (_, call, request) ->
                    call.reply(
                        request instanceof CtlMessage.WorkQuery
                            ? new CtlMessage.Work(true, "S_IDLE", List.of(), null)
                            : new CtlMessage.State(
                                new NodeName(node.name()), "S_IDLE", new NodeName(node.name())))));
  }

  @Test
  void twoSidesWithQuorumAreNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.quorumOption("expected_votes", "1");
    cluster.loadCib(SimCibs.standard(3));
    cluster.partition(List.of(List.of("node1"), List.of("node2", "node3")));
    cluster.powerOnAll();

    cluster.run(Duration.ofSeconds(20));

    assertTrue(cluster.checksFailed().contains(SimCheck.TWO_QUORUMS), cluster.failures()::toString);
  }

  @Test
  void oneLeftOutThatKeepsItsQuorumIsNoticed() {
    var cluster = new SimCluster(1, 3);
    cluster.order().told("node1", quorate(1000, 1, 2));
    cluster.order().told("node3", quorate(2000, 2, 3));

    cluster.run(Duration.ofSeconds(1));

    assertEquals(Set.of(SimCheck.TWO_QUORUMS), cluster.checksFailed());
  }

  @Test
  void oneThatWasLeftOutAndTakenInAgainIsNoticedIfItHeardOfNeither() {
    var cluster = new SimCluster(1, 3);
    cluster.order().told("node1", quorate(1000, 1, 2));
    cluster
        .order()
        .told(
            "node2",
            new Membership(
                3000,
                List.of(
                    new Member(new NodeId(1), new NodeName("node1"), 3000),
                    new Member(new NodeId(2), new NodeName("node2"), 1)),
                true));

    cluster.run(Duration.ofSeconds(1));

    assertEquals(Set.of(SimCheck.TWO_QUORUMS), cluster.checksFailed());
  }

  @Test
  void oneThatIsOnlyBehindMayHaveQuorumBesideOneThatJoined() {
    var cluster = new SimCluster(1, 3);
    cluster.order().told("node1", quorate(1000, 1, 2));
    cluster.order().told("node3", quorate(2000, 1, 2, 3));

    cluster.run(Duration.ofSeconds(1));

    assertEquals(List.of(), cluster.failures());
  }

  private static Membership quorate(long number, int... ids) {
    return new Membership(
        number,
        Arrays.stream(ids)
            .mapToObj(it -> new Member(new NodeId(it), new NodeName("node" + it), 1))
            .toList(),
        true);
  }

  /// A node that joins anew may be told again what it has heard.
  @Test
  void whatIsHeardAgainCountsAsItWasHeardFirst() {
    var cluster = new SimCluster(1, 2);
    for (var text : List.of("one", "two", "three", "one")) {
      cluster.order().heard("node1", text);
    }
    for (var text : List.of("one", "two", "one", "three")) {
      cluster.order().heard("node2", text);
    }

    cluster.finish();

    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void messagesHeardInDifferentSequencesAreNoticed() {
    var cluster = new SimCluster(1, 2);
    for (var text : List.of("membership 1", "one", "two")) {
      cluster.order().heard("node1", text);
    }
    for (var text : List.of("one", "two")) {
      cluster.order().heard("node2", text);
    }
    cluster.finish();
    assertEquals(List.of(), cluster.failures());
    cluster.order().heard("node1", "three");
    cluster.order().heard("node1", "four");
    cluster.order().heard("node2", "four");
    cluster.order().heard("node2", "three");

    cluster.finish();

    assertEquals(Set.of(SimCheck.ORDER), cluster.checksFailed());
  }

  @Test
  void anAcknowledgedChangeThatIsLostIsNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    cluster.run(Duration.ofSeconds(5));
    var files = List.of("cib.xml", "cib.xml.sig", "cib.meta", "cib.meta.copy");
    var disks = new LinkedHashMap<String, byte[]>();
    for (var node : cluster.nodes()) {
      files.forEach(it -> disks.put(node.name() + it, node.file("cibd", it)));
    }
    var promises = new SimPromises(cluster);
    var node1 = cluster.node("node1");
    var set =
        Element.builder("cluster_property_set")
            .attr("id", "changes")
            .add(Element.of("nvpair", "id", "change-1", "name", "change-1", "value", "made"))
            .build();
    var floor = promises.floor();
    cluster.update(
        "node1",
        List.of(CibOp.put("crm_config", set)),
        answer -> promises.acknowledged(node1, "change-1", floor, answer.version()));
    assertTrue(cluster.runUntil(() -> promises.count() == 1, Duration.ofSeconds(10)));
    cluster.run(Duration.ofSeconds(2));
    promises.check();
    assertEquals(List.of(), cluster.failures());

    cluster.nodes().forEach(SimNode::powerOff);
    for (var node : cluster.nodes()) {
      files.forEach(it -> node.file("cibd", it, disks.get(node.name() + it)));
    }
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    promises.check();

    assertEquals(Set.of(SimCheck.LOST_CHANGE), cluster.checksFailed());
  }

  @Test
  void aChangeWithAnEarlierVersionThanOneBeforeItIsNoticed() {
    var cluster = new SimCluster(1, 3);
    var promises = new SimPromises(cluster);
    var node = cluster.node("node1");
    var early = promises.floor();
    promises.acknowledged(node, "change-1", early, new CibVersion(0, 7, 0));
    promises.acknowledged(node, "change-2", early, new CibVersion(0, 6, 0)); // side by side
    var before = promises.floor();
    promises.acknowledged(node, "change-3", before, new CibVersion(0, 8, 0));
    assertEquals(List.of(), cluster.failures());

    promises.acknowledged(node, "change-4", before, new CibVersion(0, 7, 0));

    assertEquals(Set.of(SimCheck.WENT_BACK), cluster.checksFailed());
  }

  @Test
  void anAcknowledgedChangeThatIsNotReadWhereItWasAcknowledgedIsNoticed() {
    var cluster = new SimCluster(1, 3);
    var promises = new SimPromises(cluster);
    var node = cluster.node("node1");
    promises.acknowledged(node, "change-1", promises.floor(), new CibVersion(0, 7, 0));
    promises.read(node, "change-1", Rc.OK);
    promises.read(node, "never-promised", Rc.ENXIO);
    assertEquals(List.of(), cluster.failures());

    promises.read(node, "change-1", Rc.ENXIO);

    assertEquals(Set.of(SimCheck.STALE_READ), cluster.checksFailed());
  }

  @Test
  void versionsThatGoBackWithTheDisksAreNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    var promises = new SimPromises(cluster);
    var changes = new SimChanges(cluster, promises);
    for (var at = 1; at <= 20; at++) {
      changes.write(cluster.node("node1"), "change-" + at);
      cluster.run(Duration.ofSeconds(1));
    }
    assertEquals(20, promises.count());
    assertEquals(List.of(), cluster.failures());

    cluster.nodes().forEach(SimNode::powerOff);
    cluster.loadCib(SimCibs.standard(3));
    for (var node : cluster.nodes()) {
      List.of("cib.log", "cib.xml.sig", "cib.meta", "cib.meta.copy").forEach(it -> node.file("cibd", it, new byte[0]));
    }
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    changes.write(cluster.node("node2"), "change-21");
    cluster.run(Duration.ofSeconds(5));

    assertEquals(Set.of(SimCheck.WENT_BACK), cluster.checksFailed(), cluster.failures()::toString);
  }

  /// A node whose CIB manager answers nobody.
  private static SimCluster silent() {
    var cluster = RealDaemons.cluster(1, 1);
    cluster.loadCib(SimCibs.standard(1));
    cluster.daemon(
        "cibd",
        (_, world, _, _) ->
            RpcServer.serve(
                world,
                CibMessage.SOCKET,
                World.Access.GROUP,
                CibMessage.PROTOCOL,
                (_, _, _) -> {}));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(5));
    cluster.update(
        "node1", List.of(CibOp.put("resources", SimCibs.resource("extra1"))), _ -> {});
    cluster.run(Duration.ofSeconds(50));
    assertEquals(List.of(), cluster.failures());
    return cluster;
  }

  @Test
  void aClientWithoutAnAnswerIsNoticed() {
    var cluster = silent();
    cluster.run(Duration.ofSeconds(15));
    assertEquals(Set.of(SimCheck.UNANSWERED), cluster.checksFailed());
  }

  /// The client and the daemon that it waits for have stood still together.
  @Test
  void aMachineThatStandsStillOwesNobodyAnAnswer() {
    var cluster = silent();
    cluster.node("node1").pause();
    cluster.run(Duration.ofMinutes(2));
    cluster.node("node1").resume();
    cluster.run(Duration.ofSeconds(5));
    assertEquals(List.of(), cluster.failures());

    cluster.run(Duration.ofSeconds(10));

    assertEquals(Set.of(SimCheck.UNANSWERED), cluster.checksFailed(), "it does once it goes on");
  }

  @Test
  void differentCibsAndUnrestAndMissingResourcesAreNoticed() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);
    cluster.checks().placement();
    cluster.checks().sameCibs();
    cluster.checks().sameFiles();
    assertEquals(List.of(), cluster.failures());

    var dc = cluster.dcs().getFirst();
    var other = cluster.nodes().stream().filter(it -> !it.name().equals(dc)).findFirst();
    other.orElseThrow().hang("cibd", 600_000_000_000L);
    cluster.update(dc, List.of(CibOp.put("resources", SimCibs.resource("extra1"))), _ -> {});

    assertFalse(cluster.settle(Duration.ofSeconds(3))); // later it is restarted
    cluster.checks().sameCibs();
    cluster.checks().sameFiles();
    assertEquals(Set.of(SimCheck.CIBS_DIFFER), cluster.checksFailed());
    assertEquals(2, cluster.failures().size(), cluster.failures()::toString);

    cluster.nodes().forEach(it -> it.force("a", "stopped"));
    cluster.checks().placement();
    assertEquals(Set.of(SimCheck.CIBS_DIFFER, SimCheck.MISPLACED), cluster.checksFailed());
  }

  @Test
  void aClusterThatDoesNotFormOrDoesNotComeToRestIsNoticed() {
    var unborn = new SimRun(2);
    withoutScheduler(unborn.cluster());

    unborn.carryOut();

    assertEquals(Set.of(SimCheck.NOT_AT_REST), unborn.cluster().checksFailed());
    assertTrue(unborn.cluster().failures().getFirst().contains("did not form"));

    var restless = new SimRun(2);
    var cluster = restless.cluster();
    cluster.queue().after(25_000_000_000L, () -> withoutScheduler(cluster));

    restless.carryOut();

    assertEquals(Set.of(SimCheck.NOT_AT_REST), cluster.checksFailed());
    assertTrue(cluster.failures().getFirst().contains("did not come to rest"));
  }

  private static void withoutScheduler(SimCluster cluster) {
    cluster.daemon("schedulerd", (_, _, _, _) -> {});
    cluster.nodes().forEach(it -> it.kill("schedulerd"));
  }

  @Test
  void whatOneMissedOfWhatAnotherHeardIsNoticed() {
    var cluster = new SimCluster(1, 2);
    cluster.order().heardBetween("node1", 1001, 2001, List.of("one", "two"));
    cluster.order().heardBetween("node2", 1001, 2001, List.of("one", "two"));
    cluster.order().heardBetween("node2", 1001, 2002, List.of("one"));
    assertEquals(List.of(), cluster.failures());

    cluster.order().heardBetween("node1", 1001, 2002, List.of());

    assertEquals(Set.of(SimCheck.ORDER), cluster.checksFailed());
  }

  @Test
  void aCrashOfADaemonIsNoticed() {
    var cluster = new SimCluster(1, 1);
    cluster.daemon(
        "pacemakerd",
        (_, world, _, _) ->
            world.post(
                () -> {
                  throw new IllegalStateException("a mistake");
                }));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(2));

    assertTrue(cluster.failures().getFirst().contains("a mistake"));
  }

  @Test
  void aNodeThatEndsForGoodThoughItHasItsPowerIsNoticed() {
    var cluster = new SimCluster(1, 1);
    cluster.daemon("pacemakerd", (_, world, _, _) -> world.post(() -> world.exit(100, "fenced")));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(2));

    assertEquals(Set.of(SimCheck.ENDED), cluster.checksFailed());
  }

  @Test
  void aNodeThatEndsUnaskedIsNoticedAndOneThatWasAskedIsNot() {
    var cluster = new SimCluster(1, 2);
    cluster.daemon(
        "pacemakerd",
        (node, world, _, _) -> {
          if (node.name().equals("node1")) {
            world.onTerminate(() -> world.exit(0, "asked"));
          } else {
            world.after(Duration.ofSeconds(10), () -> world.exit(0, "unasked"));
          }
        });
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(5));
    cluster.node("node1").shutdown();
    cluster.run(Duration.ofSeconds(2));
    assertFalse(cluster.node("node1").isRunning());
    assertEquals(List.of(), cluster.failures());

    cluster.run(Duration.ofSeconds(10));

    assertEquals(Set.of(SimCheck.ENDED), cluster.checksFailed());
  }

  @Test
  void aClusterWithoutFaultsFailsNoCheck() {
    var cluster = RealDaemons.cluster(2, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();

    assertTrue(cluster.settle(Duration.ofMinutes(2)), cluster.unsettled()::toString);

    cluster.finish();
    assertEquals(List.of(), cluster.failures());
    assertEquals(1, cluster.dcs().size());
    for (var resource : List.of("a", "b", "g1", "g2")) {
      assertEquals(1, cluster.resourceOn(resource).size(), resource);
    }
    assertEquals(3, cluster.resourceOn("store").size());
  }
}
