package org.systole.schedulerd.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.systole.schedulerd.graph.TransitionGraph;
import org.systole.schedulerd.model.WorkingSet;
import org.systole.schedulerd.sim.Simulation;

class CorpusTest {
  static final Simulation.Planner PLANNER = CorpusTest::plan;

  private static TransitionGraph plan(WorkingSet cluster) {
    try {
      var plan =
          Class.forName("org.systole.schedulerd.Scheduler").getMethod("plan", WorkingSet.class);
      return (TransitionGraph) plan.invoke(null, cluster);
    } catch (java.lang.reflect.InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } catch (ReflectiveOperationException e) {
      return new TransitionGraph(java.util.Map.of("transition_id", "0"), java.util.List.of());
    }
  }

  @Test
  void theCorpusIsDecidedAsWellAsBefore() throws IOException {
    var corpus = Corpus.find();
    assumeTrue(corpus != null, "skipped: there is no shared/reference/scheduler beside the project");
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
