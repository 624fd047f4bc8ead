package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// corosync.conf is read anew while the nodes run.
class FileReloadTest extends NodesUnderTest {
  private void files(String text) {
    nodes.forEach(it -> it.file = text);
  }

  private void reload(int id, String text) {
    files(text);
    node(id).reload();
    cluster.run(3000);
  }

  private void start(int id, String quorum, int... list) throws Exception {
    nodes.add(cluster.start(id, QuorumRulesTest.config(quorum, list)));
    viewOfAll();
  }

  private void cut(List<Integer> left, List<Integer> right) {
    for (var l : left) {
      for (var r : right) {
        node(l).cutTo(node(r), true);
        node(r).cutTo(node(l), true);
      }
    }
  }

  private void split(List<Integer> left, List<Integer> right) {
    cut(left, right);
    for (var side : List.of(left, right)) {
      cluster.view(side.stream().map(this::node).toArray(FakeCluster.Process[]::new));
    }
    cluster.run(6000);
  }

  @Test
  void aNodeIsAddedWithoutABreakInTheQuorum() throws Exception {
    form("", 1, 2, 3);
    var before = node(1).memberships.size();
    reload(2, text(1, 2, 3, 4));
    assertEquals(List.of("true []"), node(2).reloads);
    for (var node : nodes) {
      assertEquals(List.of(1, 2, 3, 4), node.configured);
      assertEquals(4, node.used.size(), "the transport was told");
      assertEquals(List.of(), node.complaints);
      assertTrue(
          node.memberships.subList(before, node.memberships.size()).stream()
              .allMatch(it -> it.quorate() && it.members().size() == 3),
          node.heard.toString());
    }

    start(4, "", 1, 2, 3, 4);

    assertEquals(List.of(1, 2, 3, 4), node(1).members());
    assertEquals(List.of(1, 2, 3, 4), quorate());
    split(List.of(1, 2), List.of(3, 4));
    assertEquals(List.of(), quorate());
  }

  /// So does who has just started the nodes, and waits for a quorum device.
  @Test
  void whoAsksWithoutQuorumAndHasChangedNothingIsNotRefused() throws Exception {
    form("", 1, 2, 3);
    reload(1, text(1, 2, 3));
    split(List.of(1, 2), List.of(3));
    reload(3, text(1, 2, 3));
    assertEquals(List.of("true []"), node(3).reloads);
    reload(3, text(1, 3));
    assertTrue(node(3).reloads.getLast().startsWith("false [corosync.conf was not read anew: this node has no quorum"), node(3).reloads.getLast());
    assertEquals(List.of(), node(3).configured);
    node(3).keyFile = "another";
    reload(3, text(1, 2, 3));
    assertTrue(node(3).reloads.getLast().contains("no quorum"), node(3).reloads.getLast());
  }

  @Test
  void aNodeThatLeftIsTakenOffTheList() throws Exception {
    form("", 1, 2, 3, 4);
    gone(4);
    reload(1, text(1, 2, 3));
    assertEquals(List.of("true []"), node(1).reloads);
    split(List.of(1, 2), List.of(3));
    assertEquals(List.of(1, 2), quorate(), "two of three");
  }

  @Test
  void aNodeThatRunsIsToldToLeaveAndTheListChangesOnceItIsGone() throws Exception {
    form("", 1, 2, 3, 4);
    node(4).file = text(1, 2, 3, 4); // nobody has given it the new one
    for (var id = 1; id <= 3; id++) {
      node(id).file = text(1, 2, 3);
    }
    node(1).reload();
    cluster.run(3000);
    assertEquals(1, node(4).dropped);
    assertEquals(List.of(1, 2, 3, 4), quorate(), "until it has left all is as it was");
    assertEquals(List.of(), node(1).configured);
    gone(4);
    assertEquals(List.of(1, 2, 3), node(1).configured);
    split(List.of(1, 2), List.of(3));
    assertEquals(List.of(1, 2), quorate());
  }

  @Test
  void theRequestSaysWhomItWaitsFor() throws Exception {
    form("", 1, 2, 3, 4);
    reload(1, text(1, 2, 3));
    assertEquals(List.of(), node(1).reloads);
    cluster.run(11_000);
    assertEquals(
        List.of(
            "true [The new corosync.conf is not in force yet: node4, which it does not list, is leaving first.]"),
        node(1).reloads);
  }

  @Test
  void aFileThatIsWrongOnOneNodeIsRefusedOnAll() throws Exception {
    form("", 1, 2, 3);
    files(text(1, 2, 3, 4));
    node(2).file = text(1, 2, 3, 4).replace("nodeid: 3", "nodeid: x");
    node(1).reload();
    cluster.run(3000);
    assertEquals(
        List.of(
            "false [Node node2: corosync.conf, line 18: nodeid is \"x\"; use a number, Nothing was changed on any node.]"),
        node(1).reloads);
    nodes.forEach(it -> assertEquals(List.of(), it.configured));
    split(List.of(1, 2), List.of(3));
    assertEquals(List.of(1, 2), quorate(), "by the old list");
  }

  @Test
  void filesThatDifferAreRefusedAndNamed() throws Exception {
    form("", 1, 2, 3);
    files(text(1, 2, 3, 4));
    node(3).file = text(1, 2, 3);
    node(1).reload();
    cluster.run(3000);
    assertEquals(1, node(1).reloads.size());
    assertTrue(
        node(1).reloads.getFirst().startsWith("false [corosync.conf of node node3 differs"),
        node(1).reloads.getFirst());
    nodes.forEach(it -> assertEquals(List.of(), it.configured));
  }

  @Test
  void aMemberThatDoesNotAnswerKeepsAllAsItWas() throws Exception {
    form("", 1, 2, 3);
    files(text(1, 2, 3, 4));
    node(3).mute = true;
    node(1).reload();
    cluster.run(6000);
    assertEquals(
        List.of(
            "false [Node node3 does not answer: see whether it works, and its disk, or stop it; then try again., Nothing was changed on any node.]"),
        node(1).reloads);
  }

  @Test
  void moreNewNodesThanOldOnesAreRefused() throws Exception {
    form("", 1, 2, 3);
    reload(1, text(1, 2, 3, 4, 5, 6, 7));
    assertTrue(node(1).reloads.getFirst().startsWith("false"), node(1).reloads.toString());
    assertTrue(node(1).reloads.getFirst().contains("could be outvoted"));
    reload(1, text(1, 2, 3, 4, 5, 6));
    cluster.run(11_000);
    assertEquals("true", node(1).reloads.get(1).substring(0, 4));
    assertEquals(List.of(1, 2, 3), quorate(), "they hold up the three that are to come");
  }

  @Test
  void oneNodeGrowsToTwo() throws Exception {
    form("", 1);
    assertEquals(List.of(1), quorate());
    reload(1, text(1, 2));
    cluster.run(10_000);
    assertEquals(List.of(1), quorate(), "it holds up the other one");
    assertTrue(node(1).reloads.getFirst().contains("have quorum by it; start node2."), "" + node(1).reloads);
    start(2, "", 1, 2);
    assertEquals(List.of(1, 2), node(1).configured);
    assertEquals(List.of(1, 2), quorate());
    split(List.of(1), List.of(2));
    assertEquals(List.of(), quorate());
  }

  @Test
  void twoOfThreeGoOnUntilTheFourthIsThereWhichVotesByTheNewListAlready() throws Exception {
    form("", 1, 2, 3);
    gone(3);
    reload(1, text(1, 2, 3, 4));
    cluster.run(10_000);
    assertEquals(List.of(1, 2), quorate());
    nodes.add(cluster.start(4, QuorumRulesTest.config("", 1, 2, 3, 4)));
    cluster.run(4000); // it is not young any more
    var before = node(1).memberships.size();
    viewOfAll();
    assertEquals(List.of(1, 2, 4), quorate());
    assertEquals(List.of(1, 2, 3, 4), node(2).configured);
    assertTrue(node(1).memberships.size() - before < 4, node(1).heard.toString());
  }

  @Test
  void twoNodesBecomeThreeAndTwoNodeIsNotHeededAnyMore() throws Exception {
    form("two_node: 1", 1, 2);
    assertEquals(List.of(1, 2), quorate());
    reload(1, text(1, 2, 3));
    assertEquals(List.of("true []"), node(1).reloads);
    split(List.of(1), List.of(2));
    assertEquals(List.of(), quorate());
  }

  @Test
  void withoutQuorumNothingIsReadAnew() throws Exception {
    form("", 1, 2, 3);
    split(List.of(1), List.of(2, 3));
    reload(1, text(1));
    assertTrue(node(1).reloads.getFirst().startsWith("false [corosync.conf was not read anew"));
    assertEquals(List.of(2, 3), quorate());
  }

  @Test
  void aLongerTokenIsOnDiskBeforeItCountsAndAShorterOneAfter() throws Exception {
    form("", 1, 2, 3);
    assertEquals("1000", node(1).onDisk("token"));
    reload(1, QuorumRulesTest.text(3000, "", 1, 2, 3));
    nodes.forEach(it -> assertEquals("3000", it.onDisk("token")));
    nodes.forEach(it -> assertEquals(3000, it.usedToken));
    assertEquals(List.of(1, 2, 3), quorate());
    reload(2, QuorumRulesTest.text(1000, "", 1, 2, 3));
    assertEquals(List.of("true []"), node(2).reloads);
    assertEquals("3000", node(1).onDisk("token"), "votes given under it may still count");
    cluster.run(4000);
    assertEquals("1000", node(1).onDisk("token"));
  }

  @Test
  void theSameFileChangesNothing() throws Exception {
    form("", 1, 2, 3);
    var number = node(1).membership().number();
    reload(1, text(1, 2, 3));
    assertEquals(List.of("true []"), node(1).reloads);
    assertEquals(number, node(1).membership().number());
  }

  @Test
  void whatCannotChangeWhileTheClusterRunsIsRefused() throws Exception {
    form("", 1, 2, 3);
    reload(1, text(1, 2, 3).replace("name: node2", "name: other"));
    reload(1, text(1, 2, 3).replace("totem {", "totem {\ncluster_name: other"));
    reload(1, text(1, 2, 3).replace("totem {", "totem {\nmcastport: 6000"));
    assertTrue(node(1).reloads.get(0).contains("node 2 is called other, and was node2"));
    assertTrue(node(1).reloads.get(1).contains("cluster_name is other, and was systole"));
    assertTrue(node(1).reloads.get(2).contains("mcastport is 6000, and was 5405"));
  }

  /// That it does not run is no way to give it another name.
  @Test
  void whatIsDoneForANewNameIsSaidOfOneThatRunsAndOfOneThatIsStopped() throws Exception {
    form("", 1, 2, 3);
    reload(1, text(1, 2, 3).replace("name: node3", "name: other"));
    gone(3);
    reload(1, text(1, 2, 3).replace("name: node3", "name: other"));
    var told = node(1).reloads;
    assertTrue(told.getFirst().contains("node 3 is called other, and was node3; a node that runs cannot"), told.toString());
    assertTrue(told.getLast().contains("node 3 is called other, and was node3; it is stopped"), told.toString());
    assertFalse(told.getLast().contains("a node that runs cannot"), told.toString());
    assertTrue(told.stream().allMatch(it -> it.contains("crm_node -R node3 --force")), told.toString());

    reload(1, text(1, 2));
    reload(1, text(1, 2, 3).replace("name: node3", "name: other"));
    assertEquals(List.of("true []", "true []"), told.subList(2, 4), "as it says");
  }

  @Test
  void aDeviceIsNotExchangedForAnother() throws Exception {
    var device = "device {\nmodel: net\nnet {\nhost: one\nalgorithm: ffsplit\n}\n}\n";
    form(device, 1, 2);
    var file = QuorumRulesTest.text(1000, device, 1, 2);
    reload(1, file.replace("host: one", "host: other"));
    assertTrue(
        node(1).reloads.getLast().contains("the quorum device is other:5403, and was one:5403"),
        node(1).reloads::toString);
    reload(1, file);
    assertEquals("true []", node(1).reloads.getLast());
  }

  @Test
  void aDeviceThatIsAddedIsTheSameInAllFiles() throws Exception {
    var device = "device {\nmodel: net\nnet {\nhost: one\nalgorithm: ffsplit\n}\n}\n";
    form("", 1, 2);
    node(1).file = QuorumRulesTest.text(1000, device, 1, 2);
    node(2).file = node(1).file.replace("host: one", "host: other");
    node(1).reload();
    cluster.run(3000);
    assertTrue(
        node(1).reloads.getLast().contains("its quorum device is other:5403 (ffsplit"),
        node(1).reloads::toString);
    assertTrue(node(1).reloads.getLast().startsWith("false"));
  }

  private static ClusterConfig unnamed(int own, int... ids) throws Exception {
    var text = QuorumRulesTest.text(1000, "", ids).replaceAll("name: node\\d\n", "");
    var config = ClusterConfig.parse("corosync.conf", text);
    return config.called(Map.of(new NodeId(own), new NodeName("host" + own)));
  }

  private static List<String> names(FakeCluster.Process node) {
    return node.membership().members().stream().map(it -> it.name().text()).toList();
  }

  @Test
  void nodesWithoutANameInTheListAreCalledAsTheirMachines() throws Exception {
    cluster = new FakeCluster(3, "");
    for (var id = 1; id <= 2; id++) {
      nodes.add(cluster.start(id, unnamed(id, 1, 2, 3)));
    }
    viewOfAll();
    assertEquals(List.of("host1", "host2"), names(node(1)));
    assertEquals(List.of("host1", "host2"), names(node(2)));
    assertEquals(List.of(), node(1).complaints, "their files are the same");
    assertEquals(List.of("host1", "host2", "node 3"), node(1).configuredNames);

    nodes.add(cluster.start(3, unnamed(3, 1, 2, 3)));
    viewOfAll();
    assertEquals(List.of("host1", "host2", "host3"), node(1).configuredNames);

    gone(1);
    nodes.add(cluster.start(1, unnamed(1, 1, 2, 3)));
    assertEquals("1 host1\n2 host2\n3 host3", node(1).onDisk("names"), "of those not there, too");
  }

  /// The nodes reload, and are cut apart at any moment of it.
  @Test
  void atNoMomentHaveTwoSidesQuorum() throws Exception {
    var changes =
        List.of(
            List.of(new int[] {1, 2, 3}, new int[] {1, 2, 3, 4, 5, 6}),
            List.of(new int[] {1, 2, 3, 4, 5}, new int[] {1, 2, 3}),
            List.of(new int[] {1, 2, 3, 4}, new int[] {1, 2, 3, 4, 5}));
    for (var change : changes) {
      for (var millis = 0; millis < 320; millis += millis < 8 ? 1 : 12) {
        cutAt(millis, 1 + millis % 3, change.get(0), change.get(1));
      }
    }
  }

  /// The leader's last word reaches one side only: that one counts by the new list, and the other
  /// one, which has a majority of the old list, must not act.
  @Test
  void aSideThatMissedTheChangeIsHeldByWhatItHasRead() throws Exception {
    var changed = -1;
    for (var millis = 0; changed < 0; millis++) {
      if (afterReload(millis).node(3).goesBy(6, 1000)) {
        changed = millis;
      }
      assertTrue(millis < 1000, "it never came in force");
      millis += changed < 0 ? 15 : 0;
    }
    var missed = 0;
    for (var millis = changed - 18; millis <= changed; millis++) {
      afterReload(millis);
      cut(List.of(1, 2), List.of(3, 4, 5, 6));
      cluster.run(5); // what was said before arrives; what is said now does not
      split(List.of(1, 2), List.of(3, 4, 5, 6));
      var left = quorate().contains(1) || quorate().contains(2);
      var right = quorate().contains(3);
      assertFalse(left && right, "after %d ms".formatted(millis));
      missed += right && !node(1).goesBy(6, 1000) ? 1 : 0;
    }
    assertTrue(missed > 0, "the last word was never lost");
  }

  private FileReloadTest afterReload(int millis) throws Exception {
    nodes.clear();
    form("", 1, 2, 3);
    for (var id = 4; id <= 6; id++) {
      nodes.addFirst(cluster.start(id, QuorumRulesTest.config("", 1, 2, 3, 4, 5, 6)));
    }
    nodes.addFirst(nodes.remove(nodes.size() - 1)); // node 3 leads
    viewOfAll();
    files(text(1, 2, 3, 4, 5, 6));
    node(1).reload();
    cluster.run(millis);
    return this;
  }

  private void cutAt(int millis, int half, int[] before, int[] after) throws Exception {
    nodes.clear();
    form("", before);
    for (var id : after) {
      if (nodes.stream().noneMatch(it -> it.id == id)) {
        nodes.add(cluster.start(id, QuorumRulesTest.config("", after)));
      }
    }
    viewOfAll();
    files(text(after));
    node(1).reload();
    cluster.run(millis);
    var left = new ArrayList<Integer>();
    var right = new ArrayList<Integer>();
    nodes.forEach(it -> (it.id % 2 == 0 || it.id > half + 2 ? left : right).add(it.id));
    split(left, right);
    var sides = new ArrayList<List<Integer>>();
    for (var side : List.of(left, right)) {
      if (side.stream().anyMatch(quorate()::contains)) {
        sides.add(side);
      }
    }
    assertTrue(sides.size() <= 1, "after %d ms: %s".formatted(millis, sides));
    assertFalse(nodes.stream().anyMatch(it -> it.dead));
  }
}
