package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.systole.controld.TestNodes.named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.world.Load;
import org.systole.controld.io.PeerMessage;

final class ThrottleTest {
  @ParameterizedTest
  @CsvSource({"1.0,NONE", "4.0,LOW", "5.5,MEDIUM", "7.0,HIGH"})
  void theBusierTheHigherTheMode(double average, PeerMessage.Load.Mode mode) {
    var load = new Load(average, 4);

    assertEquals(mode, Throttle.mode(load, 0.8));
    assertEquals(PeerMessage.Load.Mode.NONE, Throttle.mode(load, 0));
  }

  @Test
  void aBusyNodeGetsLessAtATime() {
    var throttle = new Throttle();
    throttle.report(named("idle"), PeerMessage.Load.Mode.NONE, 8);
    throttle.report(named("low"), PeerMessage.Load.Mode.LOW, 8);
    throttle.report(named("medium"), PeerMessage.Load.Mode.MEDIUM, 8);
    throttle.report(named("high"), PeerMessage.Load.Mode.HIGH, 8);

    assertEquals(8, throttle.jobs(named("idle")));
    assertEquals(4, throttle.jobs(named("low")));
    assertEquals(2, throttle.jobs(named("medium")));
    assertEquals(1, throttle.jobs(named("high")));
  }

  @Test
  void oneBusyNodeHoldsTheWholeClusterBack() {
    var throttle = new Throttle();
    assertEquals(0, throttle.total(0, 8));
    throttle.report(named("node1"), PeerMessage.Load.Mode.HIGH, 8);
    assertEquals(4, throttle.total(0, 8));
    throttle.report(named("node2"), PeerMessage.Load.Mode.EXTREME, 8);
    assertEquals(2, throttle.total(0, 8));
    assertEquals(1, throttle.total(1, 8), "the configured limit is lower");
  }
}
