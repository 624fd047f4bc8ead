package org.systole.common.logging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Log.Level;

/// The node's log file, shared by all daemons of the node: lines are appended, as many as there are
/// at once in one write.
///
/// It is opened anew once its path leads elsewhere, which is what a rotation by renaming does. One
/// by copying and truncating needs nothing: appending goes on at the new end. A daemon that may not
/// make the new file goes on with the old one until another process has made it, and so does one
/// that finds something else in its place.
final class LogFile implements LogTarget {
  private static final Set<OpenOption> HOW =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
  private static final FileAttribute<Set<PosixFilePermission>> MODE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-rw----"));

  /// Gives a new log file its owner and mode.
  interface Owning {
    void give(Path file) throws IOException;
  }

  private final Path path;
  private final String origin;
  private final Owning owning;
  private @Nullable FileChannel channel;
  private @Nullable Object key;
  private @Nullable ByteBuffer rest;
  private boolean toldOfNoNew; // that the new file cannot be opened

  /// @param origin node, daemon and process, as each line names them
  LogFile(Path path, String origin, Owning owning) {
    this.path = path;
    this.origin = origin;
    this.owning = owning;
  }

  @Override
  public String what() {
    return "the log file " + path;
  }

  boolean isOpen() {
    return channel != null;
  }

  /// Opens it if it is not open yet.
  void open() throws IOException {
    opened();
  }

  @Override
  public void write(List<LogLine> lines) throws IOException {
    var to = opened();
    var bytes = rest;
    if (bytes == null) {
      bytes = encoded(lines);
      rest = bytes; // a full disk may take a part only
    }
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
    rest = null;
  }

  @Override
  public void idle() throws IOException {
    if (channel != null) {
      opened();
    }
  }

  private FileChannel opened() throws IOException {
    var now = channel;
    if (now == null) {
      return openNow();
    }
    try {
      if (Objects.equals(key, keyOf(path))) {
        return now;
      }
      var next = openNow();
      now.close();
      toldOfNoNew = false;
      return next;
    } catch (AccessDeniedException e) {
      return now; // a daemon of another user will make it
    } catch (IOException e) { // such as a link or a directory in its place
      if (!toldOfNoNew) {
        toldOfNoNew = true;
        var why =
            "Cannot open %s: %s. The log goes on in the file that was there before"
                .formatted(what(), reason(e));
        now.write(encoded(List.of(LogLine.own(Level.ERROR, why))));
      }
      return now;
    }
  }

  private ByteBuffer encoded(List<LogLine> lines) {
    var text = new StringBuilder();
    lines.forEach(it -> text.append(it.withTime(origin)));
    return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private FileChannel openNow() throws IOException {
    var directory = path.getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    var next = FileChannel.open(path, HOW, MODE);
    try {
      owning.give(path);
      key = keyOf(path);
    } catch (IOException e) {
      next.close();
      throw e;
    }
    channel = next;
    return next;
  }

  private static @Nullable Object keyOf(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /// What went wrong, for people.
  static String reason(Exception e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file";
      case FileAlreadyExistsException it -> it.getFile() + " is no directory";
      case FileSystemException it when it.getReason() != null -> it.getReason();
      case IOException it when it.getMessage() != null -> it.getMessage();
      default -> e.toString();
    };
  }
}
