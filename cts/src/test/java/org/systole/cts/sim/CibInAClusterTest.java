package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.cibd.CibDaemon;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.pacemakerd.PacemakerdDaemon;

final class CibInAClusterTest {
  private static final int SEEDS = Integer.getInteger("cib.seeds", 15);

  private static SimCluster cluster(long seed) {
    var cluster = new SimCluster(seed, 3);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.daemon("controld", (_, world, _, _) -> new LowestIsDc(world));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(10));
    return cluster;
  }

  /// The same with the link that ships.
  private static SimCluster linked(long seed) {
    var cluster = new SimCluster(seed, 3);
    cluster.daemon(
        "pacemakerd",
        (node, world, layout, env) ->
            PacemakerdDaemon.start(
                world,
                layout,
                env,
                cluster.config(node),
                cluster.network().channels(node.process("pacemakerd")),
                cluster.streams(world)));
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.daemon("controld", (_, world, _, _) -> new LowestIsDc(world));
    for (var other : List.of("fenced", "execd", "attrd", "schedulerd")) {
      cluster.daemon(other, (_, _, _, _) -> {});
    }
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(40));
    return cluster;
  }

  @Test
  void whatWasAcknowledgedOutlivesPartitions() {
    for (var seed = 200; seed < 200 + SEEDS; seed++) {
      partitions(seed);
    }
  }

  private static void partitions(long seed) {
    var cluster = linked(seed);
    var random = new Random(seed);
    var asked = new LinkedHashSet<String>();
    var acknowledged = new LinkedHashSet<String>();
    var nodes = List.of("node1", "node2", "node3");
    for (var round = 0; round < 12; round++) {
      for (var at = 0; at < 4; at++) {
        var id = "r" + round + "-" + at;
        asked.add(id);
        new SimCommand(cluster.node(nodes.get(random.nextInt(3))))
            .ask(
                CibMessage.SOCKET,
                CibMessage.PROTOCOL,
                update(CibOp.create("resources", primitive(id))),
                answer -> {
                  if (answer instanceof CibMessage.Answer it && it.rc().isOk()) {
                    acknowledged.add(id);
                  }
                });
      }
      cluster.run(Duration.ofMillis(random.nextInt(200)));
      var alone = nodes.get(random.nextInt(3));
      switch (random.nextInt(5)) {
        case 0 -> {
          cluster.partition(
              List.of(List.of(alone), nodes.stream().filter(it -> !it.equals(alone)).toList()));
          cluster.run(Duration.ofMillis(random.nextInt(20_000)));
          cluster.heal();
        }
        case 1 -> {
          cluster.node(alone).pause();
          cluster.run(Duration.ofMillis(random.nextInt(15_000)));
          cluster.node(alone).resume();
        }
        case 2 -> {
          cluster.cut(alone, nodes.get(random.nextInt(3)));
          cluster.run(Duration.ofMillis(random.nextInt(15_000)));
          cluster.heal();
        }
        case 3 -> cluster.node(alone).kill("cibd");
        default -> {}
      }
      cluster.run(Duration.ofMillis(random.nextInt(10_000)));
    }
    cluster.heal();
    cluster.run(Duration.ofSeconds(120));
    assertEquals(List.of(), cluster.failures(), "seed " + seed);
    assertSame(cluster);
    var there = resources(cluster, "node2");
    assertTrue(
        there.containsAll(acknowledged),
        () -> {
          var lost = new LinkedHashSet<>(acknowledged);
          lost.removeAll(there);
          return "seed "
              + seed
              + ": lost "
              + lost
              + "\n"
              + String.join("\n", cluster.trace().lines());
        });
    assertTrue(asked.containsAll(there));
    assertTrue(
        acknowledged.size() > 15,
        () ->
            "seed "
                + seed
                + ": only "
                + acknowledged
                + "\n"
                + String.join("\n", cluster.trace().lines()));
  }

  private static CibMessage.Reply ask(SimCluster cluster, String node, CibMessage.Request request) {
    var answers = new ArrayList<CibMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(CibMessage.SOCKET, CibMessage.PROTOCOL, request, answers::add);
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(70));
    return answers.getFirst();
  }

  private static CibMessage.Update update(CibOp... operations) {
    return new CibMessage.Update(List.of(operations), false, "", "test", 20_000);
  }

  private static CibMessage.Answer change(SimCluster cluster, String node, CibOp operation) {
    return (CibMessage.Answer) ask(cluster, node, update(operation));
  }

  private static Element primitive(String id) {
    return Element.of(
        "primitive", "id", id, "class", "ocf", "provider", "pacemaker", "type", "Dummy");
  }

  private static String whole(SimCluster cluster, String node) {
    var answer = (CibMessage.Answer) ask(cluster, node, new CibMessage.Query(CibQuery.ALL, ""));
    assertNotNull(answer.xml());
    return answer.xml();
  }

  private static void assertSame(SimCluster cluster) {
    var first = whole(cluster, "node1");
    assertTrue(
        first.equals(whole(cluster, "node2")) && first.equals(whole(cluster, "node3")),
        () ->
            "copies differ, seed "
                + cluster.seed()
                + "\n"
                + String.join("\n", cluster.trace().lines()));
  }

  private static Set<String> resources(SimCluster cluster, String node) {
    var ids = new LinkedHashSet<String>();
    var matcher =
        java.util.regex.Pattern.compile("primitive id=\"([^\"]*)").matcher(whole(cluster, node));
    while (matcher.find()) {
      ids.add(matcher.group(1));
    }
    return ids;
  }

  @Test
  void aChangeAskedForAnywhereIsEverywhereAndOnDisk() {
    var cluster = cluster(1);
    var answer = change(cluster, "node3", CibOp.create("resources", primitive("a")));

    assertEquals(Rc.OK, answer.rc(), answer.why() + cluster.trace());
    cluster.run(Duration.ofSeconds(1));
    assertSame(cluster);
    for (var node : cluster.nodes()) {
      var log = new String(node.file("cibd", "cib.log"), StandardCharsets.UTF_8);
      assertTrue(log.contains("id=\"a\""), log);
    }
    cluster.run(Duration.ofSeconds(3)); // the file is written anew a moment later
    for (var node : cluster.nodes()) {
      var file = new String(node.file("cibd", "cib.xml"), StandardCharsets.UTF_8);
      assertTrue(file.contains("id=\"a\""), file);
      assertTrue(!file.contains("<status"), file);
    }
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void theClientSeesItsOwnChangeWhereverItAsks() {
    var cluster = cluster(2);
    for (var round = 0; round < 5; round++) {
      for (var node : List.of("node1", "node2", "node3")) {
        var id = node + "-" + round;
        assertEquals(Rc.OK, change(cluster, node, CibOp.create("resources", primitive(id))).rc());
        assertTrue(resources(cluster, node).contains(id));
      }
    }
  }

  @Test
  void aStatusChangeRaisesOnlyTheUpdateNumber() {
    var cluster = cluster(3);
    var before = ((CibMessage.Status) ask(cluster, "node1", new CibMessage.Ping())).version();
    var state = Element.of("node_state", "id", "2", "uname", "node2");
    var answer = change(cluster, "node2", CibOp.put("status", state));
    assertEquals(Rc.OK, answer.rc());
    assertEquals(
        new CibVersion(before.adminEpoch(), before.epoch(), before.numUpdates() + 1),
        answer.version());
  }

  @Test
  void withoutQuorumAChangeIsRefusedUnlessForced() {
    var cluster = cluster(4);
    cluster.node("node2").powerOff();
    cluster.node("node3").powerOff();
    cluster.run(Duration.ofSeconds(5));

    assertEquals(
        Rc.NO_QUORUM, change(cluster, "node1", CibOp.create("resources", primitive("a"))).rc());
    var forced =
        new CibMessage.Update(
            List.of(CibOp.create("resources", primitive("b"))), true, "", "test", 20_000);
    assertEquals(
        Rc.OK,
        ((CibMessage.Answer) ask(cluster, "node1", forced)).rc(),
        () -> String.join("\n", cluster.trace().lines()));
    var status = (CibMessage.Status) ask(cluster, "node1", new CibMessage.Ping());
    assertTrue(!status.quorateLine());

    cluster.node("node2").powerOn();
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(20));
    assertSame(cluster);
    assertEquals(
        Set.of(), resources(cluster, "node1"), "what was forced loses to the quorate line");
    var aside =
        new String(cluster.node("node1").file("cibd", "cib-lost-0.xml"), StandardCharsets.UTF_8);
    assertTrue(aside.contains("id=\"b\""), aside);
  }

  /// The others have not got the change to their disks when their power goes. The primary, now
  /// without quorum, is asked for it again, has it, and must not call that done.
  @Test
  void aChangeThatWasNotSafeWhenTheQuorumWentIsNotConfirmedWhenItIsAskedForAgain() {
    var cluster = cluster(8);
    cluster.node("node2").slowDisk(Duration.ofSeconds(10));
    cluster.node("node3").slowDisk(Duration.ofSeconds(10));
    var answers = new ArrayList<CibMessage.Reply>();
    new SimCommand(cluster.node("node1"))
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            update(CibOp.create("resources", primitive("a"))),
            answers::add);
    cluster.run(Duration.ofSeconds(1));
    assertEquals(Set.of("a"), resources(cluster, "node3"), "it is made, and in memory everywhere");
    assertEquals(List.of(), answers);

    cluster.node("node2").powerOff();
    cluster.node("node3").powerOff();
    cluster.run(Duration.ofSeconds(2));
    cluster.node("node1").kill("controld"); // the next one has the CIB taken over again
    cluster.runUntil(() -> !answers.isEmpty(), Duration.ofSeconds(15));

    assertEquals(
        List.of(Rc.NO_QUORUM), answers.stream().map(it -> ((CibMessage.Answer) it).rc()).toList());

    cluster.node("node1").powerOff();
    cluster.node("node2").powerOn();
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(60));
    assertEquals(Set.of(), resources(cluster, "node2"), "those with the quorum never had it");
  }

  @Test
  void aChangeWaitsForADcAndThenFailsClearly() {
    var cluster = new SimCluster(5, 3);
    var link = new SimPerfectLink(cluster);
    cluster.daemon("pacemakerd", link::start);
    cluster.daemon("cibd", (_, world, layout, env) -> CibDaemon.start(world, layout, env));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(5));
    assertEquals(
        Rc.NO_DC, change(cluster, "node1", CibOp.create("resources", primitive("a"))).rc());
  }

  @Test
  void theConfigurationOutlivesAFullRestart() {
    var cluster = cluster(6);
    assertEquals(Rc.OK, change(cluster, "node2", CibOp.create("resources", primitive("a"))).rc());
    cluster.nodes().forEach(SimNode::powerOff);
    cluster.run(Duration.ofSeconds(5));
    cluster.powerOnAll();
    cluster.run(Duration.ofSeconds(15));
    assertEquals(Set.of("a"), resources(cluster, "node3"));
    assertSame(cluster);
  }

  @Test
  void aFileChangedByHandIsNotTakenButItsBackupWithWhatCameAfterItIs() {
    var cluster = cluster(7);
    change(cluster, "node1", CibOp.create("resources", primitive("a")));
    cluster.run(Duration.ofSeconds(4));
    change(cluster, "node1", CibOp.create("resources", primitive("b")));
    cluster.run(Duration.ofSeconds(4));
    cluster.nodes().forEach(SimNode::powerOff);
    cluster.run(Duration.ofSeconds(5));
    var node = cluster.node("node1");
    var file = new String(node.file("cibd", "cib.xml"), StandardCharsets.UTF_8);
    node.file("cibd", "cib.xml", file.replace("\"b\"", "\"c\"").getBytes(StandardCharsets.UTF_8));
    node.powerOn();
    cluster.run(Duration.ofSeconds(10));
    assertEquals(Set.of("a", "b"), resources(cluster, "node1"));
    assertTrue(cluster.trace().toString().contains("changed by hand"), cluster.trace()::toString);
  }

  @Test
  void whatWasAcknowledgedOutlivesCrashesOfAnyMinority() {
    for (var seed = 100; seed < 100 + SEEDS; seed++) {
      crashes(seed);
    }
  }

  private static void crashes(long seed) {
    var cluster = cluster(seed);
    var random = new Random(seed);
    var asked = new LinkedHashSet<String>();
    var acknowledged = new LinkedHashSet<String>();
    for (var round = 0; round < 12; round++) {
      for (var at = 0; at < 4; at++) {
        var id = "r" + round + "-" + at;
        asked.add(id);
        new SimCommand(cluster.node("node" + (1 + random.nextInt(3))))
            .ask(
                CibMessage.SOCKET,
                CibMessage.PROTOCOL,
                update(CibOp.create("resources", primitive(id))),
                answer -> {
                  if (answer instanceof CibMessage.Answer it && it.rc().isOk()) {
                    acknowledged.add(id);
                  }
                });
      }
      cluster.run(Duration.ofMillis(random.nextInt(300)));
      var victim = cluster.node("node" + (1 + random.nextInt(3)));
      switch (random.nextInt(6)) {
        case 4 -> {
          victim.failDisk(true);
          cluster.run(Duration.ofMillis(random.nextInt(3000)));
          victim.failDisk(false);
        }
        case 5 -> victim.slowDisk(Duration.ofMillis(random.nextInt(500)));
        case 0 -> victim.kill("cibd");
        case 1 -> {
          victim.powerOff();
          cluster.run(Duration.ofMillis(200 + random.nextInt(4000)));
          victim.powerOn();
          cluster.run(Duration.ofSeconds(10));
        }
        case 2 -> victim.kill("controld");
        default -> {}
      }
      cluster.run(Duration.ofMillis(random.nextInt(2000)));
    }
    cluster.run(Duration.ofSeconds(70));
    assertEquals(List.of(), cluster.failures(), "seed " + seed);
    assertSame(cluster);
    var there = resources(cluster, "node2");
    assertTrue(
        there.containsAll(acknowledged),
        () -> "seed " + seed + ": acknowledged " + acknowledged + " but there is " + there);
    assertTrue(asked.containsAll(there));
    assertTrue(acknowledged.size() > 20, "seed " + seed + ": only " + acknowledged);
  }
}
