package org.systole.cibd.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Writes a file in place, because programs that hold it open rely on it staying the same file.
/// While it is written, a complete copy of its new content lies beside it, for the case that the
/// machine fails meanwhile.
final class FileInPlace {
  /// Of the copy, whatever the file itself allows, and of a file that was not there: a configuration
  /// holds passwords.
  static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private FileInPlace() {}

  /// @throws IOException if it cannot be written; a complete copy may then lie beside it
  static void write(Path file, byte[] content) throws IOException {
    refuseLinkOfOthers(file);
    var copy = copyOf(file);
    var copied = copied(copy, content);
    fill(file, content);
    if (copied) {
      Files.deleteIfExists(copy);
    }
  }

  /// @return false if no file may be created beside it: then it is written without a copy
  private static boolean copied(Path copy, byte[] content) throws IOException {
    try {
      Files.deleteIfExists(copy); // which may be a link to anywhere
      try (var channel =
          FileChannel.open(
              copy,
              Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
              PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
        fill(channel, content);
      }
      return true;
    } catch (AccessDeniedException e) {
      return false;
    }
  }

  /// A link that belongs to this user or to root is followed. A link of another user is refused:
  /// that user could make it lead to any file, to have that one overwritten.
  private static void refuseLinkOfOthers(Path file) throws IOException {
    if (!Files.isSymbolicLink(file)) {
      return;
    }
    var linked = owner(file);
    if (linked != 0 && linked != ownerOfThisProcess()) {
      throw new IOException("it is a symbolic link that is somebody else's");
    }
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  private static int ownerOfThisProcess() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
  }

  private static void fill(Path file, byte[] content) throws IOException {
    try (var channel =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
      fill(channel, content);
    }
  }

  static void fill(FileChannel channel, byte[] content) throws IOException {
    var left = ByteBuffer.wrap(content);
    while (left.hasRemaining()) {
      channel.write(left);
    }
    channel.force(true);
  }

  private static Path copyOf(Path file) {
    return file.resolveSibling(file.getFileName() + ".new");
  }

  /// A hint for a file that may be truncated, empty if there is no copy.
  static String hintAtCopy(Path file) {
    var copy = copyOf(file);
    return Files.exists(copy)
        ? "; " + copy + " has what was last written, move it over the file if it is whole"
        : "";
  }
}
