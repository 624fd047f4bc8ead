package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.world.ClusterAccount;

/// Whose the log's directory is where the cluster's group exists. It takes root, who alone can give
/// files away.
class DirectoriesTest {
  @TempDir Path root;
  private Layout layout = new Layout(Path.of("/"), Path.of("/"));
  private GroupPrincipal cluster = () -> "";

  @BeforeEach
  void aHostOfACluster() throws IOException {
    layout = new Layout(root, root);
    assumeTrue(System.getProperty("user.name").equals("root"), "this is not root");
    try {
      cluster = group(ClusterAccount.GROUP);
    } catch (UserPrincipalNotFoundException e) {
      assumeTrue(false, "there is no group " + ClusterAccount.GROUP);
    }
  }

  private GroupPrincipal group(String name) throws IOException {
    return root.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(name);
  }

  private void logDirectory(GroupPrincipal group, String mode) throws IOException {
    Files.createDirectories(layout.log());
    var view = Files.getFileAttributeView(layout.log(), PosixFileAttributeView.class);
    view.setGroup(group);
    view.setPermissions(PosixFilePermissions.fromString(mode));
  }

  private String afterTheStart() throws IOException {
    Directories.prepare(layout, Map.of(), "cib");
    var is = Files.readAttributes(layout.log(), PosixFileAttributes.class);
    return is.group().getName() + " " + PosixFilePermissions.toString(is.permissions());
  }

  @Test
  void theLogsDirectoryIsReadByTheGroup() throws IOException {
    assertEquals("haclient rwxr-x---", afterTheStart());
  }

  @Test
  void aLogsDirectoryThatTheGroupMayWriteToStaysSo() throws IOException {
    logDirectory(cluster, "rwxrwx---");
    assertEquals("haclient rwxrwx---", afterTheStart());
  }

  @Test
  void aLogsDirectoryThatTheGroupCannotReadIsMended() throws IOException {
    logDirectory(cluster, "rwx------");
    assertEquals("haclient rwxr-x---", afterTheStart());
  }

  @Test
  void aLogsDirectoryOfAnotherGroupOrOfEverybodyIsMended() throws IOException {
    logDirectory(group("root"), "rwxrwx---");
    assertEquals("haclient rwxr-x---", afterTheStart());
    logDirectory(cluster, "rwxrwxrwx");
    assertEquals("haclient rwxr-x---", afterTheStart());
  }
}
