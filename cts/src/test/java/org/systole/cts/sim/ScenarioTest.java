package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Runs every directory under `scenarios/`: a `script`, a configuration `cib.xml` (the standard one
/// if it is missing), and `expected`, all that happened. `-Dscenarios.bless=true` writes `expected`
/// anew: read the difference. `-Dscenario=NAME` runs one.
final class ScenarioTest {
  private static final Path ROOT = Path.of("src/test/resources/scenarios");

  @TestFactory
  Stream<DynamicTest> scenarios() throws IOException {
    try (var directories = Files.list(ROOT)) {
      var wanted = System.getProperty("scenario");
      return directories.sorted().toList().stream()
          .filter(it -> wanted == null || it.getFileName().toString().equals(wanted))
          .map(it -> dynamicTest(it.getFileName().toString(), () -> check(it)));
    }
  }

  private static void check(Path scenario) throws IOException {
    var script = Files.readAllLines(scenario.resolve("script"));
    var cluster = SimScript.cluster(script);
    var cib = scenario.resolve("cib.xml");
    if (Files.exists(cib)) {
      cluster.loadCib(Files.readString(cib));
    } else {
      cluster.loadCib(SimCibs.standard(cluster.nodes().getFirst().file().listed()));
    }
    if (Boolean.getBoolean("scenarios.echo")) {
      cluster.trace().echo(true);
    }

    var happened = new SimScript(cluster).run(script);

    var expected = scenario.resolve("expected");
    if (Boolean.getBoolean("scenarios.bless")) {
      Files.write(expected, happened);
    }
    var difference = LineDifference.between(Files.readAllLines(expected), happened);
    assertTrue(
        difference.isEmpty(),
        () ->
            "scenario %s went another way (- expected, + happened); after a change on purpose: ./systole bless %1$s%n%s"
                .formatted(scenario.getFileName(), String.join("\n", difference)));
    assertEquals(List.of(), cluster.failures());
  }
}
