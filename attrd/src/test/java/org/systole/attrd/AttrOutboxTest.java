package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;

/// What node1 broadcasts, and when.
class AttrOutboxTest {
  private static final NodeName HERE = new NodeName("node1");

  private final TestWorld world = new TestWorld();
  private final List<AttrPeerMessage> told = new ArrayList<>();
  private final AttrOutbox outbox =
      new AttrOutbox(
          world,
          told::add,
          it -> it.node() == null ? AttrUpdates.set(it.name(), HERE, it.value()) : it);

  private boolean put(Update update) {
    return outbox.put(new AttrPeerMessage.Apply(0, update, false));
  }

  private boolean set(String name, String value) {
    return put(AttrUpdates.set(name, null, value));
  }

  private void setHere(String name, int length) {
    put(AttrUpdates.set(name, HERE, "x".repeat(length)));
  }

  private void pass(long millis) {
    world.pass(Duration.ofMillis(millis));
  }

  /// The sizes of the batches that were broadcast.
  private List<Integer> sizes() {
    return batches().stream().map(it -> it.updates().size()).toList();
  }

  private List<AttrPeerMessage.Batch> batches() {
    return told.stream()
        .filter(AttrPeerMessage.Batch.class::isInstance)
        .map(AttrPeerMessage.Batch.class::cast)
        .toList();
  }

  /// What a batch sets, in its order.
  private static List<String> content(AttrPeerMessage.Batch batch) {
    return batch.updates().stream()
        .map(it -> it.update().name() + "=" + it.update().value())
        .toList();
  }

  /// The batch under way comes back, and the next one is sent.
  private void comesBack() {
    outbox.arrived(batches().getLast().number());
    pass(10);
  }

  @Test
  void nothingIsBroadcastBeforeTheClusterIsThere() {
    set("a", "1");
    pass(100);
    assertEquals(List.of(), told);
    outbox.joined();
    pass(0);
    assertEquals(List.of("a=1"), content(batches().getFirst()));
    assertEquals(HERE, batches().getFirst().updates().getFirst().update().node());
  }

  @Test
  void oneBatchIsOnItsWayAtATimeAndTheNextFollowsAMomentAfterItsReturn() {
    outbox.joined();
    set("a", "1");
    pass(0);
    set("b", "2");
    set("c", "3");
    pass(1000);
    assertEquals(List.of(1), sizes());
    outbox.arrived(batches().getLast().number());
    pass(0);
    assertEquals(List.of(1, 2), sizes());
    set("d", "4");
    outbox.arrived(batches().getLast().number());
    pass(9);
    assertEquals(List.of(1, 2), sizes(), "not within a moment");
    pass(1);
    assertEquals(List.of(1, 2, 1), sizes());
  }

  @Test
  void theReturnOfAnEarlierBatchOrOfNoneIsNotThatOfThisOne() {
    outbox.joined();
    set("a", "1");
    pass(0);
    set("b", "2");
    comesBack();
    set("c", "3");
    outbox.arrived(batches().getFirst().number());
    outbox.arrived(0);
    pass(100);
    assertEquals(List.of(1, 1), sizes());
  }

  @Test
  void aBatchHasAtMostFiveHundredUpdates() {
    for (var count = 0; count < 1001; count++) {
      set("a" + count, "1");
    }
    outbox.joined();
    pass(0);
    comesBack();
    comesBack();
    assertEquals(List.of(500, 500, 1), sizes());
  }

  @Test
  void aBatchTakesNothingMoreOnceItHas256Kibibytes() {
    var value = "x".repeat(64 << 10);
    for (var count = 0; count < 6; count++) {
      set("a" + count, value);
    }
    outbox.joined();
    pass(0);
    comesBack();
    assertEquals(List.of(4, 2), sizes());
  }

  @Test
  void aValueThatIsReplacedTakesNoRoom() {
    var value = "x".repeat(64 << 10);
    for (var count = 0; count < 20; count++) {
      set("same", value + count);
    }
    set("other", "1");
    outbox.joined();
    pass(0);
    assertEquals(List.of(2), sizes());
    assertTrue(content(batches().getFirst()).getFirst().endsWith("19"));
  }

  @Test
  void waitingUpdatesAreCountedInBytesUntilTheirBatchIsBack() {
    assertEquals(0, outbox.bytes());
    setHere("name", 1000);
    var one = outbox.bytes();
    assertTrue(one > 1000 && one < 1500, () -> "" + one);
    setHere("name", 2000);
    assertEquals(one + 1000, outbox.bytes(), "the one before is not sent");
    setHere("more", 1000);
    assertEquals(2 * one + 1000, outbox.bytes());
    outbox.joined();
    pass(0);
    assertEquals(2 * one + 1000, outbox.bytes(), "it is on its way");
    setHere("name", 1000);
    assertEquals(3 * one + 1000, outbox.bytes());
    comesBack();
    assertEquals(one, outbox.bytes());
    comesBack();
    assertEquals(0, outbox.bytes());
  }

  @Test
  void noMoreThanTenThousandUpdatesWaitNotCountingReplacedOnes() {
    for (var count = 0; count < 9_999; count++) {
      assertTrue(set("a" + count, "1"));
    }
    assertTrue(set("a9998", "2"), "in the place of the one before");
    assertTrue(outbox.put(new AttrPeerMessage.Confirm(7)));
    assertFalse(set("b", "1"));
    assertFalse(outbox.put(new AttrPeerMessage.Confirm(8)));

    outbox.joined();
    pass(0);
    for (var count = 0; count < 500; count++) {
      assertTrue(set("c" + count, "1"), "the first batch has gone");
    }
    assertFalse(set("d", "1"));
    for (var count = 0; count < 25; count++) {
      comesBack();
    }
    assertEquals(1, told.stream().filter(AttrPeerMessage.Confirm.class::isInstance).count());
    for (var count = 0; count < 9_999; count++) {
      assertTrue(set("e" + count, "1"), "all have gone");
    }
  }

  @Test
  void aBatchThatDoesNotComeBackIsGivenUpAfterTwentySeconds() {
    outbox.joined();
    set("a", "1");
    pass(0);
    set("b", "2");
    pass(19_999);
    assertEquals(1, sizes().size());
    pass(1);
    assertEquals(List.of("b=2"), content(batches().getLast()));
  }

  @Test
  void theWaitForABatchEndsWithItsReturn() {
    outbox.joined();
    set("a", "1");
    pass(0);
    pass(15_000);
    set("b", "2");
    comesBack();
    assertEquals(2, sizes().size());
    set("c", "3");
    pass(19_000);
    assertEquals(2, sizes().size(), "the second one has its own twenty seconds");
  }

  @Test
  void updatesThatWaitWhenTheClusterIsLostAreSentWhenItIsBack() {
    outbox.joined();
    set("a", "1");
    pass(0);
    set("b", "2");
    outbox.lost();
    pass(1_000);
    assertEquals(1, sizes().size());
    outbox.joined();
    pass(0);
    assertEquals(List.of("b=2"), content(batches().getLast()), "nothing waits for the lost one");
  }

  @Test
  void otherMessagesKeepTheirPlaceAmongTheUpdates() {
    set("a", "1");
    outbox.put(new AttrPeerMessage.Confirm(7));
    set("a", "2");
    outbox.joined();
    pass(0);
    assertEquals(1, told.size(), "it waits for the batch before it");
    comesBack();
    assertEquals(new AttrPeerMessage.Confirm(7), told.get(1));
    assertEquals(List.of("a=2"), content(batches().getLast()), "and the value after it stays after");
  }

  @Test
  void anUpdateThatCountsUpOrIsWaitedForIsNeverReplaced() {
    set("a", "1");
    set("a", "value++");
    set("a", "value++");
    put(AttrUpdates.waiting(AttrUpdates.set("a", HERE, "5"), Wait.CLUSTER));
    set("a", "6");
    set("a", "7");
    outbox.joined();
    pass(0);
    assertEquals(
        List.of("a=1", "a=value++", "a=value++", "a=5", "a=7"), content(batches().getFirst()));
  }

  @Test
  void onlyTheSameAttributeOfTheSameNodeIsReplaced() {
    put(AttrUpdates.set("a", new NodeName("node2"), "1"));
    put(AttrUpdates.set("a", new NodeName("NODE2"), "2"));
    put(AttrUpdates.set("a", new NodeName("node3"), "3"));
    var once = AttrUpdates.set("a", new NodeName("node2"), "4");
    put(
        new Update(
            once.change(),
            once.name(),
            once.pattern(),
            once.node(),
            once.value(),
            5000,
            Kind.TRANSIENT,
            once.remote(),
            once.until()));
    outbox.joined();
    pass(0);
    assertEquals(List.of("a=2", "a=3", "a=4"), content(batches().getFirst()));
  }
}
