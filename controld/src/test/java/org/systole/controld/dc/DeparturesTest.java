package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;

class DeparturesTest {
  private static final NodeName NODE = new NodeName("node3");

  private final TestWorld world = new TestWorld();
  private final Set<NodeName> listed = new HashSet<>(Set.of(NODE));
  private final Set<NodeName> members = new HashSet<>();
  private final List<NodeName> forgotten = new ArrayList<>();
  private boolean dc = true;

  private final Departures departures =
      new Departures(
          world,
          new Departures.Host() {
            @Override
            public boolean isDc() {
              return dc;
            }

            @Override
            public boolean isMember(NodeName node) {
              return members.contains(node);
            }

            @Override
            public boolean isListed(NodeName node) {
              return listed.contains(node);
            }

            @Override
            public void forget(NodeName node) {
              forgotten.add(node);
            }
          });

  private void unlisted() {
    listed.clear();
    departures.listChanged();
  }

  @Test
  void aNodeIsForgottenOnceWhenItIsOutOfTheList() {
    departures.await(NODE);
    departures.await(NODE);
    departures.listChanged();
    assertEquals(List.of(), forgotten);
    unlisted();
    assertEquals(List.of(NODE), forgotten);
    unlisted();
    assertEquals(List.of(NODE), forgotten);
  }

  @Test
  void nobodyElseIs() {
    unlisted();
    assertEquals(List.of(), forgotten);
  }

  @Test
  void aNodeThatIsBackStays() {
    departures.await(NODE);
    members.add(NODE);
    unlisted();
    assertEquals(List.of(), forgotten);
  }

  @Test
  void anotherDcHasToSeeToIt() {
    departures.await(NODE);
    dc = false;
    unlisted();
    assertEquals(List.of(), forgotten);
  }

  @Test
  void itIsWaitedForForTenMinutes() {
    assertEquals(Duration.ofMinutes(10), departures.await(NODE));
    world.pass(Duration.ofMinutes(11));
    unlisted();
    assertEquals(List.of(), forgotten);
  }
}
