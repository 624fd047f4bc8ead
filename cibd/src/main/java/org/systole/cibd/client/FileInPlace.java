package org.systole.cibd.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
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

  private static final int STICKY = 01000;
  private static final int WRITTEN_BY_OTHERS = 022;

  private FileInPlace() {}

  /// @throws IOException if it cannot be written; a complete copy may then lie beside it
  static void write(Path file, byte[] content) throws IOException {
    var how = how(file);
    var copy = copyOf(file);
    var copied = copied(copy, content);
    fill(file, how, content);
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

  /// How it is opened, so that what was found holds for what is written, whoever puts something else in its place
  /// meanwhile. A link is followed where nobody but this user and root could have put it there: others
  /// could make it lead to any file, to have that one overwritten.
  static Set<OpenOption> how(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      if (!isOurs(owner(file))) {
        throw new IOException("it is a symbolic link that is somebody else's");
      }
      var directory = file.toAbsolutePath().getParent();
      if (directory != null && mayOthersReplaceIn(directory)) {
        throw new IOException("it is a symbolic link in a directory where others may put one");
      }
      return Set.of(
          StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
    }
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
        ? Set.of(
            StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING, LinkOption.NOFOLLOW_LINKS)
        : Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
  }

  /// In a sticky one, as `/tmp`, only the owner of what is there may.
  private static boolean mayOthersReplaceIn(Path directory) throws IOException {
    var mode = (Integer) Files.getAttribute(directory, "unix:mode");
    return (mode & STICKY) == 0 && (mode & WRITTEN_BY_OTHERS) != 0
        || !isOurs((Integer) Files.getAttribute(directory, "unix:uid"));
  }

  private static boolean isOurs(int user) throws IOException {
    return user == 0 || user == ownerOfThisProcess();
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  private static int ownerOfThisProcess() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
  }

  static void fill(Path file, Set<OpenOption> how, byte[] content) throws IOException {
    try (var channel =
        FileChannel.open(file, how, PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
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
