package org.systole.scheduler.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeNamesTest {
  @Test
  void namesAreInTheOrderInWhichPeopleCount() {
    var order =
        List.of(
            "0", "00", "1", "01", "a", "a0", "a00b", "a1", "a1b", "a01", "a2", "a10", "a010",
            "a99999999999999999999", "a100000000000000000000", "B", "b1-2", "b1-10");
    var sorted = new ArrayList<>(order.reversed());
    sorted.sort(NodeNames.ORDER);
    assertEquals(order, sorted);
  }

  @Test
  void lettersAreTheSameInAnyCase() {
    assertEquals(0, NodeNames.ORDER.compare("Node1", "nODE1"));
  }
}
