package org.systole.schedulerd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.layout.Layout;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.XmlText;
import org.systole.schedulerd.client.SchedulerMessage;

/// What a scheduler does that nobody asks.
final class RestTest {
  private final TestWorld world = new TestWorld();

  @Test
  void memoryIsGivenBackOnceNoPlanIsAskedForAnyMore() {
    SchedulerDaemon.start(world, Layout.of(Map.of(Layout.ROOT, "/test")), Map.of(SchedulerDaemon.WARM_UP, "no"));
    var client = world.client(SchedulerMessage.SOCKET, SchedulerMessage.PROTOCOL, TestWorld.ROOT);
    for (var plan = 0; plan < 3; plan++) {
      var asked = new SchedulerMessage.Calculate("1-a", XmlText.of(WarmUp.cib()), 1_000_000_100_000L);
      assertInstanceOf(SchedulerMessage.Calculated.class, client.answer(asked));
      world.pass(Duration.ofSeconds(14));
      assertEquals(0, world.memoryGivenBack());
    }
    world.pass(Duration.ofMinutes(5));
    assertEquals(1, world.memoryGivenBack(), "and not again before the next plan");
  }
}
