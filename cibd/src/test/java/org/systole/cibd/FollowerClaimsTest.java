package org.systole.cibd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibPatch;
import org.systole.common.cluster.Terms;
import org.systole.common.values.NodeId;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// A node that is not the primary: which primary it follows, what it accepts and sends, and what it
/// acknowledges. Node 2 is the primary of the DC with epoch 5.
final class FollowerClaimsTest {
  private static final long TERM = 3L << 32 | 2;
  private static final long LATER = 4L << 32 | 3;

  private final CibdInTest node = new CibdInTest();

  @BeforeEach
  void aPrimaryElsewhere() {
    node.here(true, 1, 2, 3).follow(2, TERM);
    node.pass(Duration.ofSeconds(3)); // all is on disk
    node.sent();
  }

  private int followed() {
    var id = node.cibd.follower().primaryId();
    return id == null ? 0 : id.number();
  }

  private Element cib() {
    return node.cibd.copy().cib();
  }

  private CibPeerMessage.Announce claim(long term, long epoch, boolean established) {
    var copy = node.cibd.copy();
    return new CibPeerMessage.Announce(
        term, epoch, established, 0, copy.line().taken(true, term), copy.hash());
  }

  private CibPeerMessage.Change change(long sequence, Element after, boolean configuration) {
    return new CibPeerMessage.Change(
        TERM,
        sequence,
        XmlText.of(CibPatch.exact(cib(), after)),
        cib().contentHash(),
        after.contentHash(),
        node.cibd.copy().line().next(true, TERM, configuration),
        configuration,
        List.of("x." + sequence));
  }

  // Which primary it follows

  @Test
  void aClaimWorseThanThatOfAPresentPrimaryIsNotFollowed() {
    node.says(3, claim(LATER, 4, true));
    assertEquals(2, followed());
    node.says(3, claim(LATER, 5, false));
    assertEquals(2, followed());
  }

  @Test
  void aBetterClaimIsFollowed() {
    node.says(3, claim(LATER, 6, false));
    assertEquals(3, followed());
    assertEquals(LATER, node.cibd.follower().term());
    node.says(2, claim(TERM, 5, true));
    assertEquals(3, followed());
  }

  @Test
  void ofEqualClaimsTheLaterTermIsFollowed() {
    node.says(3, claim(LATER, 5, true));
    assertEquals(3, followed());
  }

  @Test
  void anyPrimaryIsFollowedOnceTheFormerOneIsGone() {
    node.here(true, 1, 3);
    assertEquals(0, followed());
    node.says(3, claim(LATER, 1, false));
    assertEquals(3, followed());
  }

  /// What it has may have been acknowledged by a quorum.
  @Test
  void aPrimaryWithoutQuorumThatHasNotAskedForThisCopyHasToChooseFromItToo() {
    node.here(true, 1, 3);
    var own = node.cibd.copy().line();
    var behind = new Line(own.term(), own.index() - 1, LATER, 11, false);
    node.says(3, new CibPeerMessage.Announce(LATER, 6, false, 0, behind, 77));
    assertEquals(0, followed());
    assertEquals(
        List.of(new CibPeerMessage.Refuse(LATER, TERM, false)), node.sent(CibPeerMessage.Refuse.class));

    node.says(3, new CibPeerMessage.Collect(LATER, 6)); // and begins before it is answered
    node.says(3, new CibPeerMessage.Announce(LATER, 6, false, 0, behind, 77));
    assertEquals(0, followed());

    node.says(3, new CibPeerMessage.Announce(LATER, 6, false, 0, own.taken(false, LATER), 77));
    assertEquals(3, followed(), "it has chosen from this one");
  }

  @Test
  void aPrimaryWithQuorumNeedNotAskForThisCopy() {
    node.here(true, 1, 3);
    var own = node.cibd.copy().line();
    node.says(3, new CibPeerMessage.Announce(LATER, 6, true, 0, new Line(own.term(), own.index() - 1, 0, 0, false), 77));
    assertEquals(3, followed());
  }

  @Test
  void aTermBelowItsPromiseIsNotFollowed() {
    node.says(3, new CibPeerMessage.Collect(LATER, 6));
    node.sent();
    node.here(true, 1, 3);
    node.says(3, claim(TERM, 7, true));
    assertEquals(
        List.of(new CibPeerMessage.Refuse(TERM, LATER, false)),
        node.sent(CibPeerMessage.Refuse.class));
    assertEquals(0, followed());
  }

  @Test
  void aPrimaryThatResignsIsNoLongerFollowed() {
    node.says(3, new CibPeerMessage.Resign(TERM));
    node.says(2, new CibPeerMessage.Resign(TERM - (1L << 32)));
    assertEquals(2, followed(), "one was another node's, the other of an earlier term");
    node.says(2, new CibPeerMessage.Resign(TERM));
    assertEquals(0, followed());
    var before = cib();
    node.says(2, change(1, before.with("epoch", "9"), true));
    assertEquals(before, cib());
  }

  @Test
  void whatCannotBeATakeoverIsNotCountedOnFrom() {
    var before = node.cibd.follower().highestEpoch();
    for (var term : List.of(Long.MAX_VALUE, -1L, Long.MIN_VALUE, Terms.of(1 << 25, new NodeId(3)))) {
      node.says(3, new CibPeerMessage.Collect(term, 6));
      node.says(3, new CibPeerMessage.Announce(term, 6, true, 0, Line.NONE, 0));
      node.says(3, new CibPeerMessage.Refuse(LATER, term, false));
    }
    for (var epoch : List.of(Long.MAX_VALUE, -1L)) {
      node.says(3, new CibPeerMessage.Collect(LATER, epoch));
      node.says(3, new CibPeerMessage.Announce(LATER, epoch, true, 0, Line.NONE, 0));
    }
    assertEquals(List.of(), node.sent());
    assertEquals(before, node.cibd.follower().highestEpoch());
    node.says(3, new CibPeerMessage.Collect(LATER, 6));
    assertEquals(1, node.sent(CibPeerMessage.Position.class).size(), "it has promised nothing yet");
  }

  @Test
  void theHighestEpochOfADcIsKeptFromAnyMessage() {
    assertEquals(5, node.cibd.follower().highestEpoch());
    node.says(3, new CibPeerMessage.Collect(LATER, 8));
    assertEquals(8, node.cibd.follower().highestEpoch());
    node.says(3, claim(LATER, 12, true));
    assertEquals(12, node.cibd.follower().highestEpoch());
    node.says(3, claim(LATER, 11, true));
    assertEquals(12, node.cibd.follower().highestEpoch());
  }

  // What it accepts

  @Test
  void anAnnouncementFromBeforeItsLastChangeIsIgnored() {
    node.says(2, change(1, cib().with("epoch", "9"), true));
    node.pass(Duration.ofSeconds(1));
    node.sent();
    var copy = node.cibd.copy();
    // sent before the change that it already has
    node.says(2, new CibPeerMessage.Announce(TERM, 5, true, 0, copy.line(), 4711));
    assertEquals(List.of(), node.sent());
    assertEquals(1, node.cibd.follower().sequence());
  }

  @Test
  void anAnnouncementOfMoreThanItHasMakesItFetchTheWhole() {
    node.says(2, new CibPeerMessage.Announce(TERM, 5, true, 4, node.cibd.copy().line(), 4711));
    assertEquals(
        List.of(new CibdInTest.Sent(2, new CibPeerMessage.AskWhole(TERM))), node.sent());
  }

  @Test
  void aPrimaryOfANewTermWithTheSameCopyIsInStepAtOnce() {
    node.says(2, change(1, cib().with("epoch", "9"), true));
    node.says(3, claim(LATER, 6, true));
    assertEquals(0, node.cibd.follower().sequence());
    assertFalse(node.cibd.follower().has(TERM, 1), "a term by itself does not say that what was made in it went on");
    assertFalse(node.cibd.follower().has(LATER, 1));
    node.pass(Duration.ofSeconds(1));
    var ack = node.sent(CibPeerMessage.Ack.class).getLast();
    assertEquals(new CibPeerMessage.Ack(LATER, 0, 0), ack);
  }

  @Test
  void whileItWaitsForTheWholeItAcknowledgesNothing() {
    assertTrue(node.cibd.follower().has(TERM, 0));
    node.says(2, new CibPeerMessage.Announce(TERM, 5, true, 4, node.cibd.copy().line(), 4711));
    assertFalse(node.cibd.follower().has(TERM, 0));
    node.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), node.sent(CibPeerMessage.Ack.class));
  }

  @Test
  void aWholeThatWasNotAskedForIsIgnored() {
    var before = cib();
    var line = node.cibd.copy().line();
    var xml = XmlWriter.compact(before.with("epoch", "9"));
    node.says(2, new CibPeerMessage.Whole(TERM, 3, line, List.of(), xml, List.of()));
    assertEquals(before, cib());
    node.says(2, new CibPeerMessage.Announce(TERM, 5, true, 4, line, 4711));
    node.says(3, new CibPeerMessage.Whole(TERM, 3, line, List.of(), xml, List.of()));
    node.says(2, new CibPeerMessage.Whole(TERM - 1, 3, line, List.of(), xml, List.of()));
    node.says(2, new CibPeerMessage.Whole(TERM, 3, line, List.of(), "<cib", List.of()));
    assertEquals(before, cib());
    node.says(3, new CibPeerMessage.Collect(LATER, 6)); // it has promised itself to another
    node.says(2, new CibPeerMessage.Whole(TERM, 3, line, List.of(), xml, List.of()));
    assertEquals(before, cib());
  }

  @Test
  void changesThatWaitForTheWholeAreDroppedWithThePrimary() {
    var after = cib().with("epoch", "9");
    var late = change(1, after, true);
    node.says(2, new CibPeerMessage.Announce(TERM, 5, true, 4, node.cibd.copy().line(), 4711));
    node.says(2, late);
    node.says(3, claim(LATER, 6, true));
    assertEquals("0", cib().get("epoch"));
  }

  @Test
  void aPatchsetWithAnotherResultIsNotApplied() {
    var before = cib();
    var right = change(1, before.with("epoch", "9"), true);
    var wrong =
        new CibPeerMessage.Change(
            TERM, 1, right.patch(), right.before(), 4711, right.line(), true, right.done());
    node.says(2, wrong);
    assertEquals(before, cib());
    assertEquals(1, node.sent(CibPeerMessage.AskWhole.class).size());
    node.says(
        2,
        new CibPeerMessage.Change(
            TERM, 1, XmlText.of("<diff"), right.before(), right.after(), right.line(), true, right.done()));
    assertEquals(before, cib());
  }

  // What it sends

  @Test
  void theCopyIsSentOnlyToTheTakeoverItPromised() {
    node.says(3, new CibPeerMessage.AskWhole(LATER));
    assertEquals(List.of(), node.sent());
    node.says(3, new CibPeerMessage.Collect(LATER, 6));
    node.sent();
    node.says(3, new CibPeerMessage.AskWhole(TERM)).says(3, new CibPeerMessage.AskWhole(LATER));
    var given = node.sent(CibPeerMessage.Whole.class);
    assertEquals(1, given.size());
    assertEquals(0, given.getFirst().sequence());
    assertEquals(LATER, given.getFirst().term());
  }

  // What it acknowledges

  @Test
  void aStatusChangeIsAcknowledgedAtOnceWhateverTheDiskDoes() {
    node.world.disk().waits(true);
    node.says(2, change(1, cib().with("num_updates", "9"), false));
    assertEquals(new CibPeerMessage.Ack(TERM, 1, 1), node.sent(CibPeerMessage.Ack.class).getLast());
  }

  @Test
  void aConfigurationThatASlowDiskDelaysIsAcknowledgedAsHeldInMemory() {
    node.world.disk().waits(true);
    node.says(2, change(1, cib().with("epoch", "9"), true));
    node.pass(Duration.ofMillis(24));
    assertEquals(List.of(), node.sent());
    node.pass(Duration.ofMillis(1));
    assertEquals(List.of(new CibPeerMessage.Ack(TERM, 1, 0)), node.sent(CibPeerMessage.Ack.class));
    node.says(2, change(2, cib().with("epoch", "10"), true));
    node.pass(Duration.ofMillis(25));
    assertEquals(List.of(new CibPeerMessage.Ack(TERM, 2, 0)), node.sent(CibPeerMessage.Ack.class));
    node.world.disk().waits(false);
    node.pass(Duration.ofSeconds(1));
    assertEquals(new CibPeerMessage.Ack(TERM, 2, 2), node.sent(CibPeerMessage.Ack.class).getLast());
  }

  @Test
  void aChangeAcknowledgedAsOnDiskIsNotAcknowledgedAgain() {
    node.says(2, change(1, cib().with("epoch", "9"), true));
    node.pass(Duration.ofMillis(20));
    assertEquals(new CibPeerMessage.Ack(TERM, 1, 1), node.sent(CibPeerMessage.Ack.class).getLast());
    node.pass(Duration.ofMillis(20));
    assertEquals(List.of(), node.sent());
  }

  // A configuration that is lost

  private Element configured(String option) {
    var at = cib().indexOf(Objects.requireNonNull(cib().first("configuration")));
    return cib().replace(at, Element.of("configuration", "option", option));
  }

  /// This node changed its configuration without quorum.
  private void strays() {
    node.cibd.copy().advance(configured("mine"), new Line(TERM, 1, TERM, 1, true));
  }

  /// Fetches the whole from another primary.
  private void losesTo(long term, Element whole) {
    var line = new Line(term, 9, 0, 0, false);
    node.says(3, new CibPeerMessage.Announce(term, 6, true, 3, line, whole.contentHash()));
    var history = node.cibd.copy().history();
    node.says(
        3,
        new CibPeerMessage.Whole(
            term, 3, line, history, XmlWriter.compact(whole), List.of()));
    assertEquals(whole, cib());
  }

  private List<String> keptAside() {
    return node.world.disk().files().keySet().stream()
        .filter(it -> it.startsWith("cib-lost"))
        .toList();
  }

  @Test
  void aConfigurationTheClusterNeverHadIsKeptAside() {
    strays();
    losesTo(LATER, configured("theirs"));
    assertEquals(List.of("cib-lost-0.xml"), keptAside());
    var kept = new String(node.world.disk().files().get("cib-lost-0.xml"), UTF_8);
    assertTrue(kept.contains("option=\"mine\""), kept);
    assertTrue(node.world.logged("it is kept in cib-lost-0.xml"));

    strays();
    losesTo(LATER + (1L << 32), configured("theirs"));
    assertEquals(List.of("cib-lost-0.xml", "cib-lost-1.xml"), keptAside());
  }

  @Test
  void aConfigurationThatIsPartOfTheHistoryIsNotSaved() {
    losesTo(LATER, configured("theirs"));
    assertEquals(List.of(), keptAside());
  }

  @Test
  void whereTheConfigurationsAreTheSameNothingIsLost() {
    strays();
    losesTo(LATER, cib().with("num_updates", "77"));
    assertEquals(List.of(), keptAside());
    assertFalse(node.world.logged("lost to its version"));
  }

  /// As `cib.xml` without a place in the history is: changed by hand, with its digest removed.
  @Test
  void aConfigurationOfUnknownHistoryIsKeptAside() {
    var at = cib().indexOf(Objects.requireNonNull(cib().first("configuration")));
    var mine = cib().replace(at, Element.of("configuration").plus(Element.of("resources").plus(Element.of("primitive", "id", "byhand"))));
    node.cibd.copy().advance(mine, Line.NONE);

    losesTo(LATER, configured("theirs"));

    assertEquals(List.of("cib-lost-0.xml"), keptAside());
    var kept = new String(node.world.disk().files().get("cib-lost-0.xml"), UTF_8);
    assertTrue(kept.contains("byhand"), kept);
    assertTrue(node.world.logged("gives way to the cluster's"));
    assertTrue(node.world.logged("It is kept in cib-lost-0.xml. Compare the two (crm_diff)"));
    assertFalse(node.world.logged("lost to its version"));
  }
}
