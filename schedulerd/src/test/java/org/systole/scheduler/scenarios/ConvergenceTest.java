package org.systole.scheduler.scenarios;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.systole.common.output.TextOutput;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.sim.Injections;
import org.systole.scheduler.sim.Simulation;

/// What is planned, once it is done, must leave the cluster at rest.
class ConvergenceTest {
  private static final int ROUNDS = 5;

  /// Operations that a simulated execution leaves no trace of, so that they are planned again.
  private static final Set<String> UNTRACED =
      Set.of("cancel", "delete", "lrm_delete", "clear_failcount", "do_shutdown");

  /// A loop is never carried out, and a simulated execution does not record unfencing, nor that a guest
  /// is down, as the DC does: the stop that failed there stays. Nor does it end what is under way.
  private static final Set<String> RESTLESS =
      Set.of(
          "bad-order-loop",
          "unfencing",
          "guest-node-cleaned-up",
          "guest-half-moved-fenced",
          "guest-half-moved-target-lost",
          "migration-half-done-source-stopped");

  @TestFactory
  Stream<DynamicTest> aPlanThatIsCarriedOutLeavesNothingToDo() throws IOException {
    return Scenario.in(OwnScenariosTest.directory()).stream()
        .filter(scenario -> !RESTLESS.contains(scenario.name()))
        .map(scenario -> dynamicTest(scenario.name(), () -> settles(scenario)));
  }

  private static void settles(Scenario scenario) throws IOException, XmlException {
    var cib = XmlReader.parse(Files.readAllBytes(scenario.file()));
    var rounds = new ArrayList<List<String>>();
    for (var round = 0; round < ROUNDS; round++) {
      var todo = todo(cib);
      rounds.add(todo);
      if (todo.isEmpty()) {
        return;
      }
      cib = carriedOut(cib);
    }
    assertTrue(
        rounds.getLast().isEmpty(), () -> scenario.name() + " does not come to rest: " + rounds);
  }

  private static List<String> todo(Element cib) {
    var now = Instant.ofEpochSecond(Long.parseLong(cib.get("execution-date", "")));
    var transition = Scheduler.run(cib, now, ZoneOffset.UTC, Set.of());
    return transition.graph().synapses().stream()
        .flatMap(synapse -> synapse.actions().stream())
        .filter(action -> action.kind() != GraphAction.Kind.PSEUDO)
        .filter(action -> !UNTRACED.contains(action.operation()))
        .map(action -> action.key() + " " + action.node())
        .toList();
  }

  private static Element carriedOut(Element cib) {
    var nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    var now = Instant.ofEpochSecond(Long.parseLong(cib.get("execution-date", "")));
    return new Simulation(
            new TextOutput(nowhere, nowhere),
            Scheduler::plan,
            new Simulation.Options(true, true, false, false, false, false, false, Set.of()),
            Simulation.Sinks.NONE,
            null,
            IsoTime.of(now, ZoneOffset.UTC),
            ZoneOffset.UTC)
        .run(cib, Injections.NONE)
        .cib();
  }
}
