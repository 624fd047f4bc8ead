package org.systole.tools.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/// Users who may not ask the daemons of this node.
final class Outsiders {
  static final String WHY =
      "this user may not ask the cluster on this node, which answers root and members of group haclient:"
          + " ask as root, or have root put the user into the group (usermod -a -G haclient USER) and log in again";

  private Outsiders() {}

  /// Whether the daemons' sockets are there, or may be, but not for this user.
  ///
  /// @param run their directory
  /// @param mayEnter whether this user can reach what is in a directory
  static boolean isOutside(Path run, Predicate<Path> mayEnter) {
    return Files.isDirectory(run) && !mayEnter.test(run);
  }
}
