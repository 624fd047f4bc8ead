package org.systole.common.real;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;
import org.systole.common.world.ClusterAccount;
import org.systole.common.world.Connection.Credentials;

/// The node's directories with their owners and modes, and who counts as the cluster.
///
/// Where the group `haclient` exists and this process may give files to it, its members reach the
/// sockets made for them; elsewhere, as in a demonstration on a user's own machine, only the
/// owner does. Where daemons run as `hacluster`, root makes the directories they need theirs.
final class Directories {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Layout layout;
  private final String owner;
  private final @Nullable GroupPrincipal group;
  private final @Nullable UserPrincipal account;
  private final UserGroups userGroups = new UserGroups();

  private Directories(
      Layout layout,
      String owner,
      @Nullable GroupPrincipal group,
      @Nullable UserPrincipal account) {
    this.layout = layout;
    this.owner = owner;
    this.group = group;
    this.account = account;
  }

  /// Makes what is missing of a node's directories.
  ///
  /// @param stateName the directory of this process' durable files
  /// @throws CannotStart if one cannot be made
  static Directories prepare(Layout layout, Map<String, String> environment, String stateName) {
    try {
      Files.createDirectories(layout.run());
      var us = System.getProperty("user.name");
      var root = us.equals("root");
      var users = layout.run().getFileSystem().getUserPrincipalLookupService();
      var first = Files.getOwner(layout.run()).getName();
      var ours = first.equals(us) || first.equals(ClusterAccount.USER);
      var group = ours && (root || us.equals(ClusterAccount.USER)) ? group(users) : null;
      var account =
          root && ClusterAccount.isUsed(environment)
              ? users.lookupPrincipalByName(ClusterAccount.USER)
              : null;
      var directories =
          new Directories(layout, account == null ? first : account.getName(), group, account);
      directories.make(layout.run(), account);
      directories.makeForLog(layout.log());
      directories.make(layout.state(), account);
      directories.make(layout.state(stateName), null);
      return directories;
    } catch (UserPrincipalNotFoundException e) {
      throw new CannotStart("There is no user " + e.getName());
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot prepare the node's directories under %s: %s"
              .formatted(layout.root(), CannotStart.reason(e)));
    }
  }

  private static @Nullable GroupPrincipal group(UserPrincipalLookupService users)
      throws IOException {
    try {
      return users.lookupPrincipalByGroupName(ClusterAccount.GROUP);
    } catch (UserPrincipalNotFoundException e) {
      return null;
    }
  }

  /// What a package or the administrator has chosen stays: Debian's has the group write there.
  private void makeForLog(Path directory) throws IOException {
    refuseOthersLink(directory);
    if (!servesGroup(directory)) {
      make(directory, null);
    }
  }

  /// Whether the cluster's group can read what is in a directory, and nobody else can put anything
  /// there.
  private boolean servesGroup(Path directory) throws IOException {
    if (group == null || !Files.isDirectory(directory)) {
      return false;
    }
    var is = Files.readAttributes(directory, PosixFileAttributes.class);
    return is.group().equals(group)
        && is.permissions().containsAll(PosixFilePermissions.fromString("rwxr-x---"))
        && !is.permissions().contains(PosixFilePermission.OTHERS_WRITE);
  }

  private void make(Path directory, @Nullable UserPrincipal shallOwn) throws IOException {
    refuseOthersLink(directory);
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory.getParent());
      try {
        Files.createDirectory(directory, PRIVATE);
      } catch (FileAlreadyExistsException e) {
        return; // another daemon was quicker
      }
    }
    if (isOurs(directory)) {
      grant(directory, "rwxr-x---");
      if (shallOwn != null) {
        Files.setOwner(directory, shallOwn);
      }
    }
  }

  /// A link that is root's or this user's own leads where the administrator wants it. Another one,
  /// in a directory that is the cluster's user's, would have root give away what it leads to.
  private static void refuseOthersLink(Path directory) throws IOException {
    if (Files.isSymbolicLink(directory)) {
      var by = Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName();
      if (!by.equals("root") && !by.equals(System.getProperty("user.name"))) {
        throw new IOException("%s is a link of user %s; remove it".formatted(directory, by));
      }
    }
  }

  /// Only root and the owner may change a file's mode.
  private static boolean isOurs(Path file) throws IOException {
    var us = System.getProperty("user.name");
    return us.equals("root") || us.equals(Files.getOwner(file).getName());
  }

  /// Gives directories of durable files that root has made so far to the cluster's account. The
  /// directory comes last: as long as it is root's, no other user can have put anything in there.
  ///
  /// @throws CannotStart if that fails
  void handOver(List<String> stateNames) {
    if (account == null) {
      return;
    }
    for (var name : stateNames) {
      var directory = layout.state(name);
      try {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
            && "root".equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName())) {
          handOver(directory, account);
        }
      } catch (IOException e) {
        throw new CannotStart(
            "Cannot give %s to user %s: %s"
                .formatted(directory, account.getName(), CannotStart.reason(e)));
      }
    }
  }

  private void handOver(Path directory, UserPrincipal to) throws IOException {
    try (var files = Files.newDirectoryStream(directory)) {
      for (var file : files) {
        var view =
            Files.getFileAttributeView(
                file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        if (view.readAttributes().isRegularFile()) {
          if (group != null) {
            view.setGroup(group);
          }
          view.setOwner(to);
        }
      }
    }
    grant(directory, "rwxr-x---");
    Files.setOwner(directory, to);
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

  /// Makes the log one that the cluster's group may read and all daemons may write.
  ///
  /// @param mode the one the administrator has chosen; null for the usual one
  void grantLog(Path file, @Nullable Set<PosixFilePermission> mode) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return; // a terminal, say, which others use too
    }
    var us = System.getProperty("user.name");
    var view =
        Files.getFileAttributeView(file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (us.equals("root") || us.equals(view.getOwner().getName())) {
      if (group != null) {
        view.setGroup(group);
      }
      view.setPermissions(
          mode != null
              ? mode
              : PosixFilePermissions.fromString(group == null ? "rw-------" : "rw-rw----"));
      if (account != null) {
        view.setOwner(account);
      }
    }
  }

  /// A directory no other user may enter, one for each user of daemons: root must not find in it
  /// what another user has put there. Its path is short because a socket's path must be.
  Path asideForSockets() throws IOException {
    var us = System.getProperty("user.name");
    var directory = layout.run().resolve(us.equals(ClusterAccount.USER) ? ".c" : ".b");
    try {
      Files.createDirectory(directory, PRIVATE);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
          || !us.equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName())) {
        throw new IOException(directory + " belongs to somebody else; remove it", e);
      }
    }
    return directory;
  }

  /// Who is at the other end. Takes as long as the user database needs, except for the cluster's
  /// own users.
  Credentials credentials(SocketChannel channel) throws IOException {
    var peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    var user = peer.user().getName();
    var primary = peer.group().getName();
    if (user.equals("root") || user.equals(ClusterAccount.USER) || user.equals(owner)) {
      return new Credentials(user, List.of(primary), true);
    }
    var groups = new LinkedHashSet<String>();
    groups.add(primary);
    groups.addAll(userGroups.of(user));
    return new Credentials(user, List.copyOf(groups), false);
  }

  /// Whether a user may talk to a daemon. The modes of the sockets say the same; they can be
  /// changed by mistake, and who has an open socket can hand it on.
  boolean mayConnect(Credentials peer) {
    return peer.privileged() || group != null && peer.groups().contains(ClusterAccount.GROUP);
  }

  List<String> groupsOf(String user) {
    return userGroups.of(user);
  }
}
