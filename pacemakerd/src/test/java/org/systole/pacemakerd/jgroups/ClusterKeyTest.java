package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.CannotStart;

/// Which files are taken for the cluster's key.
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
  void aKeyThatOnlyItsOwnerCanReadIsTaken() throws IOException {
    var file = key("r--------");
    assertDoesNotThrow(() -> ClusterKey.read(file, "c"));
  }

  @Test
  void aKeyThatEveryUserCanReadIsRefused() throws IOException {
    refused(key("r-----r--"), "by every user");
  }

  @Test
  void aKeyThatAGroupCanReadIsRefusedUnlessTheGroupIsRoots() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "giving a file away needs root");
    var file = key("r--r-----");
    var users = file.getFileSystem().getUserPrincipalLookupService();
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    view.setGroup(users.lookupPrincipalByGroupName("root"));
    assertDoesNotThrow(() -> ClusterKey.read(file, "c"));
    view.setGroup(users.lookupPrincipalByGroupName("daemon"));
    refused(file, "group daemon");
  }

  private static String refusal(Path file) {
    var refusal = assertThrows(CannotStart.class, () -> ClusterKey.read(file, "c"));
    assertTrue(refusal.getMessage().lines().count() == 1, refusal::getMessage);
    assertTrue(refusal.getMessage().contains(file.toString()), refusal::getMessage);
    return refusal.getMessage();
  }

  @Test
  void whatIsNoKeyIsRefusedInOneLineAndNotReadToItsEnd() throws IOException {
    var file = key("r--------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(1L << 40);
    }
    assertTrue(refusal(file).contains("more than 4096 bytes"));
    Files.delete(file);
    Files.createSymbolicLink(file, Path.of("/dev/zero"));
    assertTrue(refusal(file).contains("is no file"));
    Files.delete(file);
    Files.createDirectory(file);
    assertTrue(refusal(file).contains("is no file"));
    Files.delete(file);
    assertTrue(refusal(file).contains("copy it here from another node"));
    assertTrue(refusal(file).contains("make one with"));
    for (var length : new int[] {0, 1, 127, 4097}) {
      Files.write(file, new byte[length]);
      refusal(file);
    }
    Files.write(file, new byte[4096]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));
    assertDoesNotThrow(() -> ClusterKey.read(file, "c"));
  }
}
