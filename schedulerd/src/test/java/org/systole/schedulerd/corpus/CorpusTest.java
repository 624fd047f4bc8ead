package org.systole.schedulerd.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.systole.schedulerd.Scheduler;
import org.systole.schedulerd.sim.Simulation;

class CorpusTest {
  static final Simulation.Planner PLANNER = Scheduler::plan;

  @Test
  void theCorpusIsDecidedAsWellAsBefore() throws IOException {
    var corpus = Corpus.find();
    assumeTrue(
        corpus != null, "skipped: there is no shared/reference/scheduler beside the project");
    if (corpus == null) {
      return;
    }
    var run = new CorpusRun(corpus, PLANNER);
    run.run(name -> true, Optional.empty());
    System.out.println(run.figures());
    var floor = new Properties();
    try (var in = CorpusTest.class.getResourceAsStream("floor.properties")) {
      floor.load(in);
    }
    for (var kind : CorpusCase.KINDS) {
      var least = Integer.parseInt(floor.getProperty(kind, "0"));
      assertTrue(
          run.passed(kind) >= least,
          () -> kind + ": " + run.figures() + ", but " + least + " were reached before");
    }
  }
}
