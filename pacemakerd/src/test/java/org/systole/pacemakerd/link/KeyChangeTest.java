package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.Levels;

/// The cluster's key is changed while the nodes run.
class KeyChangeTest {
  private static final String CHANGED =
      "true [The cluster's key is the new one; the former one is accepted for a few seconds more.]";
  private static final String TEXT = QuorumRulesTest.text(1000, "", 1, 2, 3);

  private final List<FakeCluster.Process> nodes = new ArrayList<>();
  private FakeCluster cluster;

  @BeforeEach
  void aCluster() throws Exception {
    cluster = new FakeCluster(3, "");
  }

  private void form(Levels levels) {
    nodes.add(cluster.start(1));
    nodes.add(cluster.start(2));
    nodes.add(cluster.start(3, levels));
    nodes.forEach(it -> it.file = TEXT);
    viewOfAll();
  }

  private void viewOfAll() {
    cluster.view(nodes.toArray(FakeCluster.Process[]::new));
    cluster.run(4000);
  }

  private String reload() {
    nodes.get(1).reload();
    cluster.run(20_000);
    return nodes.get(1).reloads.getLast();
  }

  private void written(String key) {
    nodes.forEach(it -> it.keyFile = key);
  }

  private List<String> spoken() {
    return nodes.stream().map(FakeCluster.Process::key).toList();
  }

  private void undisturbed(int memberships) {
    for (var node : nodes) {
      assertEquals(0, node.unread, "messages under a key that was not accepted");
      assertEquals(memberships, node.memberships.size(), "the members stay");
      assertTrue(node.quorate());
    }
  }

  @Test
  void allChangeToTheNewKeyAndNoMessageIsLost() {
    form(Levels.own());
    var memberships = nodes.getFirst().memberships.size();
    written("second");
    for (var count = 0; count < 50; count++) {
      if (count == 20) {
        nodes.get(1).reload();
      }
      nodes.forEach(it -> it.say("word"));
      cluster.run(1);
    }
    cluster.run(3000);
    assertEquals(List.of(CHANGED), nodes.get(1).reloads);
    assertEquals(List.of("second", "second", "second"), spoken());
    undisturbed(memberships);
    var said = nodes.stream().map(it -> it.heard.stream().filter(w -> w.contains("word")).count());
    assertEquals(List.of(150L, 150L, 150L), said.toList());
    assertEquals("true []", reload(), "it is changed once");
  }

  @Test
  void aNodeThatDoesNotHaveItIsNamedAndNothingChanges() {
    form(Levels.own());
    var memberships = nodes.getFirst().memberships.size();
    written("second");
    nodes.get(2).keyFile = "first";
    var answer = reload();
    assertTrue(
        answer.contains(
            "The cluster's key on disk is not the same everywhere: node1 node2 a new one, node3 the one in use; give all nodes the same."),
        answer);
    assertTrue(answer.startsWith("false"), answer);
    assertEquals(List.of("first", "first", "first"), spoken());
    for (var node : nodes) {
      assertEquals(List.of("first"), node.keys, "it is not accepted either");
    }
    nodes.get(2).keyFile = "second";
    assertEquals(CHANGED, reload());
    undisturbed(memberships);
  }

  @Test
  void aFileThatCannotBeUsedChangesNothing() {
    form(Levels.own());
    written("second");
    nodes.getFirst().file = null; // as a key that cannot be used
    var answer = reload();
    assertTrue(answer.startsWith("false [Node node1: cannot read"), answer);
    assertEquals(List.of("first", "first", "first"), spoken());
  }

  @Test
  void withAMemberOfAnOlderBuildTheKeyStays() {
    form(new Levels(1, Levels.KEYS_CHANGED - 1));
    written("second");
    var answer = reload();
    assertTrue(answer.contains("a member is of a build that cannot change it"), answer);
    assertEquals(List.of("first", "first", "first"), spoken());
    written("first");
    assertEquals("true []", reload());
  }

  @Test
  void aMemberThatDiesInBetweenLeavesTheKeyAsItWasOrChangedForAll() throws Exception {
    for (var millis = 0; millis < 12; millis++) {
      nodes.clear();
      aCluster();
      form(Levels.own());
      written("second");
      nodes.get(1).reload();
      cluster.run(millis);
      var victim = nodes.removeLast();
      victim.kill();
      nodes.forEach(it -> it.sees(victim, true));
      viewOfAll();
      cluster.run(20_000);
      assertEquals(1, spoken().stream().distinct().count(), spoken()::toString);
      assertTrue(nodes.stream().allMatch(it -> it.unread == 0), "at " + millis);
      reload();
      assertEquals(List.of("second", "second"), spoken(), "asked again, at " + millis);
    }
  }

  @Test
  void aMemberThatMissesAStepForAMomentSpeaksAsTheOthersInTheEnd() throws Exception {
    var missedTheLast = 0;
    for (var millis = 0; millis < 12; millis++) {
      nodes.clear();
      aCluster();
      form(Levels.own());
      written("second");
      nodes.get(1).reload();
      cluster.run(millis);
      nodes.get(1).cutTo(nodes.get(2), true);
      cluster.run(3);
      nodes.get(1).cutTo(nodes.get(2), false);
      missedTheLast += spoken().equals(List.of("second", "second", "first")) ? 1 : 0;
      cluster.run(20_000);
      assertEquals(1, spoken().stream().distinct().count(), spoken()::toString);
      assertTrue(nodes.stream().allMatch(it -> it.unread == 0), "at " + millis);
    }
    assertTrue(missedTheLast > 0, "it was never the last step that was missed");
  }
}
