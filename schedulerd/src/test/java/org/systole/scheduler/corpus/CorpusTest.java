package org.systole.scheduler.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.sim.Simulation;

class CorpusTest {
  static final Simulation.Planner PLANNER = Scheduler::plan;

  @Test
  void theCorpusIsDecidedAsWellAsBefore() throws IOException {
    check("scheduler", "floor.properties");
  }

  @Test
  void inputsChangedAtRandomAreDecidedAsWellAsBefore() throws IOException {
    check("scheduler-mutated", "floor-mutated.properties");
  }

  @Test
  void inputsChangedHarderAreDecidedAsWellAsBefore() throws IOException {
    check("scheduler-hard", "floor-hard.properties");
  }

  private static void check(String name, String floors) throws IOException {
    var corpus = Corpus.find(name);
    assumeTrue(corpus != null, () -> "skipped: there is no shared/reference/" + name + " here");
    if (corpus == null) {
      return;
    }
    var run = new CorpusRun(corpus, PLANNER);
    run.run(it -> true, Optional.empty());
    System.out.println(name + ": " + run.figures());
    var floor = new Properties();
    try (var in = CorpusTest.class.getResourceAsStream(floors)) {
      floor.load(in);
    }
    for (var kind : CorpusCase.KINDS) {
      var least = Integer.parseInt(floor.getProperty(kind, "0"));
      assertTrue(
          run.passed(kind) >= least,
          () ->
              "%s: %s, but %d were reached before: %s"
                  .formatted(kind, run.figures(), least, run.failing().keySet()));
    }
  }
}
