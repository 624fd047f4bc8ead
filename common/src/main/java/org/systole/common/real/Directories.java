package org.systole.common.real;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Connection.Credentials;

/// The node's directories with their owners and modes, and who counts as the cluster.
///
/// Where the group `haclient` exists and this process may give files to it, its members reach the
/// sockets made for them; elsewhere, as in a demonstration on somebody's own machine, only the
/// owner does.
final class Directories {
  private static final String GROUP = "haclient";
  private static final String USER = "hacluster";

  private final Layout layout;
  private final String owner;
  private final @Nullable GroupPrincipal group;

  private Directories(Layout layout, String owner, @Nullable GroupPrincipal group) {
    this.layout = layout;
    this.owner = owner;
    this.group = group;
  }

  /// Makes what is missing of a node's directories.
  ///
  /// @throws CannotStart if one cannot be made
  static Directories prepare(Layout layout, String stateName) {
    try {
      Files.createDirectories(layout.run());
      var owner = Files.getOwner(layout.run()).getName();
      var directories = new Directories(layout, owner, findGroup(layout.run()));
      directories.make(layout.run());
      directories.make(layout.state());
      directories.make(layout.state(stateName));
      directories.make(layout.log());
      return directories;
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot prepare the node's directories under %s: %s"
              .formatted(layout.root(), CannotStart.reason(e)));
    }
  }

  private static @Nullable GroupPrincipal findGroup(Path directory) throws IOException {
    if (!"root".equals(Files.getOwner(directory).getName())
        || !"root".equals(System.getProperty("user.name"))) {
      return null;
    }
    try {
      return directory
          .getFileSystem()
          .getUserPrincipalLookupService()
          .lookupPrincipalByGroupName(GROUP);
    } catch (UserPrincipalNotFoundException e) {
      return null;
    }
  }

  private void make(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory.getParent());
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    if (Files.isWritable(directory)) {
      grant(directory, group == null ? "rwx------" : "rwxr-x---");
    }
  }

  /// Sets owner group and mode; without a group its share of the mode is dropped.
  void grant(Path file, String mode) throws IOException {
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (group != null) {
      view.setGroup(group);
      view.setPermissions(PosixFilePermissions.fromString(mode));
    } else {
      view.setPermissions(PosixFilePermissions.fromString(mode.substring(0, 3) + "------"));
    }
  }

  /// A directory nobody else may enter; its path is short because a socket's path must be.
  Path asideForSockets() throws IOException {
    var directory = layout.run().resolve(".b");
    if (!Files.isDirectory(directory)) {
      try {
        Files.createDirectory(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (java.nio.file.FileAlreadyExistsException e) {
        return directory; // another daemon was quicker
      }
    }
    return directory;
  }

  Credentials credentials(SocketChannel channel) throws IOException {
    var peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    var user = peer.user().getName();
    return new Credentials(
        user,
        peer.group().getName(),
        user.equals("root") || user.equals(USER) || user.equals(owner));
  }
}
