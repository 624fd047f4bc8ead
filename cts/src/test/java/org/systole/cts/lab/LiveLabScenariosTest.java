package org.systole.cts.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A few of the live lab's scenarios, once each; `./systole lab` runs all of them as often as
/// wanted.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LiveLabScenariosTest {
  private LabRunner runner;

  @BeforeAll
  void onlyWhereThereCanBeALab() throws IOException {
    var distribution = LabHome.distribution();
    var obstacle = LabRunner.obstacle(distribution);
    assumeTrue(obstacle.isEmpty(), obstacle);
    runner = new LabRunner(distribution);
  }

  @AfterAll
  void removeTheLab() throws IOException {
    if (runner != null) {
      runner.close();
    }
  }

  /// A remote node of Pacemaker's own making.
  @Test
  void aStockRemoteNodeRunsItsCommands() throws IOException {
    var obstacle = LabStockHost.obstacle();
    assumeTrue(obstacle.isEmpty(), obstacle);
    theClusterSurvives(LabStockHost.SCENARIOS + "commands");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "partition-dc",
        "kill-execd-on-dc",
        "hang-node",
        "hang-dc-wakes",
        "one-way-from-leader",
        "kill-pacemakerd-elsewhere",
        "host-crash",
        "dc-killed-during-writes"
      })
  void theClusterSurvives(String name) throws IOException {
    var scenario =
        LabRunner.scenarios().stream()
            .filter(it -> it.name().equals(name))
            .findFirst()
            .orElseThrow();
    System.out.printf("%-26s %s%n", name, runner.once(scenario, 1).line());
  }
}
