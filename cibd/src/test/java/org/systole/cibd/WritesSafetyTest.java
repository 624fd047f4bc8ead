package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Which changes the primary confirms when disks fail, quorum comes and goes, or its term ends.
final class WritesSafetyTest {
  private final CibdInTest node = new CibdInTest().primary();
  private final long term = node.cibd.primary().term();

  private static CibMessage.Update update(CibOp operation) {
    return new CibMessage.Update(List.of(operation), false, "hacluster", "test", 60_000);
  }

  /// A request that comes by way of node 2.
  private void ask(long ofTerm, String id, CibOp operation) {
    node.says(2, new CibPeerMessage.Forward(ofTerm, id, update(operation), null));
  }

  private void hold(int from, long ofTerm, long memory, long disk) {
    node.says(from, new CibPeerMessage.Ack(ofTerm, memory, disk));
  }

  /// How requests that came by way of node 2 have ended since the last call.
  private List<String> ended() {
    return node.sent(CibPeerMessage.Outcome.class).stream()
        .map(it -> it.id() + " " + it.rc())
        .toList();
  }

  /// A member that stood still for a moment had each change refused that others asked for meanwhile.
  @Test
  void whatIsAskedForWhileTheQuorumIsAboutToComeWaitsForIt() {
    node.quorumDue(1, 2, 3);
    ask(term, "x.1", CibdInTest.option("a"));
    ask(term, "x.2", CibdInTest.status("1"));
    node.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), ended());
    assertEquals(List.of(), node.sent(CibPeerMessage.Change.class));

    node.members(false, 1, 2, 3); // it does not come
    hold(2, term, 1, 1);
    hold(3, term, 1, 1);

    assertEquals(List.of("x.1 NO_QUORUM", "x.2 OK"), ended());
  }

  @Test
  void aCommittedChangeIsAnsweredOnce() {
    ask(term, "x.1", CibdInTest.status("1"));
    hold(2, term, 1, 0);
    assertEquals(List.of("x.1 OK"), ended());
    hold(3, term, 1, 0);
    hold(2, term, 1, 1);
    assertEquals(List.of(), ended());
  }

  @Test
  void thePrimarysOwnDiskCountsOnceItHasTheChange() {
    node.world.disk().waits(true);
    ask(term, "x.1", CibdInTest.option("a"));
    hold(2, term, 1, 1);
    assertEquals(List.of(), ended(), "one disk of three");
    node.world.disk().waits(false);
    assertEquals(List.of("x.1 OK"), ended());
  }

  @Test
  void aChangeOfAnEarlierTermIsNotCommittedByThoseOfALaterOne() {
    ask(term, "x.1", CibdInTest.status("1"));
    node.here(false, 1, 2, 3).here(true, 1, 2, 3);
    node.pass(Duration.ofSeconds(1));
    var again = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(again)).says(3, node.asHere(again));
    ask(again, "x.2", CibdInTest.status("2"));
    hold(2, again, 1, 1);
    assertEquals(List.of("x.2 OK"), ended(), "the client of the other one asks again");
  }

  @Test
  void aChangeThatWasAskedForAgainWithoutQuorumMayBeUndoneAndIsNotConfirmed() {
    ask(term, "x.1", CibdInTest.option("a"));
    ask(term, "x.2", CibdInTest.status("1"));
    node.here(false, 1, 2);
    ended();
    ask(term, "x.1", CibdInTest.option("a"));
    assertEquals(List.of("x.1 NO_QUORUM"), ended());
    ask(term, "x.2", CibdInTest.status("1"));
    hold(1, term, 2, 2);
    hold(2, term, 2, 2);
    assertTrue(ended().contains("x.2 OK"), "a status is written anew by the node it is of");
  }

  @Test
  void whatIsThereAlreadyWithoutQuorumMayBeUndoneAndIsNotConfirmed() {
    ask(term, "x.1", CibdInTest.option("a")); // no other node has it
    node.here(false, 1, 2);
    ended();
    ask(term, "x.2", CibdInTest.option("a")); // as when the primary was started anew and knows no requests
    hold(1, term, 1, 1);
    hold(2, term, 1, 1);
    assertEquals(List.of("x.2 NO_QUORUM"), ended());
  }

  private void force(String id, String value) {
    var update =
        new CibMessage.Update(
            List.of(CibdInTest.option(value)), true, "hacluster", "test", 60_000);
    node.says(2, new CibPeerMessage.Forward(term, id, update, null));
  }

  @Test
  void aChangeForcedWithoutQuorumIsConfirmedWhenItIsAskedForAgain() {
    node.here(false, 1, 2);
    force("x.1", "a");
    ended();
    force("x.1", "a");
    assertEquals(List.of(), ended());
    hold(2, term, 1, 1);

    assertTrue(ended().contains("x.1 OK"));
  }

  @Test
  void forceDoesNotConfirmAChangeThatTheQuorateNodesMayUndo() {
    force("x.1", "a");
    node.here(false, 1, 2);
    ended();
    force("x.1", "a");

    assertEquals(List.of("x.1 NO_QUORUM"), ended());
  }

  @Test
  void whereTheQuorumIsIgnoredAChangeThatIsAskedForAgainIsConfirmed() {
    var policy = Element.of("nvpair", "id", "q", "name", "no-quorum-policy", "value", "ignore");
    var set = Element.builder("cluster_property_set").attr("id", "o").add(policy).build();
    var forced =
        new CibMessage.Update(
            List.of(CibOp.put("crm_config", set)), true, "hacluster", "test", 60_000);
    node.here(false, 1, 2);
    node.says(2, new CibPeerMessage.Forward(term, "x.1", forced, null));
    ask(term, "x.2", CibdInTest.option("a"));
    ask(term, "x.2", CibdInTest.option("a"));
    assertEquals(List.of(), ended());
    hold(2, term, 2, 2);

    assertTrue(ended().contains("x.2 OK"));
  }

  @Test
  void aRepeatedRequestIsConfirmedOnlyOnceAllMembersHoldTheCopyIfThereIsNoQuorum() {
    ask(term, "x.1", CibdInTest.status("1"));
    node.here(false, 1, 2);
    node.client().ask(new CibMessage.SetPrimary(6));
    var again = node.sent(CibPeerMessage.Collect.class).getLast().term();
    node.says(2, node.asHere(again));
    assertTrue(node.cibd.primary().isPrimary());
    node.sent();

    ask(again, "x.1", CibdInTest.status("1"));
    assertEquals(List.of(), ended(), "node 2 has acknowledged nothing of the new term");
    hold(2, again, 0, 0);
    assertEquals(List.of("x.1 OK"), ended());
  }

  @Test
  void aChangeThatWasForcedIsNotMadeIfNoDiskKeepsIt() {
    node.world.disk().fails("no space left on device");
    node.here(false, 1, 2);
    force("x.1", "a");
    ended();
    force("x.2", "b");

    assertEquals(List.of("x.2 CIB_SAVE"), ended());
  }

  @Test
  void aStatusFromJustBeforeTheLossOfQuorumIsConfirmedByTheMembersLeft() {
    ask(term, "x.1", CibdInTest.option("a"));
    ask(term, "x.2", CibdInTest.status("1"));
    assertEquals(List.of(), ended(), "no other node holds them");
    node.here(false, 1);
    hold(1, term, 2, 2);
    assertEquals(List.of("x.2 OK"), ended(), "the configuration may be undone");
  }

  /// Were only the latter confirmed, and lost as others go on, the former would be asked for again and be there at the end.
  @Test
  void ofTwoSuchChangesOneThatWasAskedForAgainIsConfirmedBeforeTheLaterOne() {
    ask(term, "x.1", CibdInTest.status("1"));
    ask(term, "x.1", CibdInTest.status("1"));
    ask(term, "x.2", CibdInTest.status("2"));
    assertEquals(List.of(), ended(), "no other node holds them");
    node.here(false, 1);
    hold(1, term, 2, 1);
    assertEquals(List.of("x.1 OK", "x.1 OK", "x.2 OK"), ended());
  }

  @Test
  void withADiskThatFailsTheConfigurationIsChangedOnlyIfTheOthersCanKeepIt() {
    node.world.disk().fails("no space left on device");
    ask(term, "x.1", CibdInTest.option("a")); // it is not known yet that the disk fails
    hold(2, term, 1, 1);
    assertEquals(List.of(), ended());
    hold(3, term, 1, 1);
    assertEquals(List.of("x.1 OK"), ended(), "two disks of three");
    ask(term, "x.4", CibdInTest.option("c"));
    hold(2, term, 2, 2);
    hold(3, term, 2, 2);
    assertEquals(List.of("x.4 OK"), ended(), "now it is known, but the others can keep the change");

    node.here(true, 1, 2);
    ask(term, "x.2", CibdInTest.option("b"));
    assertEquals(List.of("x.2 CIB_SAVE"), ended());
    ask(term, "x.3", CibdInTest.status("1"));
    hold(2, term, 3, 2);
    assertEquals(List.of("x.3 OK"), ended(), "the status needs no disk");
  }

  @Test
  void whoeverFollowsTheCopyHearsThatItWasReplaced() {
    var watching = node.client().ask(new CibMessage.Subscribe());
    var line = node.cibd.copy().line();
    node.says(3, new CibPeerMessage.Announce(9L << 32 | 3, 6, true, 4, line, 4711));
    var before = watching.events().size();
    var whole = XmlWriter.compact(node.cibd.copy().cib().with("epoch", "42"));
    node.says(
        3,
        new CibPeerMessage.Whole(
            9L << 32 | 3,
            4,
            line,
            node.cibd.copy().history(),
            whole,
            List.of()));
    var events = watching.events();
    assertEquals(before + 1, events.size());
    var copy = (CibMessage.Copy) events.getLast();
    assertTrue(copy.xml().contains("epoch=\"42\""), copy::xml);
  }

  @Test
  void aDaemonThatIsAskedToEndWaitsForItsDisk() {
    node.world.disk().waits(true);
    ask(term, "x.1", CibdInTest.option("a"));
    node.world.terminate();
    assertNull(node.world.exitStatus());
    node.world.disk().waits(false);
    node.pass(Duration.ofSeconds(3));
    assertEquals(0, node.world.exitStatus());
    var onDisk = node.world.disk().files().values().stream().map(String::new).toList();
    assertTrue(onDisk.stream().anyMatch(it -> it.contains("o-a")));
  }
}
