package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;

/// What the primary makes of requests, and when it confirms them.
final class WritesTest {
  private final CibdInTest node = new CibdInTest().primary();
  private final long term = node.cibd.primary().term();

  private static CibMessage.Update update(CibOp... operations) {
    return new CibMessage.Update(List.of(operations), false, "hacluster", "test", 60_000);
  }

  private CibPeerMessage.Forward ask(String id, CibMessage.Update update) {
    return new CibPeerMessage.Forward(term, id, update, null);
  }

  private int epoch() {
    return CibVersion.of(node.cibd.copy().cib()).epoch();
  }

  @Test
  void aChangeOfTheConfigurationIsConfirmedOnceAMajorityHasItOnDisk() {
    var client = node.client().update(CibdInTest.option("a"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    assertEquals(List.of(), client.answers(), "this node alone is no majority");

    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), change.sequence() - 1));
    assertEquals(List.of(), client.answers(), "in memory is not on disk");
    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), change.sequence()));

    assertEquals(Rc.OK, client.answers().getFirst().rc());
  }

  @Test
  void aChangeOfTheStatusIsConfirmedOnceAMajorityHasItInMemory() {
    var client = node.client().update(CibdInTest.status("1"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    assertEquals(List.of(), client.answers());

    node.says(3, new CibPeerMessage.Ack(term, change.sequence(), 0));

    assertEquals(Rc.OK, client.answers().getFirst().rc());
  }

  @Test
  void acknowledgementsOfALostNodeDoNotCount() {
    var client = node.client().update(CibdInTest.status("1"));
    var change = node.sent(CibPeerMessage.Change.class).getLast();
    node.here(true, 1, 2);

    node.says(3, new CibPeerMessage.Ack(term, change.sequence(), 0));
    assertEquals(List.of(), client.answers());
    node.says(2, new CibPeerMessage.Ack(term, change.sequence(), 0));

    assertEquals(Rc.OK, client.answers().getFirst().rc());
  }

  @Test
  void aRequestThatComesTwiceIsCarriedOutOnceAndAnsweredTwice() {
    var before = epoch();

    node.says(2, ask("x.1", update(CibdInTest.option("a"))));
    node.says(2, ask("x.1", update(CibdInTest.option("a"))));
    var changes = node.sent(CibPeerMessage.Change.class);
    var sequence = changes.getLast().sequence();
    node.says(2, new CibPeerMessage.Ack(term, sequence, sequence));

    assertEquals(before + 1, epoch());
    assertEquals(1, changes.size());
    var answers = node.sent(CibPeerMessage.Outcome.class);
    assertEquals(List.of(Rc.OK, Rc.OK), answers.stream().map(it -> it.rc()).toList());
  }

  @Test
  void aFaultyRequestFailsAlone() {
    var before = epoch();
    var impossible = new CibOp(null, "", false, null, false, false, false, "");

    node.cibd.primary().forwarded(new NodeId(2), ask("x.1", update(impossible)));
    node.says(2, ask("x.2", update(CibdInTest.option("a"))));

    var sent = node.sent();
    var refused = (CibPeerMessage.Outcome) sent.getFirst().message();
    assertEquals(Rc.EINVAL, refused.rc());
    assertEquals("x.1", refused.id());
    assertEquals(before + 1, epoch(), "the other one is carried out");
    assertTrue(
        node.world.lines().stream()
            .anyMatch(it -> it.startsWith("CRITICAL: A change that hacluster asked for on node2")),
        node.world.lines()::toString);
  }

  @Test
  void aChangeOfAnEarlierDcIsRefused() {
    var old = new CibMessage.Update(List.of(CibdInTest.status("1")), false, "", "test", 1_000, 4);
    var own = new CibMessage.Update(List.of(CibdInTest.status("1")), false, "", "test", 1_000, 5);

    node.says(2, ask("x.1", old)).says(2, ask("x.2", own));

    var answers = node.sent(CibPeerMessage.Outcome.class);
    assertEquals(List.of(Rc.ECANCELED), answers.stream().map(it -> it.rc()).toList());
    assertEquals("x.1", answers.getFirst().id());
  }

  @Test
  void aRequestForAnotherTermIsNotCarriedOutAndItsSenderIsCorrected() {
    var before = epoch();

    node.says(2, new CibPeerMessage.Forward(term - 1, "x.1", update(CibdInTest.option("a")), null));

    assertEquals(before, epoch());
    assertEquals(List.of(new CibdInTest.Sent(2, new CibPeerMessage.Resign(term - 1))), node.sent());
  }

  @Test
  void aRefusalHasItsReasonAndChangesNothing() {
    var before = node.cibd.copy().cib();
    var client = node.client().update(CibOp.modify("resources", CibdInTest.none("absent")));

    assertEquals(Rc.ENXIO, client.answers().getFirst().rc());
    assertEquals(before, node.cibd.copy().cib());
  }

  @Test
  void requestsThatAreThereTogetherTravelAsOneChange() throws Exception {
    var one = node.client();
    var watching = node.client().ask(new CibMessage.Subscribe());
    var before = node.cibd.copy().cib();
    for (var i = 0; i < 5; i++) {
      node.cibd
          .primary()
          .forwarded(new NodeId(2), ask("x." + i, update(CibdInTest.option("n" + i))));
    }
    node.world.settle();

    var changes = node.sent(CibPeerMessage.Change.class);
    assertEquals(1, changes.size());
    assertEquals(List.of("x.0", "x.1", "x.2", "x.3", "x.4"), changes.getFirst().done());
    assertEquals(List.of(), one.answers());
    var applied = CibPatch.apply(before, changes.getFirst().patch().element(), true);
    assertEquals(node.cibd.copy().cib(), applied.cib());
    node.pass(Duration.ofSeconds(1));
    var told = (CibMessage.Changed) watching.events().getLast();
    assertEquals(before.contentHash(), told.before());
    assertEquals(applied.cib().contentHash(), told.after());
  }
}
