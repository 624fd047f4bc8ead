package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.AttrDaemon;

/// A story that is told again goes as it went, and shrinks to what a planted mistake needs.
final class SimShrinkTest {
  private static final long SEED = 1;
  private static final long CALM = 5;

  /// The attribute manager does not get over being started a second time on a node.
  private static void plant(SimCluster cluster) {
    var starts = new HashMap<String, Integer>();
    cluster.daemon(
        "attrd",
        (node, world, layout, env) -> {
          if (starts.merge(node.name(), 1, Integer::sum) > 1) {
            throw new IllegalStateException("planted");
          }
          AttrDaemon.start(world, layout, env);
        });
  }

  private static SimRun broken(SimRun run) {
    plant(run.cluster());
    return run;
  }

  @Test
  void aStoryToldAgainGoesAsItWent() {
    var lived = new SimRun(CALM);
    assertEquals(List.of(), lived.carryOut());

    var again = new SimRun(CALM, lived.cluster().story().deeds());

    assertEquals(List.of(), again.carryOut());
    assertEquals(lived.cluster().trace().changes(), again.cluster().trace().changes());
  }

  @Test
  void whatAPlantedMistakeNeedsIsLeft() {
    var failed = broken(new SimRun(SEED));
    failed.carryOut();
    assertEquals(List.of(SimCheck.CRASH), List.copyOf(failed.cluster().checksFailed()));

    var shrunk = SimShrink.shrink(failed, deeds -> broken(new SimRun(SEED, deeds)));

    assertNotNull(shrunk);
    assertEquals(SimCheck.CRASH, shrunk.check());
    assertTrue(shrunk.deeds().size() <= 2, shrunk.script()::toString);
    assertTrue(shrunk.of() > 1, shrunk::toString);

    var scenario = SimScript.cluster(shrunk.script());
    scenario.loadCib(shrunk.cib());
    plant(scenario);
    var told = new SimScript(scenario).run(shrunk.script());
    assertTrue(told.stream().anyMatch(it -> it.contains("planted")), told::toString);
  }

  @Test
  void whatDoesNotFailWhenToldAgainIsNotShrunk() {
    var failed = broken(new SimRun(SEED));
    failed.carryOut();

    assertNull(SimShrink.shrink(failed, deeds -> new SimRun(SEED, deeds)));
  }
}
