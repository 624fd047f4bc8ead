package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Random lives of clusters of two to seven nodes. A failure prints its seed and everything that
/// happened; `-Dsim.seed=N` repeats that run alone, `-Dsim.seeds=N` changes how many there are.
final class SimulationTest {
  static LongStream seeds() {
    var one = Long.getLong("sim.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("sim.seeds", 60));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void aClusterKeepsItsPromisesAndComesToRest(long seed) {
    var run = new SimRun(seed);

    var failures = run.carryOut();

    assertEquals(
        "", String.join("\n", failures), () -> "seed " + seed + "\n" + tail(run.cluster().trace()));
  }

  private static String tail(SimTrace trace) {
    var lines = trace.lines();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 3_000), lines.size()));
  }

  @Test
  void aSeedGivesTheSameLifeEachTime() {
    var first = new SimRun(4);
    var second = new SimRun(4);

    first.carryOut();
    second.carryOut();

    assertEquals(first.cluster().trace().lines(), second.cluster().trace().lines());
    assertEquals(first.cluster().trace().hash(), second.cluster().trace().hash());
    assertEquals(List.copyOf(first.cluster().failures()), second.cluster().failures());
  }
}
