package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.TestWorld;
import org.systole.pacemakerd.link.LinkPeerMessage.TieBreak;

final class TieBreakerTest {
  private static final NodeId ONE = new NodeId(1);
  private static final NodeId TWO = new NodeId(2);
  private static final NodeId THREE = new NodeId(3);

  private final TestWorld world = new TestWorld();

  private TieBreaker started(NodeId... list) {
    var it = new TieBreaker(world, List.of(list));
    it.start();
    return it;
  }

  @Test
  void theFirstOfTheListThatWasThereLastDecidesAfterARestartToo() {
    var it = started(ONE, THREE);
    assertNull(it.last());
    it.quorate(5, Set.of(ONE, TWO, THREE));
    assertEquals(new TieBreak(5, ONE), it.last());
    it.quorate(6, Set.of(TWO, THREE));
    assertEquals(new TieBreak(6, THREE), it.last());
    it.quorate(5, Set.of(ONE, TWO, THREE));
    assertEquals(new TieBreak(6, THREE), it.last(), "an earlier membership changes nothing");
    world.settle();
    assertEquals(new TieBreak(6, THREE), started(ONE, THREE).last());
    it.quorate(7, Set.of(TWO));
    world.settle();
    assertEquals(new TieBreak(7, null), started(ONE, THREE).last());
  }

  @Test
  void ofAListOfOneNodeOrNoneNothingIsKept() {
    for (var it : List.of(started(), started(THREE))) {
      it.quorate(5, Set.of(ONE, TWO));
      world.settle();
      assertNull(it.last());
    }
    assertNull(started(ONE, THREE).last());
  }

  @Test
  void aDamagedFileIsLoggedAndTheFirstOfTheListDecides() {
    for (var content : List.of("", "x 1", "5", "5 x", "5 0", "-5 1", "5 1 1", "9".repeat(30) + " 1")) {
      world
          .store()
          .change(
              List.of(
                  new Store.Change.Write(
                      TieBreaker.FILE, content.getBytes(StandardCharsets.UTF_8))),
              _ -> {});
      world.settle();
      assertNull(started(ONE, THREE).last(), content);
      assertTrue(world.logged("Which node decides between halves is lost"));
    }
  }

  @Test
  void aHalfGoesOnByTheNextOfTheListIfTheFirstWasNotThereBefore() throws Exception {
    var cluster = new FakeCluster(4, "auto_tie_breaker: 1\nauto_tie_breaker_node: 1 3");
    var one = cluster.start(1);
    var two = cluster.start(2);
    var three = cluster.start(3);
    var four = cluster.start(4);
    cluster.view(one, two, three, four);
    cluster.run(5000);
    assertTrue(two.quorate());

    // node 1 was there: only the half that has it goes on
    cluster.view(two, three);
    cluster.view(one, four);
    cluster.run(5000);
    assertFalse(three.quorate());
    assertTrue(one.quorate());
    cluster.view(one, two, three, four);
    cluster.run(5000);

    cluster.view(two, three, four);
    cluster.view(one);
    cluster.run(5000);
    assertTrue(two.quorate());
    assertFalse(one.quorate());

    cluster.view(two, three);
    cluster.view(one, four);
    cluster.run(5000);
    assertTrue(two.quorate(), "node 1 was not there last, so node 3 decides");
    assertFalse(one.quorate(), "four knows that the others have gone on without it");
    assertFalse(four.quorate());
  }
}
