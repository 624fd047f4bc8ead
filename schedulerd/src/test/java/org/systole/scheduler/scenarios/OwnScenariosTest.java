package org.systole.scheduler.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.systole.common.xml.XmlException;

/// Small clusters, one for each feature, each with the decision that was derived for it.
///
/// With `-Dscheduler.bless=true`, what is decided now is written down as expected; compare it with
/// the reasoning in the head of the input before committing it.
class OwnScenariosTest {
  private static final Path DIRECTORY =
      Path.of("src", "test", "resources", "org", "systole", "scheduler", "scenarios");
  private static final boolean BLESS = Boolean.getBoolean("scheduler.bless");

  @TestFactory
  Stream<DynamicTest> whatIsDecidedIsWhatWasDerived() throws IOException {
    return Scenario.in(directory()).stream()
        .map(scenario -> dynamicTest(scenario.name(), () -> check(scenario)));
  }

  @Test
  void everyScenarioSaysWhatMustBeDecidedAndWhy() throws IOException, XmlException {
    var scenarios = Scenario.in(directory());
    assertTrue(scenarios.size() >= 60, () -> "only " + scenarios.size() + " scenarios");
    for (var scenario : scenarios) {
      assertTrue(scenario.reasoning().length() > 100, scenario.name() + " gives no reasons");
      assertEquals("pacemaker-4.0", scenario.schema(), scenario.name());
    }
  }

  private static void check(Scenario scenario) throws IOException, XmlException {
    var decided = scenario.decided();
    if (BLESS) {
      Files.writeString(scenario.expected(), decided);
    }
    assertEquals(Files.readString(scenario.expected()), decided, scenario::name);
  }

  // Tests run in the directory of the module or in that of the project.
  static Path directory() {
    return Files.isDirectory(DIRECTORY) ? DIRECTORY : Path.of("schedulerd").resolve(DIRECTORY);
  }
}
