package org.systole.pacemakerd.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.TestWorld;

/// Whose votes count outlives the process.
final class ElectorateFileTest {
  private static final Counted TWO = new Counted(640, List.of(new NodeId(1), new NodeId(2)));
  private static final String WINDOW = "last_man_standing: 1\nlast_man_standing_window: 1000";

  private static final List<String> DAMAGED =
      List.of("", "640\n", "x all\n", "640 0\n", "640 1 x\n", "640 all 2\n", "640 1\n\n", "640 1");

  private final TestWorld world = new TestWorld();
  private boolean kept;
  private int times;

  private ElectorateFile started() {
    var file = new ElectorateFile(world);
    file.start();
    return file;
  }

  private ElectorateFile proposed() {
    var file = started();
    file.propose(TWO, () -> kept = true);
    world.settle();
    return file;
  }

  @Test
  void whatIsProposedAndSettledIsKnownToTheNextProcess() {
    proposed();
    assertTrue(kept);
    assertEquals(new Electorate(Electorate.ALL.settled(), List.of(TWO)), started().present());
    var file = started();
    file.settle(TWO.since());
    world.settle();
    assertEquals(new Electorate(TWO, List.of()), started().present());
    file.reset();
    world.settle();
    assertTrue(started().present().isAll());
    assertTrue(started().present().newest() > TWO.since());
  }

  /// The leader proposes again what is not on all disks.
  @Test
  void whatADiskDoesNotTakeIsNotKeptAndSaidOnceItHas() {
    world.disk().fails("no space left");
    var file = proposed();
    assertFalse(kept);
    assertEquals(List.of(TWO), file.present().proposed(), "it binds all the same");
    world.disk().works();
    world.disk().waits(true);
    for (var count = 0; count < 5; count++) {
      file.propose(TWO, () -> times++);
    }
    world.disk().waits(false);
    world.settle();
    assertEquals(1, times);
    file.propose(TWO, () -> times++);
    assertEquals(2, times);
  }

  @Test
  void whatThePastLeaderTellsIsNotForgotten() {
    var file = proposed();
    file.learn(null); // an earlier build
    file.learn(Electorate.ALL);
    assertEquals(List.of(TWO), file.present().proposed());
    file.learn(new Electorate(TWO, List.of()));
    assertEquals(new Electorate(TWO, List.of()), file.present());
  }

  @Test
  void theNumberOfALateMembershipIsRead() {
    var late = MembershipNumber.of(30_000_000, new NodeId(3));
    var file = started();
    file.propose(Counted.by(late, file.present(), TWO.nodes()), () -> kept = true);
    world.settle();
    assertEquals(file.present(), started().present());
    assertTrue(started().present().newest() > late);
  }

  @Test
  void theLastNumberThereIsIsReadAndCountedOnFrom() {
    var file = started();
    file.propose(new Counted(8_999_999_999_999_999_999L, TWO.nodes()), () -> kept = true);
    world.settle();
    assertEquals(file.present(), started().present());
    file.reset();
    assertTrue(file.present().isAll());
  }

  @Test
  void whereNobodyWasLeftOutThereIsNoFile() {
    var file = started();
    file.learn(Electorate.ALL);
    file.reset();
    world.settle();
    assertFalse(world.store().list().contains(ElectorateFile.FILE));
  }

  @Test
  void whatIsLostIsSaidAndAllCountButNotThisNode() {
    for (var text : DAMAGED) {
      write(ElectorateFile.FILE, text);
      var file = started();
      assertEquals(Electorate.ALL, file.present(), text);
      assertTrue(file.isLost(), text);
      write(ElectorateFile.COPY, text);
      assertTrue(started().isLost(), text);
    }
  }

  @Test
  void oneOfTheFilesIsEnough() {
    proposed();
    var known = started().present();
    for (var name : List.of(ElectorateFile.FILE, ElectorateFile.COPY)) {
      for (var text : DAMAGED) {
        write(name, text);
        assertEquals(known, started().present(), name + text);
        world.settle();
      }
      delete(name);
      assertEquals(known, started().present(), name);
      assertFalse(started().isLost());
      world.settle();
      assertTrue(world.store().list().containsAll(List.of(ElectorateFile.FILE, ElectorateFile.COPY)));
    }
  }

  @Test
  void whatEitherOfTheFilesKnowsHolds() {
    proposed();
    write(ElectorateFile.FILE, "0 all\n"); // a line of it is missing
    assertEquals(List.of(TWO), started().present().proposed());
  }

  /// An earlier build, or a start between the two.
  @Test
  void theCopyThatIsBehindIsMadeAnew() {
    write(ElectorateFile.FILE, "640 1 2\n");
    write(ElectorateFile.COPY, "0 all\n");
    var known = new Electorate(TWO, List.of());
    assertEquals(known, started().present());
    world.settle();
    write(ElectorateFile.FILE, "");
    assertEquals(known, started().present());
  }

  /// Else the next start would take for all that was known what this one has heard so far.
  @Test
  void whatIsHeardBeforeOthersHadQuorumIsNoFile() {
    write(ElectorateFile.FILE, "");
    var file = started();
    file.learn(new Electorate(TWO, List.of()));
    file.propose(new Counted(704, null), () -> kept = true);
    world.settle();
    assertFalse(kept);
    assertTrue(started().isLost());
    file.carried();
    world.settle();
    assertFalse(file.isLost());
    assertEquals(new Electorate(TWO, List.of(new Counted(704, null))), started().present());
  }

  private void write(String name, String text) {
    world.store().change(List.of(new Store.Change.Write(name, text.getBytes(UTF_8))), _ -> {});
    world.settle();
  }

  private void delete(String name) {
    world.store().change(List.of(new Store.Change.Delete(name)), _ -> {});
    world.settle();
  }

  // ---- in a cluster

  @Test
  void aNodeThatIsStartedAnewIsNoMajorityWithOneThatWasLeftOut() throws Exception {
    var cluster = new FakeCluster(3, WINDOW);
    var a = cluster.start(1);
    var b = cluster.start(2);
    var c = cluster.start(3);
    cluster.view(a, b, c);
    cluster.run(5000);
    c.kill();
    a.sees(c, true);
    cluster.view(a, b);
    cluster.run(8000);
    assertTrue(a.quorate());
    var again = cluster.start(3);
    var other = cluster.start(2);
    b.kill();
    cluster.view(other, again);
    cluster.run(8000);
    assertFalse(again.quorate(), "node 1 is half of those who count, and may have fenced the other");
    assertTrue(again.link.waits());
    again.link.endWait(); // a person has seen that node 1 is off
    cluster.run(5000);
    assertTrue(again.quorate());
    assertTrue(other.quorate());
  }

  /// Five nodes count as three; the third forgets that, and meets those who were left out.
  private List<FakeCluster.Process> forgotten(FakeCluster cluster) {
    var nodes = new ArrayList<FakeCluster.Process>();
    IntStream.rangeClosed(1, 5).forEach(it -> nodes.add(cluster.start(it)));
    cluster.view(nodes.toArray(FakeCluster.Process[]::new));
    cluster.run(5000);
    nodes.get(3).kill();
    nodes.get(4).kill();
    cluster.view(nodes.get(0), nodes.get(1), nodes.get(2));
    cluster.run(8000);
    assertTrue(nodes.get(0).quorate());
    nodes.get(2).kill();
    cluster.view(nodes.get(0), nodes.get(1));
    cluster.disk(3).put(ElectorateFile.FILE, new byte[0]);
    return nodes;
  }

  @Test
  void whoForgotWhoseVotesCountIsNoMajorityWithThoseWhoWereLeftOut() throws Exception {
    var cluster = new FakeCluster(5, WINDOW);
    var nodes = forgotten(cluster);
    cluster.disk(3).put(ElectorateFile.COPY, new byte[0]);
    var again = cluster.start(3);
    var left = List.of(cluster.start(4), cluster.start(5));
    cluster.view(again, left.get(0), left.get(1));
    cluster.run(8000);
    assertTrue(nodes.get(0).quorate());
    assertFalse(again.quorate(), "nodes 1 and 2 are most of those who count");
    assertFalse(left.get(0).quorate());
    assertTrue(again.link.waits());
    cluster.view(nodes.get(0), nodes.get(1), again);
    cluster.run(8000);
    assertTrue(again.quorate());
    assertFalse(again.link.waits());
    nodes.get(1).kill();
    cluster.view(nodes.get(0), again);
    cluster.run(8000);
    assertTrue(again.quorate(), "its vote counts again");
  }

  @Test
  void whoForgotIsCountedIfAPersonSaysThatTheOthersAreOff() throws Exception {
    var cluster = new FakeCluster(5, WINDOW);
    var nodes = forgotten(cluster);
    cluster.disk(3).remove(ElectorateFile.COPY);
    nodes.get(0).kill();
    nodes.get(1).kill();
    var again = cluster.start(3);
    var left = List.of(cluster.start(4), cluster.start(5));
    cluster.view(again, left.get(0), left.get(1));
    cluster.run(8000);
    assertFalse(again.quorate());
    again.link.endWait();
    cluster.run(5000);
    assertTrue(again.quorate());
    assertTrue(left.get(0).quorate());
  }

  @Test
  void whoFindsTheCopyVotesAtOnce() throws Exception {
    var cluster = new FakeCluster(5, WINDOW);
    var nodes = forgotten(cluster);
    nodes.get(1).kill();
    cluster.view(nodes.get(0));
    var again = cluster.start(3);
    var left = List.of(cluster.start(4), cluster.start(5));
    cluster.view(again, left.get(0), left.get(1));
    cluster.run(8000);
    assertFalse(again.quorate());
    cluster.view(nodes.get(0), again);
    cluster.run(8000);
    assertTrue(again.quorate());
  }

  @Test
  void whereAllAreTogetherWhoForgotIsCounted() throws Exception {
    var cluster = new FakeCluster(3, WINDOW);
    cluster.disk(1).put(ElectorateFile.FILE, new byte[0]);
    cluster.disk(2).put(ElectorateFile.FILE, new byte[0]);
    var nodes = List.of(cluster.start(1), cluster.start(2), cluster.start(3));
    cluster.view(nodes.get(0), nodes.get(1));
    cluster.run(5000);
    assertFalse(nodes.get(0).quorate());
    cluster.view(nodes.get(0), nodes.get(1), nodes.get(2));
    cluster.run(5000);
    assertTrue(nodes.get(0).quorate());
    nodes.get(2).kill();
    cluster.view(nodes.get(0), nodes.get(1));
    cluster.run(5000);
    assertTrue(nodes.get(0).quorate());
  }
}
