package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.values.NodeId;

class MembershipNumberTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 999, 1000, 168_430_081, Integer.MAX_VALUE})
  void theCounterIsReadBackWhicheverNodeMadeIt(int nodeId) {
    for (var counter : new long[] {0, 1, 2_000_000_000L, Integer.MAX_VALUE}) {
      var number = MembershipNumber.of(counter, new NodeId(nodeId));
      assertEquals(counter, MembershipNumber.counter(number));
      assertEquals(
          counter, MembershipNumber.counter(MembershipNumber.cutOff(number, new NodeId(nodeId))));
      assertTrue(number > 0);
    }
  }

  @Test
  void aLaterCounterIsAHigherNumberWhicheverNodeMadeIt() {
    var before = MembershipNumber.of(7, new NodeId(Integer.MAX_VALUE));
    assertTrue(before < MembershipNumber.least(8));
    assertTrue(MembershipNumber.least(8) < MembershipNumber.of(8, new NodeId(1)));
  }

  @Test
  void aNodeThatWasCutOffIsAboveAllThatWereMadeWithTheCounterAndBelowTheNext() {
    var alone = MembershipNumber.cutOff(MembershipNumber.of(7, new NodeId(3)), new NodeId(1));
    assertTrue(alone > MembershipNumber.of(7, new NodeId(Integer.MAX_VALUE)));
    assertTrue(alone < MembershipNumber.of(8, new NodeId(1)));
    assertNotEquals(
        alone, MembershipNumber.cutOff(MembershipNumber.of(7, new NodeId(3)), new NodeId(2)));
  }

  @Test
  void aNumberIsShownAsItsCounterAndTheNodeThatMadeIt() {
    assertEquals("7.3", MembershipNumber.text(MembershipNumber.of(7, new NodeId(3))));
    assertEquals(
        "7.3 (alone)",
        MembershipNumber.text(
            MembershipNumber.cutOff(MembershipNumber.of(7, new NodeId(1)), new NodeId(3))));
  }
}
