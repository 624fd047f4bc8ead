package org.systole.controld.transition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Load;
import org.systole.common.world.TestWorld;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.io.PeerMessage.Load.Mode;

/// What a node tells the others of how busy it is. It has four cores.
final class LoadReportTest {
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final TestWorld world = new TestWorld();
  private final Map<String, String> env = new HashMap<>();
  private final List<PeerMessage.Load> told = new ArrayList<>();
  private double threshold = 0.8;
  private int limit;
  private final LoadReport report =
      new LoadReport(
          world,
          env,
          new LoadReport.Host() {
            @Override
            public double loadThreshold() {
              return threshold;
            }

            @Override
            public int nodeActionLimit() {
              return limit;
            }
          },
          told::add);

  private void busy(double average) {
    world.load(new Load(average, 4));
  }

  @Test
  void itIsToldAtTheBeginningAndThenOnlyWhenItChanges() {
    report.begin();
    world.pass(INTERVAL.multipliedBy(10));
    assertEquals(List.of(new PeerMessage.Load(Mode.NONE, 8)), told);
    busy(100);
    world.pass(INTERVAL.multipliedBy(10));
    busy(0);
    world.pass(INTERVAL.multipliedBy(10));
    assertEquals(
        List.of(Mode.NONE, Mode.HIGH, Mode.NONE), told.stream().map(it -> it.mode()).toList());
  }

  @Test
  void itLooksEveryThirtySeconds() {
    report.begin();
    busy(100);
    world.pass(INTERVAL.minusMillis(1));
    assertEquals(1, told.size());
    world.pass(Duration.ofMillis(1));
    assertEquals(2, told.size());
  }

  @Test
  void theOptionsOfTheMomentCount() {
    busy(4 * 0.8 * 1.5);
    report.begin();
    assertEquals(Mode.LOW, told.getLast().mode());
    threshold = 0;
    limit = 3;
    world.pass(INTERVAL);
    assertEquals(new PeerMessage.Load(Mode.NONE, 3), told.getLast());
  }

  @Test
  void theEnvironmentGoesBeforeTheOptionAndTwiceTheCoresAreTheDefault() {
    limit = 3;
    env.put("PCMK_node_action_limit", "5");
    report.begin();
    assertEquals(5, told.getLast().jobs());
    env.put("PCMK_node_action_limit", "many");
    world.pass(INTERVAL);
    assertEquals(3, told.getLast().jobs());
    env.put("PCMK_node_action_limit", "0");
    world.pass(INTERVAL);
    assertEquals(8, told.getLast().jobs());
    env.remove("PCMK_node_action_limit");
    limit = 1;
    world.pass(INTERVAL);
    assertEquals(1, told.getLast().jobs());
    limit = -1;
    world.pass(INTERVAL);
    assertEquals(8, told.getLast().jobs());
  }

  @Test
  void aControllerThatHasJustComeIsSentTheLastReport() {
    report.repeat();
    assertEquals(List.of(), told, "nothing is known yet");
    report.begin();
    report.repeat();
    assertEquals(2, told.size());
    assertEquals(told.getFirst(), told.getLast());
    world.pass(INTERVAL);
    assertEquals(2, told.size());
  }
}
