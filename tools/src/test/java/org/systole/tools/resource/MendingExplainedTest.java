package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

/// Of what a failure forbids the explanation names the command after which the cluster tries again.
final class MendingExplainedTest {
  private static final Path SCENARIOS =
      Path.of("..", "schedulerd/src/test/resources/org/systole/scheduler/scenarios");

  @TempDir private Path directory;

  private String explained(String scenario, String resource, String... change) throws IOException {
    var cib = Files.readString(SCENARIOS.resolve(scenario + ".xml"));
    for (var at = 0; at < change.length; at += 2) {
      assertTrue(cib.contains(change[at]), change[at]);
      cib = cib.replace(change[at], change[at + 1]);
    }
    var file = Files.writeString(directory.resolve("cib.xml"), cib);
    var shown =
        new Shell(directory)
            .set("CIB_file", file.toString())
            .run(new CrmResource(), "--why", "--explain", "--resource=" + resource);
    assertEquals(0, shown.code(), shown.err());
    return shown.out();
  }

  private static void assertNamed(String command, String shown) {
    assertTrue(
        shown.lines().anyMatch(it -> it.contains(": once what was wrong is mended, " + command)),
        shown);
  }

  @Test
  void aStartThatFailed() throws IOException {
    assertNamed("crm_resource --cleanup --resource=a", explained("start-failure-fatal", "a"));
    assertNamed("crm_resource --cleanup --resource=a", explained("migration-threshold", "a"));
    assertFalse(explained("migration-threshold-below", "a").contains("crm_resource"));
  }

  @Test
  void anAgentThatIsNotInstalled() throws IOException {
    assertNamed("crm_resource --cleanup --resource=a", explained("probe-not-installed", "a"));
    assertNamed(
        "crm_resource --refresh --resource=a",
        explained(
            "probe-not-installed",
            "a",
            "<cluster_property_set id=\"cib-bootstrap-options\">",
            "<cluster_property_set id=\"cib-bootstrap-options\"><nvpair id=\"sym\" name=\"symmetric-cluster\" value=\"false\"/>"));
  }

  @Test
  void whatAFailureBlocks() throws IOException {
    assertNamed("crm_resource --cleanup --resource=a", explained("on-fail-block", "a"));
    assertNamed("crm_resource --cleanup --resource=a", explained("stop-failure-no-fencing", "a"));
  }

  @Test
  void nothingHasToBeMendedWhereAMigrationIsUnderWay() throws IOException {
    var shown = explained("migration-under-way", "v");
    assertTrue(shown.contains("it is being migrated: what comes next is decided when that has ended"), shown);
    assertFalse(shown.contains("crm_resource"), shown);
  }
}
