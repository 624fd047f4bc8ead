package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Done;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.NodeValue;
import org.systole.attrd.client.AttrMessage.Outcome;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;

/// How the attribute manager of node1 handles requests of clients and messages of its peers. There
/// is no CIB.
final class AttrdTest extends AttrdUnderTest {
  @Test
  void anUpdateWithoutANodeIsOfThisOne() {
    assertEquals(ok(), ask(set("color", "red")));
    assertEquals("red", value("color", "node1"));
    assertEquals("red", value("color", "localhost"));
    assertEquals("null", value("color", "node2"));
    assertEquals("unknown", value("size", ""));
  }

  @Test
  void anUpdateOfAnotherNodeIsAppliedAndConfirmedIfItWaits() {
    var update = AttrUpdates.set("color", new NodeName("node2"), "blue");
    says(2, new AttrPeerMessage.Batch(1, List.of(new AttrPeerMessage.Apply(9, update, true))));
    assertEquals("blue", value("color", "node2"));
    assertEquals(List.of("2 Confirm[request=9]"), confirmations);
    says(2, new AttrPeerMessage.Batch(2, List.of(new AttrPeerMessage.Apply(10, update, false))));
    assertEquals(1, confirmations.size(), "nobody asked for it");
  }

  @Test
  void anUpdateThatWaitsForTheClusterIsAnsweredWhenAllHaveConfirmed() {
    var id = client.ask(AttrUpdates.waiting(set("color", "red"), Wait.CLUSTER));
    pass(20);
    assertNull(client.answerTo(id));
    var request = batches().getLast().updates().getFirst().request();
    says(2, new AttrPeerMessage.Confirm(request));
    assertNull(client.answerTo(id));
    says(2, new AttrPeerMessage.Confirm(request));
    assertNull(client.answerTo(id), "the same node twice is not two");
    says(3, new AttrPeerMessage.Confirm(request));
    assertEquals(ok(), client.answerTo(id));
  }

  @Test
  void nobodyWaitsForANodeThatIsGone() {
    var id = client.ask(AttrUpdates.waiting(set("color", "red"), Wait.CLUSTER));
    pass(20);
    says(2, new AttrPeerMessage.Confirm(batches().getLast().updates().getFirst().request()));
    goes(3);
    assertEquals(ok(), client.answerTo(id));
  }

  @Test
  void aMissingConfirmationFailsTheUpdateAfterTwentySeconds() {
    var id = client.ask(AttrUpdates.waiting(set("color", "red"), Wait.CLUSTER));
    pass(19_999);
    assertNull(client.answerTo(id));
    pass(2);
    assertEquals(
        new Done(Outcome.FAILED, "not every node confirmed the update within 20s"),
        client.answerTo(id));
  }

  @Test
  void anUpdateThatWaitsForThisNodeIsAnsweredWhenItIsApplied() {
    echoes = false;
    var id = client.ask(AttrUpdates.waiting(set("color", "red"), Wait.LOCAL));
    pass(20);
    assertNull(client.answerTo(id));
    assertEquals("unknown", value("color", ""));
    says(1, batches().getLast());
    assertEquals(ok(), client.answerTo(id));
    assertEquals("red", value("color", ""));
  }

  @Test
  void waitingUpdatesFailWhenTheClusterIsLost() {
    echoes = false;
    var id = client.ask(AttrUpdates.waiting(set("color", "red"), Wait.LOCAL));
    pass(20);
    link.drop("the link died");
    var done = (Done) client.answerTo(id);
    assertEquals(Outcome.FAILED, done.outcome());
    assertTrue(done.why().startsWith("the cluster is lost: "), done::toString);
  }

  @Test
  void ofManyChangesOfOneAttributeOnlyTheLastIsSent() {
    echoes = false;
    client.ask(set("first", "0")); // its batch is on its way
    pass(20);
    for (var i = 1; i <= 100; i++) {
      client.ask(set("color", "c" + i));
    }
    client.ask(set("size", "big"));
    says(1, batches().getLast());
    pass(20);
    var sent = batches().getLast().updates().stream().map(AttrPeerMessage.Apply::update).toList();
    assertEquals(List.of("c100", "big"), sent.stream().map(Update::value).toList());
    assertEquals(2, batches().size());
  }

  @Test
  void anUpdateThatCountsUpIsNeverLeftOut() {
    for (var i = 0; i < 5; i++) {
      client.ask(set("fails", "value++"));
    }
    client.ask(set("fails", "value+=10"));
    pass(50);
    assertEquals("15", value("fails", ""));
    ask(set("fails", "INFINITY"));
    ask(set("fails", "value++"));
    assertEquals("1000000", value("fails", ""), "there is no more");
    ask(set("word", "valuepp"));
    assertEquals("valuepp", value("word", ""));
  }

  @Test
  void moreThanTenThousandWaitingUpdatesAreRefused() {
    link.drop("the link died");
    for (var i = 0; i < 10_000; i++) {
      client.ask(set("a" + i, "x"));
    }
    assertEquals(
        new Done(
            Outcome.FAILED, "too many updates wait to be sent to the cluster; try again later"),
        client.answer(set("more", "x")));
  }

  @Test
  void aBatchThatIsLostOnTheWayDoesNotHoldUpOthersForEver() {
    echoes = false;
    client.ask(set("a", "1"));
    pass(50);
    client.ask(set("b", "2"));
    pass(19_000);
    assertEquals(1, batches().size());
    pass(2_000);
    assertEquals("b", batches().getLast().updates().getFirst().update().name());
  }

  @Test
  void aPatternChangesOnlyTheAttributesItMatches() {
    ask(set("fail-a", "1"));
    ask(set("fail-b", "2"));
    ask(set("other", "3"));
    assertEquals(ok(), ask(pattern("^fail-", Change.VALUE, "9", -1)));
    assertEquals("9", value("fail-a", ""));
    assertEquals("9", value("fail-b", ""));
    assertEquals("3", value("other", ""));
  }

  @Test
  void anInvalidUpdateIsRefused() {
    assertEquals(Outcome.REFUSED, ask(pattern("", Change.VALUE, "9", -1)).outcome());
    var regex = pattern("([a", Change.VALUE, "9", -1);
    assertEquals(Outcome.REFUSED, ask(AttrUpdates.waiting(regex, Wait.LOCAL)).outcome());
    var delay = new Update(Change.DELAY, "none", "", null, null, 5, Kind.TRANSIENT, false, Wait.NO);
    assertEquals(
        new Done(Outcome.MISSING, "Attribute none does not exist"),
        client.answer(AttrUpdates.waiting(delay, Wait.CLUSTER)));
    assertEquals(List.of(), batches());
  }

  /// Who does not wait is told that the request has come, and the log what became of it.
  @Test
  void whatIsNotThereIsAMistakeForTheLogWhereNobodyWaits() {
    assertEquals(ok(), ask(pattern("([a", Change.VALUE, "9", -1)));
    assertTrue(
        world.logged(
            "WARNING: Processed update request from client root: Error (Bad regex '([a' for update from client root)"),
        world.lines()::toString);
    var delay = new Update(Change.DELAY, "none", "", null, null, 5, Kind.TRANSIENT, false, Wait.NO);
    assertEquals(ok(), ask(delay));
    assertTrue(
        world.logged(
            "WARNING: Processed update-delay request from client root: Error (Attribute none does not exist)"),
        world.lines()::toString);
    assertEquals(List.of(), batches());
  }

  private static Update delayed(Change change, String value, long delay, String wrong) {
    return new Update(
        change, "color", "", null, value, delay, Kind.TRANSIENT, false, Wait.NO, null, wrong);
  }

  /// An update of value and delay without a delay changes neither.
  @Test
  void aDelayThatIsMissingOrNoneChangesNothing() {
    ask(set("color", "red"));
    broadcasts.clear();
    assertEquals(ok(), ask(delayed(Change.VALUE_AND_DELAY, "blue", -1, null)));
    assertTrue(world.logged("WARNING: Could not update color: peer did not specify value for delay"));
    assertEquals(ok(), ask(delayed(Change.DELAY, null, -1, "soon")));
    assertTrue(
        world.logged("WARNING: 'soon' is not a valid time duration: Bad input value provided"));
    assertTrue(world.logged("WARNING: Could not update color: invalid delay value 0ms (soon)"));
    assertEquals(ok(), ask(delayed(Change.VALUE_AND_DELAY, "blue", -1, "-3")));
    assertTrue(world.logged("WARNING: Could not update color: invalid delay value -3000ms (-3)"));
    assertEquals("red", value("color", ""));
    assertEquals(List.of(), batches());
  }

  @Test
  void aChangedDelayIsToldAsItWasAskedFor() {
    ask(set("color", "red"));
    assertEquals(ok(), ask(delayed(Change.DELAY, null, 60_000, "1min")));
    assertTrue(world.logged("INFO: Update attribute color delay to 60000ms (1min)"));
    assertEquals(ok(), ask(delayed(Change.VALUE_AND_DELAY, "blue", 2_000, "2")));
    assertTrue(world.logged("INFO: Update attribute color delay to 2000ms (2)"));
    assertEquals("blue", value("color", ""));
  }

  @Test
  void aNewAttributeWhoseDelayIsNoneHasNone() {
    assertEquals(ok(), ask(delayed(Change.VALUE, "red", -1, "-3")));
    assertTrue(world.logged("WARNING: Ignoring invalid delay -3 for attribute color"));
    assertEquals("red", value("color", ""));
    var sent = batches().getLast().updates().getFirst().update();
    assertEquals(-1, sent.delayMillis());
    assertNull(sent.delayText(), "a word for this manager's log, not for the others");
  }

  /// In the log it was called invalid, and was there all the same.
  @Test
  void aNewAttributeHasTheDelayOfTheUpdateThatMakesIt() {
    assertEquals(ok(), ask(delayed(Change.VALUE_AND_DELAY, "red", 5_000, "5s")));
    assertFalse(world.logged("Ignoring invalid delay"), world.lines()::toString);
    assertEquals(5_000, batches().getLast().updates().getFirst().update().delayMillis());
  }

  /// What an update says for the log goes to all managers in one message, like the rest of it.
  @Test
  void aDelayThatIsSaidAtLengthIsRefused() {
    var asked = "5" + " ".repeat(AttrLimits.UPDATE_MAX);
    assertEquals(Outcome.REFUSED, ask(delayed(Change.VALUE_AND_DELAY, "red", 5_000, asked)).outcome());
    assertEquals(Outcome.REFUSED, ask(delayed(Change.VALUE, "red", -1, asked)).outcome());
    assertEquals(List.of(), batches());
  }

  /// Only the type of its name says what a node can be called.
  @Test
  void anyNodeNameThatTheTypeAllowsIsAccepted() {
    var odd = new NodeName("n']|//*['\"<&>/");
    assertEquals(Outcome.OK, ask(AttrUpdates.set("color", odd, "red")).outcome());
    assertEquals("red", value("color", odd.text()));
    ask(new AttrMessage.ClearFailures(null, "", 0, odd));
    assertEquals("red", value("color", odd.text()));
    assertEquals(Outcome.OK, ask(new AttrMessage.RemoveNode(odd, false)).outcome());
    assertEquals("null", value("color", odd.text()));
  }

  @Test
  void failuresAreForgottenByResourceOperationAndNode() {
    for (var name :
        List.of("fail-count-a#start_0", "last-failure-a#start_0", "fail-count-ab#start_0")) {
      ask(set(name, "1"));
    }
    ask(AttrUpdates.set("fail-count-a#start_0", new NodeName("node2"), "1"));
    ask(new AttrMessage.ClearFailures(new ResourceId("a"), "", 0, new NodeName("node1")));
    assertEquals("null", value("fail-count-a#start_0", "node1"));
    assertEquals("null", value("last-failure-a#start_0", "node1"));
    assertEquals("1", value("fail-count-a#start_0", "node2"));
    assertEquals("1", value("fail-count-ab#start_0", "node1"));
    ask(new AttrMessage.ClearFailures(null, "", 0, null));
    assertEquals("null", value("fail-count-a#start_0", "node2"));
    assertEquals("null", value("fail-count-ab#start_0", "node1"));
  }

  @Test
  void theAttributesOfANodeThatLeavesAreForgotten() {
    ask(AttrUpdates.set("color", new NodeName("node2"), "blue"));
    ask(AttrUpdates.set("color", new NodeName("node3"), "green"));
    goes(2);
    assertEquals("null", value("color", "node2"));
    assertEquals("green", value("color", "node3"));
    assertTrue(world.logged("Removing all node2 attributes for node loss"), world.lines()::toString);
  }

  @Test
  void aRemoteNodeKeepsItsAttributesWhenAMemberOfItsNameIsTurnedDown() {
    ask(AttrUpdates.set("color", new NodeName("node2"), "blue", true));
    ask(AttrUpdates.set("size", new NodeName("node2"), "big"));
    goes(2);
    assertEquals("blue", value("color", "node2"));
    assertEquals("null", value("size", "node2"));
  }

  @Test
  void aNodeThatLeavesAndIsBackAtOnceHasLeft() {
    ask(AttrUpdates.set("color", new NodeName("node2"), "blue"));
    members.remove(2);
    comes(2);
    assertEquals("null", value("color", "node2"));
  }

  @Test
  void aNodesOwnValuesReplaceThoseKnownHere() {
    ask(AttrUpdates.set("color", new NodeName("node2"), "blue"));
    ask(AttrUpdates.set("color", new NodeName("node3"), "green"));
    var own = List.of(known("size", "node2", "big"));
    says(2, new AttrPeerMessage.Tell(false, own, List.of()));
    assertEquals("null", value("color", "node2"));
    assertEquals("big", value("size", "node2"));
    assertEquals("green", value("color", "node3"));
  }

  @Test
  void aManagerThatHasJustStartedDoesNotWipeItsNode() {
    ask(AttrUpdates.set("color", new NodeName("node2"), "blue"));
    says(2, new AttrPeerMessage.Tell(true, List.of(), List.of()));
    assertEquals("blue", value("color", "node2"));
  }

  @Test
  void aNewcomerIsSentThisNodesValues() {
    ask(set("color", "red"));
    goes(3);
    broadcasts.clear();
    comes(3);
    var tell = (AttrPeerMessage.Tell) broadcasts.getFirst();
    assertFalse(tell.fresh());
    assertEquals(List.of(known("color", "node1", "red")), tell.own());
  }

  @Test
  void valuesThatChangedOnTheWayAreSentAgain() {
    ask(set("color", "red"));
    goes(3);
    echoes = false;
    comes(3);
    var tell = broadcasts.getLast();
    var other = AttrUpdates.set("color", new NodeName("node1"), "blue");
    says(2, new AttrPeerMessage.Batch(1, List.of(new AttrPeerMessage.Apply(0, other, false))));
    says(1, tell);
    var again = (AttrPeerMessage.Tell) broadcasts.getLast();
    assertEquals(List.of(known("color", "node1", "blue")), again.own());
  }

  @Test
  void whoComesIsNotToldAgainWhatWasSaidToOthersBefore() {
    ask(set("color", "red"));
    goes(3);
    goes(2);
    echoes = false;
    comes(2);
    var toThese = (AttrPeerMessage.Tell) broadcasts.getLast();
    comes(3);
    var toAll = (AttrPeerMessage.Tell) broadcasts.getLast();
    assertEquals(ids(1, 2, 3), toAll.present());
    says(2, batch("color", "node1", "blue"));
    says(1, toThese);
    var again = (AttrPeerMessage.Tell) broadcasts.getLast();
    assertEquals(ids(1, 2), again.present(), "node3 could not tell what it knows of");
    var count = broadcasts.size();
    says(1, toAll);
    assertEquals(ids(1, 2, 3), ((AttrPeerMessage.Tell) broadcasts.getLast()).present());
    assertEquals(count + 1, broadcasts.size());
  }

  @Test
  void failuresThatWereForgottenMeanwhileAreNotTakenFromWhatAPeerSaidBefore() {
    says(2, batch("fail-count-r#monitor_1000", "node2", "3"));
    goes(3);
    comes(3); // all speak now
    says(2, new AttrPeerMessage.Clear(new AttrMessage.ClearFailures(null, "", 0, null)));
    var old = List.of(known("fail-count-r#monitor_1000", "node2", "3"));
    says(2, new AttrPeerMessage.Tell(false, old, List.of()));
    assertEquals("null", value("fail-count-r#monitor_1000", "node2"));
  }

  @Test
  void aRemovedNodeIsForgottenWithoutHavingLeft() {
    ask(AttrUpdates.set("color", new NodeName("remote1"), "x", true));
    assertEquals(ok(), ask(new AttrMessage.RemoveNode(new NodeName("remote1"), true)));
    assertEquals("null", value("color", "remote1"));
  }

  @Test
  void anInvalidMessageIsIgnoredAndLogged() {
    link.event(new LinkMessage.Delivered(new NodeId(2), true, new byte[] {1, 2, 3}));
    world.settle();
    assertTrue(world.logged("Ignoring a message of node 2"), world.lines()::toString);
    assertEquals(ok(), ask(set("color", "red")));
  }

  @Test
  void nodesAreNamedInAnyCase() {
    ask(AttrUpdates.set("color", new NodeName("NODE2"), "blue"));
    assertEquals("blue", value("color", "node2"));
    var values = (AttrMessage.Values) client.answer(new AttrMessage.Query("color", null));
    assertEquals(List.of(new NodeValue(new NodeName("NODE2"), "blue")), values.values());
  }

  private static AttrPeerMessage counted(String mark) {
    var update = AttrUpdates.set("fail-count-a", new NodeName("node1"), "value++");
    var once = new AttrPeerMessage.Apply(0, AttrUpdates.once(update, mark), false);
    return new AttrPeerMessage.Batch(1, List.of(once));
  }

  @Test
  void whatIsAskedForAgainByItsNextManagerIsCountedOnceAndAJoinerIsToldOfIt() {
    says(2, counted("x-1"));
    goes(2);
    comes(2);
    says(2, new AttrPeerMessage.Tell(true, List.of(), List.of()));
    var told =
        broadcasts.stream()
            .filter(AttrPeerMessage.Tell.class::isInstance)
            .map(AttrPeerMessage.Tell.class::cast)
            .toList()
            .getLast();
    assertEquals(List.of("x-1"), told.own().getFirst().counted());
    says(2, counted("x-1"));
    assertEquals("1", value("fail-count-a", "node1"));
    says(2, counted("x-2"));
    assertEquals("2", value("fail-count-a", "node1"));
  }

  @Test
  void aMarkThatIsTooLongOrNoneIsRefused() {
    var update = AttrUpdates.set("a", null, "value++");
    assertEquals(ok(), ask(AttrUpdates.once(update, "0-x".repeat(13))));
    for (var wrong : List.of("", "x".repeat(41), "a b")) {
      assertEquals(Outcome.REFUSED, ask(AttrUpdates.once(update, wrong)).outcome());
    }
  }

  private static AttrPeerMessage batch(String name, String node, String value) {
    var update = AttrUpdates.set(name, new NodeName(node), value);
    return new AttrPeerMessage.Batch(1, List.of(new AttrPeerMessage.Apply(0, update, false)));
  }

  @Test
  void whatAPeerDidNotKnowWhenItSpokeIsNotTakenBackByWhatItSays() {
    var old = new AttrPeerMessage.Tell(false, List.of(known("a", "node2", "1")), List.of());
    says(2, batch("a", "node2", "1"));
    goes(3);
    comes(3); // all speak now
    says(2, batch("a", "node2", "2"));
    says(2, old);
    assertEquals("2", value("a", "node2"));
    says(2, new AttrPeerMessage.Tell(false, List.of(known("a", "node2", "2")), List.of()));
    assertEquals("2", value("a", "node2"));

    goes(3);
    comes(3);
    says(2, old);
    assertEquals("1", value("a", "node2"), "it is the authority on itself");
  }

  @Test
  void whatAPeerSaidBeforeItKnewOfThisNodeIsNotTaken() {
    says(2, batch("a", "node2", "2"));
    var old = List.of(known("a", "node2", "1"));
    says(2, new AttrPeerMessage.Tell(false, old, List.of(), ids(2, 3)));
    assertEquals("2", value("a", "node2"), "it was said to others, and says it again to this one");
    says(2, new AttrPeerMessage.Tell(false, old, List.of(), ids(1, 2, 3)));
    assertEquals("1", value("a", "node2"), "this one knows better");
  }

  private static List<NodeId> ids(int... numbers) {
    return IntStream.of(numbers).mapToObj(NodeId::new).toList();
  }
}
