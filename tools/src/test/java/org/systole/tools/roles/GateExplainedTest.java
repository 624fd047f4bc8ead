package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cib.CrmSimulate;
import org.systole.tools.cli.Shell;

/// What is said of a shut gate names what it comes from, and nothing else.
final class GateExplainedTest {
  private static final Path CIB =
      Path.of("..", "schedulerd/src/test/resources/org/systole/scheduler/scenarios/join-gate.xml");

  @Test
  void onlyTheRolesThatAreWaitedForAreNamed(@TempDir Path directory) throws Exception {
    Files.copy(CIB, directory.resolve("cib.xml"));
    var shown = new Shell(directory).run(new CrmSimulate(), "-x", "cib.xml", "--explain=b");
    assertEquals(0, shown.code(), shown.err());
    var line =
        "-INFINITY waits for role storage on n1 (error)"
            + " [cib-bootstrap-options-join-gate-roles, status-1-role-storage]\n";
    assertTrue(shown.out().contains(line), shown.out());
  }
}
