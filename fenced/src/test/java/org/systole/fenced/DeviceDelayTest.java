package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;

/// Delays before fencing, so that two nodes do not fence each other at once.
final class DeviceDelayTest {
  private final FencerUnderTest fencer = new FencerUnderTest();

  private void register(String... parameters) {
    var all = new TreeMap<>(Map.of("pcmk_host_list", "node3"));
    for (var i = 0; i < parameters.length; i += 2) {
      all.put(parameters[i], parameters[i + 1]);
    }
    fencer.register("power", all);
  }

  private void order(String action, int delaySeconds) {
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            "theirs",
            1,
            new NodeName("node3"),
            action,
            "power",
            20_000,
            delaySeconds,
            fencer.number()));
  }

  /// Whether the agent is run after just this time.
  private void runsAfter(Duration delay, String action) {
    fencer.world.pass(delay.minusMillis(1));
    assertEquals(0, fencer.begun(action));
    fencer.world.pass(Duration.ofMillis(1));
    assertEquals(1, fencer.begun(action));
  }

  @Test
  void theRequestsDelayAndTheDevicesAreAddedUp() {
    register("pcmk_delay_base", "5s");
    order("off", 3);
    runsAfter(Duration.ofSeconds(8), "off");
  }

  @Test
  void noDelayAtAllIfTheRequestSaysSo() {
    register("pcmk_delay_base", "5s", "pcmk_delay_max", "9s");
    order("reboot", -1);
    assertEquals(1, fencer.begun("reboot"));
  }

  @Test
  void switchingOnIsNotDelayed() {
    register("pcmk_delay_base", "5s");
    order("on", 3);
    assertEquals(1, fencer.begun("on"));
  }

  @Test
  void theRandomDelayIsBetweenBaseAndMax() {
    register("pcmk_delay_base", "5s", "pcmk_delay_max", "9s");
    order("off", 0);
    fencer.world.pass(Duration.ofMillis(4_999));
    assertEquals(0, fencer.begun("off"));
    fencer.world.pass(Duration.ofMillis(4_001));
    assertEquals(1, fencer.begun("off"));
  }

  @Test
  void aBaseDelayAboveTheMaximumIsCutAndLogged() {
    register("pcmk_delay_base", "9s", "pcmk_delay_max", "4s");
    order("off", 0);
    assertTrue(fencer.world.logged("pcmk_delay_base is longer than pcmk_delay_max"));
    assertTrue(fencer.world.logged(" for 4s | timeout="), fencer.world.lines()::toString);
    assertTrue(fencer.world.logged("s requested_delay=0s base=4s max=4s"));
    runsAfter(Duration.ofSeconds(4), "off");
  }

  @Test
  void randomDelaysAreSpreadFromBaseToMaxAndNeverBeyond() {
    register("pcmk_delay_base", "5s", "pcmk_delay_max", "9s", "pcmk_action_limit", "-1");
    for (var count = 0; count < 100; count++) {
      order("off", 0);
    }
    fencer.world.pass(Duration.ofMillis(4_999));
    assertEquals(0, fencer.begun("off"));
    fencer.world.pass(Duration.ofMillis(1_001));
    var early = fencer.begun("off");
    assertTrue(early > 5 && early < 60, "a quarter in the first second, not " + early);
    fencer.world.pass(Duration.ofMillis(3_000));
    assertEquals(100, fencer.begun("off"));
  }

  @Test
  void aDelayedActionDoesNotHoldUpOthers() {
    register("pcmk_delay_base", "5s");
    order("off", 0);
    order("on", 0);
    assertEquals(1, fencer.begun("on"));
    assertEquals(0, fencer.begun("off"));
  }
}
