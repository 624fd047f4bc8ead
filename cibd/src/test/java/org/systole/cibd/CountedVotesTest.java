package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;

/// What the primary confirms where `last_man_standing` has left nodes out that are back, and whose votes do not count yet. Those whose votes
/// count may go on without them: nothing may be with the others alone, however many they are.
final class CountedVotesTest {
  private final CibdInTest node = new CibdInTest(5, Map.of());
  private long term;

  /// All five are members, and this node is to be the primary.
  private void asksAll(List<List<Integer>> counted) {
    node.counting(counted, 1, 2, 3, 4, 5);
    node.client().ask(new CibMessage.SetPrimary(5));
    term = node.sent(CibPeerMessage.Collect.class).getLast().term();
  }

  private void leads(List<List<Integer>> counted) {
    asksAll(counted);
    for (var other = 2; other <= 5; other++) {
      node.says(other, node.asHere(term));
    }
    node.sent();
  }

  private List<String> hold(int from) {
    node.says(from, new CibPeerMessage.Ack(term, 1, 1));
    return node.sent(CibPeerMessage.Outcome.class).stream().map(it -> it.id() + " " + it.rc()).toList();
  }

  private void write() {
    var update = new CibMessage.Update(List.of(CibdInTest.option("a")), false, "hacluster", "test", 60_000);
    node.says(2, new CibPeerMessage.Forward(term, "x.1", update, null));
  }

  @Test
  void aChangeIsConfirmedOnceMostOfThoseWhoCountHaveIt() {
    leads(List.of(List.of(1, 2, 3)));
    write();
    assertEquals(List.of(), hold(4));
    assertEquals(List.of(), hold(5), "three of five, but one of those three who may go on alone");
    assertEquals(List.of("x.1 OK"), hold(2));
  }

  @Test
  void whatIsProposedCountsAsWell() {
    leads(List.of(List.of(1, 4, 5), List.of(1, 2, 3)));
    write();
    assertEquals(List.of(), hold(4));
    assertEquals(List.of(), hold(5));
    assertEquals(List.of("x.1 OK"), hold(2));
  }

  @Test
  void ofThoseWhoCountAllWhoAreThereAreEnough() {
    leads(List.of(List.of(1, 2)));
    write();
    node.counting(List.of(List.of(1, 2)), 1, 3, 4, 5);
    assertEquals(List.of(), hold(3));
    assertEquals(List.of("x.1 OK"), hold(4));
  }

  @Test
  void onceAllCountAgainMostOfAllAreEnough() {
    leads(List.of(List.of(1, 2)));
    write();
    assertEquals(List.of(), hold(3));
    assertEquals(List.of(), hold(4));
    node.here(true, 1, 2, 3, 4, 5);
    assertEquals(List.of("x.1 OK"), node.sent(CibPeerMessage.Outcome.class).stream().map(it -> it.id() + " " + it.rc()).toList());
  }

  /// Two of three have it, and two that are new would be enough with the third one.
  @Test
  void ofAListThatIsToComeMostAreNeededToo() {
    leads(List.of());
    node.coming(List.of(List.of(1, 1, 1, 1, 1, 1, 1)), 1, 2, 3, 4, 5);
    write();
    assertEquals(List.of(), hold(4));
    assertEquals(List.of(), hold(5));
    assertEquals(List.of("x.1 OK"), hold(2), "four of seven");
  }

  @Test
  void ofAListThatIsToComeAllWhoAreThereAreEnough() {
    leads(List.of());
    node.coming(List.of(List.of(1, 1, 1, 1, 1, 1, 1, 1, 1)), 1, 2, 3, 4);
    write();
    assertEquals(List.of(), hold(4));
    assertEquals(List.of(), hold(3));
    assertEquals(List.of("x.1 OK"), hold(2));
  }

  @Test
  void votesCountAsTheListThatIsToComeHasThem() {
    leads(List.of());
    node.coming(List.of(List.of(1, 1, 1, 1, 4)), 1, 2, 3, 4, 5);
    write();
    assertEquals(List.of(), hold(4));
    assertEquals(List.of(), hold(2));
    assertEquals(List.of(), hold(3));
    assertEquals(List.of("x.1 OK"), hold(5));
  }

  @Test
  void aTakeoverTakesMostOfThoseWhoCount() {
    asksAll(List.of(List.of(1, 2, 3)));
    node.groupIs(1, 4, 5); // the CIB managers of the others are being started
    node.says(4, node.asHere(term)).says(5, node.asHere(term));
    assertEquals(false, node.sent(CibPeerMessage.Announce.class).getLast().established());
    assertEquals(List.of(), node.inStep());
  }
}
