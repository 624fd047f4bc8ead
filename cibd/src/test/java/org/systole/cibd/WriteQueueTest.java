package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.values.NodeId;
import org.systole.common.world.TestWorld;

/// Which requests the primary carries out first, and which wait.
final class WriteQueueTest {
  private final TestWorld world = new TestWorld();
  private final List<List<String>> flushes = new ArrayList<>();
  private final WriteQueue queue = new WriteQueue(world, this::flush);
  private Duration each = Duration.ZERO; // how long each takes to carry out

  private void flush() {
    var ids = new ArrayList<String>();
    for (var turn = queue.take(); turn.hasNext(); ) {
      ids.add(turn.next().ask().id());
      world.passes(each);
    }
    flushes.add(ids);
  }

  private boolean add(String id, String user, @Nullable List<String> groups) {
    var update = new CibMessage.Update(List.of(), false, user, "test", 1_000);
    return queue.add(
        new Writes.Forwarded(new NodeId(2), new CibPeerMessage.Forward(1, id, update, groups)));
  }

  private void guest(String user, int count) {
    IntStream.range(0, count).forEach(at -> assertTrue(add(user + at, user, List.of())));
  }

  @Test
  void theClustersOwnGoFirstAndGuestsTakeTurns() {
    guest("a", 3);
    guest("b", 1);
    add("own", "hacluster", null);

    world.pass(Duration.ofSeconds(1));

    assertEquals(List.of(List.of("own", "a0", "b0", "a1", "a2")), flushes);
  }

  @Test
  void afterATenthOfASecondNoGuestsIsBegunAndAsLongAsItTookTheClusterIsAlone() {
    each = Duration.ofMillis(60);
    guest("a", 3);
    world.settle();
    assertEquals(List.of(List.of("a0", "a1")), flushes);

    add("own", "hacluster", null);
    world.settle();
    assertEquals(List.of("own"), flushes.getLast());
    world.pass(Duration.ofMillis(59));
    assertEquals(2, flushes.size());
    world.pass(Duration.ofMillis(2));

    assertEquals(List.of("a2"), flushes.getLast());
  }

  @Test
  void aGuestThatFillsItsPlaceLeavesRoomForOthers() {
    guest("a", 1_000);
    assertFalse(add("one too many", "a", List.of()));
    assertTrue(add("b", "b", List.of()));
    assertTrue(add("own", "hacluster", null));
  }

  @Test
  void onlyALimitedNumberIsCarriedOutTogether() {
    for (var i = 0; i < 501; i++) {
      add("own" + i, "hacluster", null);
    }
    guest("a", 60);
    world.pass(Duration.ofSeconds(1));

    assertEquals(550, flushes.getFirst().size());
    assertEquals("own500", flushes.get(1).getFirst());
    assertEquals(561, flushes.stream().mapToInt(List::size).sum());
  }
}
