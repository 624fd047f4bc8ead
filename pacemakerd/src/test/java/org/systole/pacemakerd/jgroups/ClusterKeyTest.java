package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.CannotStart;

/// Who may read the file with the cluster's key.
final class ClusterKeyTest {
  @TempDir private Path dir;

  private Path key(String mode) throws IOException {
    var file = Files.write(dir.resolve("authkey"), new byte[256]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    return file;
  }

  private static void refused(Path file, String why) {
    var refusal = assertThrows(CannotStart.class, () -> ClusterKey.read(file, "c"));
    assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
    assertTrue(refusal.getMessage().contains("chmod 400 " + file), refusal::getMessage);
  }

  @Test
  void aKeyThatOnlyItsOwnerReadsIsTaken() throws IOException {
    var file = key("r--------");
    assertDoesNotThrow(() -> ClusterKey.read(file, "c"));
  }

  @Test
  void aKeyThatEverybodyReadsIsRefused() throws IOException {
    refused(key("r-----r--"), "by every user");
  }

  @Test
  void aKeyThatAGroupReadsIsRefusedUnlessTheGroupIsRoots() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "giving a file away needs root");
    var file = key("r--r-----");
    var users = file.getFileSystem().getUserPrincipalLookupService();
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    view.setGroup(users.lookupPrincipalByGroupName("root"));
    assertDoesNotThrow(() -> ClusterKey.read(file, "c"));
    view.setGroup(users.lookupPrincipalByGroupName("daemon"));
    refused(file, "group daemon");
  }
}
