package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibPatch;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// A follower of the primary, which is node 2.
final class FollowerTest {
  private static final long TERM = 3L << 32 | 2;

  private final CibdInTest node = new CibdInTest();

  @BeforeEach
  void aPrimaryElsewhere() {
    node.here(true, 1, 2, 3).follow(2, TERM);
    node.sent();
  }

  /// The change that turns the present copy into `after`.
  private CibPeerMessage.Change change(long sequence, Element before, Element after) {
    return new CibPeerMessage.Change(
        TERM,
        sequence,
        XmlText.of(CibPatch.exact(before, after)),
        before.contentHash(),
        after.contentHash(),
        node.cibd.copy().line().next(true, TERM, true),
        true,
        List.of("x." + sequence));
  }

  private Element cib() {
    return node.cibd.copy().cib();
  }

  private static Element epoch(Element cib, int epoch) {
    return cib.with("epoch", Integer.toString(epoch));
  }

  @Test
  void aPromiseIsOnDiskBeforeThePositionIsSent() {
    var term = 4L << 32 | 3;
    node.world.disk().waits(true);

    node.says(3, new CibPeerMessage.Collect(term, 6));
    assertEquals(List.of(), node.sent(CibPeerMessage.Position.class));
    node.world.disk().waits(false);

    assertEquals(term, node.sent(CibPeerMessage.Position.class).getLast().term());
    var onDisk = node.world.disk().files().values().stream().map(String::new).toList();
    assertTrue(onDisk.stream().anyMatch(it -> it.contains(Long.toString(term))), onDisk::toString);
  }

  @Test
  void ifTheDiskFailsItPromisesInMemoryAndKeepsThePromise() {
    var term = 4L << 32 | 3;
    node.world.disk().fails("no space left on device");

    node.says(3, new CibPeerMessage.Collect(term, 6));

    assertEquals(term, node.sent(CibPeerMessage.Position.class).getLast().term());
    var before = cib();
    node.says(2, change(1, before, epoch(before, 9)));
    node.says(2, new CibPeerMessage.Collect(TERM, 6));
    assertEquals(before, cib(), "changes of the old term are not applied");
    assertEquals(
        List.of(new CibPeerMessage.Refuse(TERM, term, false)),
        node.sent(CibPeerMessage.Refuse.class));
    node.says(3, new CibPeerMessage.Collect(term + (1L << 32), 6));
    assertEquals(
        1,
        node.sent(CibPeerMessage.Position.class).size(),
        "without waiting, since the disk is known to fail");
    node.world.disk().works();
    node.pass(Duration.ofSeconds(5));
    var onDisk = node.world.disk().files().values().stream().map(String::new).toList();
    var promised = Long.toString(term + (1L << 32));
    assertTrue(onDisk.stream().anyMatch(it -> it.contains(promised)), onDisk::toString);
  }

  @Test
  void aDiskThatHangsIsWaitedForThreeSecondsAndThePromiseSentOnce() {
    node.world.disk().waits(true);
    var term = 4L << 32 | 3;

    node.says(3, new CibPeerMessage.Collect(term, 6));
    node.says(3, new CibPeerMessage.Collect(term, 6)); // asked again
    node.pass(Duration.ofMillis(2_900));
    assertEquals(List.of(), node.sent(CibPeerMessage.Position.class));
    node.pass(Duration.ofMillis(200));
    assertEquals(2, node.sent(CibPeerMessage.Position.class).size());
    node.world.disk().waits(false);

    assertEquals(List.of(), node.sent(CibPeerMessage.Position.class));
  }

  @Test
  void noTakeoverBelowAPromiseItMayHaveForgottenIsJoined() {
    node.says(3, new CibPeerMessage.Collect(4L << 32 | 3, 6));
    node.pass(Duration.ofSeconds(5));
    var restarted = node.again().here(true, 1, 2, 3);

    restarted.says(2, new CibPeerMessage.Collect(5L << 32 | 2, 7));

    var refused = restarted.sent(CibPeerMessage.Refuse.class);
    assertEquals(List.of(new CibPeerMessage.Refuse(5L << 32 | 2, 20L << 32, false)), refused);
    restarted.says(2, new CibPeerMessage.Collect(21L << 32 | 2, 7));
    assertEquals(1, restarted.sent(CibPeerMessage.Position.class).size());
    restarted.client().ask(new CibMessage.SetPrimary(9));
    assertEquals(22, restarted.sent(CibPeerMessage.Collect.class).getLast().term() >> 32);
  }

  @Test
  void aPrimaryInOfficeIsFollowedAfterARestartWithoutANewTakeover() {
    node.pass(Duration.ofSeconds(5));
    var restarted = node.again().here(true, 1, 2, 3).follow(2, TERM);

    var sent = restarted.sent().stream().map(CibdInTest.Sent::message).toList();
    assertTrue(sent.stream().noneMatch(CibPeerMessage.Refuse.class::isInstance), sent::toString);
    assertEquals(new CibPeerMessage.Ack(TERM, 0, -1), sent.getFirst());
  }

  @Test
  void aTermBelowItsPromiseIsRefusedWithThePromise() {
    node.says(3, new CibPeerMessage.Collect(TERM - 1, 6));

    assertEquals(
        List.of(new CibPeerMessage.Refuse(TERM - 1, TERM, false)),
        node.sent(CibPeerMessage.Refuse.class));
  }

  @Test
  void afterAPromiseToAnotherItTakesNoChangeOfTheOldTerm() {
    var before = cib();
    node.says(3, new CibPeerMessage.Collect(4L << 32 | 3, 6));

    node.says(2, change(1, before, epoch(before, 9)));

    assertEquals(before, cib());
  }

  @Test
  void aChangeThatFitsIsTakenAndHeldOnceItIsOnDisk() {
    var after = epoch(cib(), 9);
    node.world.disk().waits(true);

    node.says(2, change(1, cib(), after));
    assertEquals(after, cib());
    assertTrue(node.sent(CibPeerMessage.Ack.class).stream().allMatch(it -> it.disk() < 1));
    node.world.disk().waits(false);
    node.pass(Duration.ofMillis(100));

    assertEquals(new CibPeerMessage.Ack(TERM, 1, 1), node.sent(CibPeerMessage.Ack.class).getLast());
    assertTrue(node.cibd.copy().has("x.1"));
  }

  @Test
  void aGapMakesItAskForTheWholeAndWhatComesMeanwhileWaits() {
    var one = epoch(cib(), 9);
    var two = epoch(cib(), 10);
    var three = epoch(cib(), 11);

    node.says(2, change(2, one, two));
    assertEquals(
        List.of(new CibPeerMessage.AskWhole(TERM)), node.sent(CibPeerMessage.AskWhole.class));
    node.says(2, change(3, two, three));
    var line = node.cibd.copy().line();
    var whole = XmlWriter.compact(two);
    node.says(2, new CibPeerMessage.Whole(TERM, 2, line, List.of(), whole, List.of("x.1", "x.2")));

    assertEquals(three, cib());
    assertTrue(node.cibd.copy().has("x.1"));
  }

  @Test
  void aChangeToAnotherContentIsNotApplied() {
    var before = cib();
    var other = before.with("epoch", "5");

    node.says(2, change(1, other, epoch(other, 6)));

    assertEquals(before, cib());
    assertEquals(1, node.sent(CibPeerMessage.AskWhole.class).size());
  }

  @Test
  void theWholeIsAskedForAgainUntilItComes() {
    node.says(2, change(5, cib(), epoch(cib(), 9)));
    node.sent();

    node.pass(Duration.ofSeconds(7));

    assertEquals(2, node.sent(CibPeerMessage.AskWhole.class).size());
  }

  @Test
  void onlyThePrimarysChangesAreApplied() {
    var before = cib();

    node.says(3, change(1, before, epoch(before, 9)));

    assertEquals(before, cib());
    assertEquals(List.of(), node.sent());
  }
}
