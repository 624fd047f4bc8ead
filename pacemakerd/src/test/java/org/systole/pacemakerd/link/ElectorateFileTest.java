package org.systole.pacemakerd.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.TestWorld;

/// Whose votes count outlives the process.
final class ElectorateFileTest {
  private static final Counted TWO = new Counted(640, List.of(new NodeId(1), new NodeId(2)));
  private static final String WINDOW = "last_man_standing: 1\nlast_man_standing_window: 1000";

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
  void whereNobodyWasLeftOutThereIsNoFile() {
    var file = started();
    file.learn(Electorate.ALL);
    file.reset();
    world.settle();
    assertFalse(world.store().list().contains(ElectorateFile.FILE));
  }

  @Test
  void aDamagedFileIsSaidAndAllCount() throws Exception {
    for (var text : List.of("", "640", "x all", "640 0", "640 1 x", "640 all 2", "640 1\n\n")) {
      world.store().change(
          List.of(
              new Store.Change.Write(
                  ElectorateFile.FILE, text.getBytes(UTF_8))),
          _ -> {});
      world.settle();
      assertEquals(Electorate.ALL, started().present(), text);
    }
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
}
