package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibQuery;
import org.systole.common.output.Rc;
import org.systole.common.world.TestWorld;

/// Users who ask for much do not hold up others for long.
final class GuestsTest {
  private final TestWorld world = new TestWorld();
  private final List<String> done = new ArrayList<>();

  @Test
  void whatElseWaitsIsServedBetweenTwoRequestsOfGuests() {
    var turns = new GuestTurns(world);
    for (var i = 0; i < 3; i++) {
      var name = "a" + i;
      turns.add("a", () -> takesASecond(name));
    }
    turns.add("b", () -> takesASecond("b0"));
    world.post(() -> done.add("peer"));

    world.settle();
    assertEquals(List.of("a0", "peer"), done);
    world.post(() -> done.add("peer"));
    world.pass(Duration.ofMillis(999));
    assertEquals(List.of("a0", "peer", "peer"), done);
    world.pass(Duration.ofSeconds(10));

    assertEquals(List.of("a0", "peer", "peer", "b0", "a1", "a2"), done);
  }

  private void takesASecond(String name) {
    done.add(name);
    world.passes(Duration.ofSeconds(1));
  }

  @Test
  void aGuestWithTooManyRequestsIsRefusedAndTheClusterServed() {
    var node = new CibdInTest().here(true, 1, 2, 3);
    var guest = node.guest();
    for (var i = 0; i < 501; i++) {
      guest.askLater(new CibMessage.Query(CibQuery.ALL, ""));
    }
    var own = node.client();
    own.askLater(new CibMessage.Ping());
    node.world.settle();

    assertInstanceOf(CibMessage.Status.class, own.replies().getFirst());
    var answers = new ArrayList<>(guest.answers());
    assertEquals(Rc.EBUSY, answers.removeFirst().rc());
    node.pass(Duration.ofSeconds(1));
    answers.addAll(guest.answers());
    assertTrue(answers.stream().allMatch(it -> it.rc().isOk()), answers::toString);
    assertEquals(500, answers.size());
  }

  @Test
  void requestsOfAGuestThatHasGoneAreNotServed() {
    var node = new CibdInTest().here(true, 1, 2, 3).follow(2, 3L << 32 | 2);
    node.sent();
    var guest = node.guest();
    guest.askLater(
        new CibMessage.Update(List.of(CibdInTest.status("1")), false, "", "test", 60_000));
    guest.leave();
    node.pass(Duration.ofSeconds(1));

    assertEquals(List.of(), node.sent(CibPeerMessage.Forward.class));
  }
}
