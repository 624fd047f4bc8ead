package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

/// Needs root, and the user that daemons run as.
final class AccountCheckTest {
  @TempDir Path directory;
  private Path home;
  private Layout layout;

  @BeforeEach
  void install() throws IOException {
    assumeTrue(AccountCheck.missing() == null, AccountCheck::missing);
    open(directory, true);
    home = Files.createDirectories(directory.resolve("home"));
    var launch = home.resolve("libexec/systole/launch");
    Files.createDirectories(launch.getParent());
    Files.writeString(launch, "");
    open(launch, true);
    layout = new Layout(directory.resolve("node"), directory);
    for (var needed : new Path[] {layout.run(), layout.state(), layout.log()}) {
      Files.createDirectories(needed);
    }
  }

  private static void open(Path path, boolean toAll) throws IOException {
    Files.setPosixFilePermissions(
        path, PosixFilePermissions.fromString(toAll ? "rwxr-xr-x" : "rwx------"));
  }

  @Test
  void aProgramWhoseLibraryIsOfOthersIsOutOfReach() throws IOException {
    var closed = Files.createDirectories(directory.resolve("closed"));
    var library = Files.createDirectories(closed.resolve("lib"));
    Files.createSymbolicLink(home.resolve("lib"), library);
    assertNull(AccountCheck.obstacle(layout, home));

    open(closed, false);

    var why = AccountCheck.obstacle(layout, home);
    assertNotNull(why);
    assertTrue(why.endsWith(home.resolve("lib").toString()), why);
  }

  @Test
  void aProgramIsOutOfReachWhereItsDirectoryIs() throws IOException {
    Files.createDirectories(home.resolve("lib"));
    open(home, false);
    assertEquals(
        "user hacluster cannot reach " + home.resolve("libexec/systole/launch"),
        AccountCheck.obstacle(layout, home));
  }
}
