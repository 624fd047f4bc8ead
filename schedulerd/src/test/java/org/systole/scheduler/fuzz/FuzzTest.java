package org.systole.scheduler.fuzz;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.systole.common.output.TextOutput;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.explain.Explanation;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.sim.DotGraph;
import org.systole.scheduler.sim.Injections;
import org.systole.scheduler.sim.Simulation;

/// Changes valid CIBs at random for some time: nothing may break, hang or come to nothing without a
/// reason.
///
/// `-Dfuzz.seconds=60` goes on longer, `-Dfuzz.seed=N` begins with another input; each input has a
/// seed of its own, which a failure names, so that `-Dfuzz.seed=N -Dfuzz.seconds=0` repeats it.
class FuzzTest {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 4);
  private static final long SEED = Long.getLong("fuzz.seed", 1);
  private static final long LONGEST_SECONDS = Long.getLong("fuzz.longest", 240);
  private static final long LARGEST = 60_000;
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000L);
  private static final Path SCENARIOS =
      Path.of("src", "test", "resources", "org", "systole", "scheduler", "scenarios");

  @Test
  void changedConfigurationsAreDecidedOrRefusedWithAReason() throws Exception {
    var inputs = inputs();
    assertTrue(inputs.size() > 50, "only " + inputs.size() + " inputs");
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    var seed = SEED;
    try (var runner =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("fuzz").factory())) {
      do {
        var random = new Random(seed);
        var input = XmlReader.parse(Files.readAllBytes(pick(inputs, random)));
        var changed = new Mutator(random).mutate(input);
        var run = runner.submit(() -> decide(changed));
        try {
          run.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
          runner.shutdownNow();
          fail("still not decided after " + LONGEST_SECONDS + " s: " + kept(seed, changed));
        } catch (ExecutionException e) {
          throw new AssertionError(kept(seed, changed), e.getCause());
        }
        seed++;
      } while (System.nanoTime() < end);
    }
    System.out.println("fuzz: seeds " + SEED + " to " + (seed - 1) + " without a finding");
  }

  private static Path pick(List<Path> inputs, Random random) {
    return inputs.get(random.nextInt(inputs.size()));
  }

  private static String kept(long seed, Element cib) throws IOException {
    var file = Files.createTempFile("systole-fuzz-" + seed + "-", ".xml");
    Files.writeString(file, XmlWriter.pretty(cib));
    return "seed " + seed + ", kept as " + file;
  }

  // Our own scenarios always, the reference corpus where there is one.
  private static List<Path> inputs() throws IOException {
    var inputs = new ArrayList<Path>();
    add(
        Files.isDirectory(SCENARIOS) ? SCENARIOS : Path.of("schedulerd").resolve(SCENARIOS),
        inputs);
    for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      var corpus = at.resolve("shared/reference/scheduler/xml");
      if (Files.isDirectory(corpus)) {
        add(corpus, inputs);
        break;
      }
    }
    inputs.sort(null);
    return inputs;
  }

  private static void add(Path directory, List<Path> inputs) throws IOException {
    try (var files = Files.newDirectoryStream(directory, "*.xml")) {
      for (var file : files) {
        if (Files.size(file) <= LARGEST) {
          inputs.add(file);
        }
      }
    }
  }

  private static boolean decide(Element changed) throws XmlException {
    var upgraded = SchemaUpgrade.toCurrent(changed);
    if (upgraded == null) {
      return false;
    }
    var cib = upgraded.cib();
    var transition =
        Scheduler.run(
            cib, NOW, ZoneOffset.UTC, Set.of(ClusterFlag.OUTPUT_SCORES, ClusterFlag.EXPLAIN));
    var graph = TransitionGraph.of(transition.graph().toXml());
    assertTrue(DotGraph.draw(transition.cluster(), true, true).endsWith("}\n"));
    var explained = new ArrayList<String>();
    for (var rsc : List.copyOf(transition.cluster().resources())) {
      var explanation = Explanation.of(transition.cluster(), rsc, null);
      for (var decision : explanation.decisions()) {
        if (graph.synapses().isEmpty() && isLeftOutWithoutReason(decision)) {
          explained.add(decision.toString());
        }
      }
    }
    assertTrue(
        explained.isEmpty() || !transition.cluster().messages().isEmpty(),
        () -> "an empty plan without a reason: " + explained);
    simulate(cib);
    return true;
  }

  private static boolean isLeftOutWithoutReason(Explanation.Decision decision) {
    return decision.chosen() == null
        && !decision.places().isEmpty()
        && decision.conditions().isEmpty()
        && decision.places().stream()
            .allMatch(place -> place.obstacles().isEmpty() && place.contributions().isEmpty());
  }

  private static void simulate(Element cib) {
    var input = cib.first("status") == null ? cib.plus(Element.of("status")) : cib;
    var stream = new PrintStream(OutputStream.nullOutputStream());
    var options = new Simulation.Options(true, true, true, true, true, false, false, Set.of());
    new Simulation(
            new TextOutput(stream, stream),
            Scheduler::plan,
            options,
            Simulation.Sinks.NONE,
            null,
            IsoTime.of(NOW, ZoneOffset.UTC),
            ZoneOffset.UTC)
        .run(input, Injections.NONE);
  }
}
