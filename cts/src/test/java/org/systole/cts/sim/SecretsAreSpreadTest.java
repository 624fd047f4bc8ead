package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.execd.client.SecretMessage;

/// The executors give each other secrets when `cibsecret` says so.
final class SecretsAreSpreadTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final NodeName NODE2 = new NodeName("node2");
  private static final NodeName NODE3 = new NodeName("node3");
  private static final SecretMessage.Spread PASSWORD =
      new SecretMessage.Spread(new ResourceId("ipmi"), "passwd");

  private final SimCluster cluster = cluster();

  private static SimCluster cluster() {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.unsettled().toString());
    return cluster;
  }

  private List<SecretMessage.Reply> send(String node, SecretMessage.Request request) {
    var answers = new ArrayList<SecretMessage.Reply>();
    new SimCommand(cluster.node(node))
        .ask(SecretMessage.SOCKET, SecretMessage.PROTOCOL, request, answers::add);
    return answers;
  }

  private SecretMessage.Reply ask(String node, SecretMessage.Request request) {
    var answers = send(node, request);
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT), cluster.trace()::toString);
    return answers.getFirst();
  }

  private Set<String> has(String node) {
    return cluster.node(node).secrets().files().keySet();
  }

  private static SecretMessage.Outcome done(NodeName node) {
    return new SecretMessage.Outcome(node, "");
  }

  private boolean isLike(String node) {
    var mine = cluster.node("node1").secrets().files();
    var its = cluster.node(node).secrets().files();
    return mine.keySet().equals(its.keySet())
        && mine.keySet().stream()
            .allMatch(
                holder ->
                    mine.get(holder).keySet().equals(its.get(holder).keySet())
                        && mine.get(holder).entrySet().stream()
                            .allMatch(
                                it ->
                                    java.util.Arrays.equals(
                                        it.getValue(), its.get(holder).get(it.getKey()))));
  }

  @Test
  void oneIsGivenAndTakenAwayAgain() {
    cluster.node("node1").secrets().put("ipmi", "passwd", "Secr3t");
    assertEquals(
        new SecretMessage.Nodes(List.of(NODE2, NODE3)),
        ask("node1", new SecretMessage.NodesQuery()));

    assertEquals(
        new SecretMessage.Spreaded(List.of(done(NODE2), done(NODE3))), ask("node1", PASSWORD));
    assertTrue(isLike("node2") && isLike("node3"));
    assertFalse(cluster.trace().toString().contains("Secr3t"));

    cluster.node("node1").secrets().files().clear();
    ask("node1", PASSWORD);
    assertEquals(Set.of(), has("node2"));
    assertEquals(List.of(), cluster.failures());
  }

  @Test
  void aSyncGivesAllAndLeavesNothingElse() {
    cluster.node("node1").secrets().put("ipmi", "passwd", "Secr3t");
    cluster.node("node1").secrets().put("db", "token", "t0ken");
    cluster.node("node2").secrets().put("db", "token", "other");
    cluster.node("node2").secrets().put("old", "passwd", "gone");

    assertEquals(
        new SecretMessage.Spreaded(List.of(done(NODE2), done(NODE3))),
        ask("node1", new SecretMessage.SpreadAll()));
    assertTrue(isLike("node2") && isLike("node3"));
  }

  @Test
  void aNodeWithoutSecretsDoesNotTakeThoseOfTheOthers() {
    cluster.node("node2").secrets().put("ipmi", "passwd", "Secr3t");
    assertInstanceOf(SecretMessage.Refused.class, ask("node1", new SecretMessage.SpreadAll()));
    assertEquals(Set.of("ipmi"), has("node2"));
  }

  @Test
  void aValueThatIsNotWholeIsNotGiven() {
    var secrets = cluster.node("node1").secrets();
    secrets.put("ipmi", "passwd", "Secr3t");
    secrets.files().get("ipmi").remove("passwd.sign");

    for (var request : List.of(PASSWORD, new SecretMessage.SpreadAll())) {
      var refused = assertInstanceOf(SecretMessage.Refused.class, ask("node1", request));
      assertEquals("ipmi/passwd: there is no digest of the value", refused.why());
    }
    assertEquals(Set.of(), has("node2"));
  }

  @Test
  void namesThatLeadElsewhereAreRefused() {
    for (var name : List.of("../x", "a/b", ".new.x", "x.sign")) {
      assertInstanceOf(
          SecretMessage.Refused.class,
          ask("node1", new SecretMessage.Spread(new ResourceId("ipmi"), name)));
    }
  }

  @Test
  void aNodeThatGoesMeanwhileIsNamed() {
    cluster.node("node1").secrets().put("ipmi", "passwd", "Secr3t");
    cluster.node("node3").pause();
    var answers = send("node1", PASSWORD);
    assertTrue(cluster.runUntil(() -> !answers.isEmpty(), LIMIT), cluster.trace()::toString);

    var spreaded = assertInstanceOf(SecretMessage.Spreaded.class, answers.getFirst());
    assertEquals(done(NODE2), spreaded.nodes().getFirst());
    assertFalse(spreaded.nodes().getLast().problem().isEmpty());
  }

  @Test
  void aNodeThatComesWithOthersIsToldOf() {
    cluster.node("node3").powerOff();
    cluster.run(Duration.ofSeconds(1));
    cluster.node("node1").secrets().put("ipmi", "passwd", "Secr3t");
    cluster.run(Duration.ofSeconds(60)); // it is fenced and comes again
    cluster.node("node3").powerOn();
    cluster.run(Duration.ofSeconds(60));

    assertTrue(
        cluster.trace().toString().contains("The secrets of node3 differ from those of this node"),
        cluster.trace()::toString);
  }
}
