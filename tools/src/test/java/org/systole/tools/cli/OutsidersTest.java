package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.roles.CrmRole;

/// Who may not ask the daemons is told so, and nobody else is.
class OutsidersTest {
  @TempDir private Path directory;

  @Test
  void onlyWhereTheSocketsAreNotForThisUser() {
    assertTrue(Outsiders.isOutside(directory, _ -> false));
    assertFalse(Outsiders.isOutside(directory, _ -> true));
    assertFalse(Outsiders.isOutside(directory.resolve("none"), _ -> false), "nothing has ever run here");
  }

  @Test
  void aCommandSaysWhatToDo() throws IOException {
    var run = Files.createDirectories(directory.resolve("run/systole"));
    Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rw-------"));
    var result =
        new Shell(directory).set("SYSTOLE_ROOT", directory.toString()).run(new CrmRole());
    assertTrue(result.code() == 102, result.err());
    if (!Files.isExecutable(run)) { // root may enter what it likes
      assertTrue(result.err().contains("crm_role: " + Outsiders.WHY), result.err());
    }
  }
}
