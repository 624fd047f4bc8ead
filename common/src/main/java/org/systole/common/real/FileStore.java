package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Store;

/// A directory of durable files, written on one thread in the order asked for.
final class FileStore implements Store {
  private static final String TEMPORARY = ".new.";
  private static final int BATCHES = 10_000;
  private static final int ROOM = 256 << 10;
  private static final long COPIED_MAX = 64L << 20;
  private static final String MARKS = "unix:ino,size,lastModifiedTime"; // they stay while nobody touches the file
  private static final Map<String, Object> NO_FILE = Map.of();
  private static final FileAttribute<Set<PosixFilePermission>> OWN_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private record Batch(List<Change> changes, Consumer<@Nullable String> done) {}

  private final Path directory;
  private final Directories directories;
  private final String mode;
  private final EventLoop loop;
  private final LinkedBlockingQueue<Batch> batches = new LinkedBlockingQueue<>(BATCHES);
  private @Nullable Thread writer;
  private @Nullable FileChannel appending; // the writer's own, as the two below
  private String appendingTo = "";
  private long appendAt;
  private final Set<String> compared = new TreeSet<>(); // the writer's own, as the next one
  private final Map<String, Seen> seen = new TreeMap<>(); // of the files that are compared
  private final Map<String, Map<String, Object>> expected = new TreeMap<>(); // marks in the batch that is carried out

  /// A file as it was when it was last written or compared.
  private record Seen(Map<String, Object> marks, byte[] content) {}

  /// @param mode of the files, such as `rw-------`
  FileStore(Path directory, Directories directories, String mode, EventLoop loop) {
    this.directory = directory;
    this.directories = directories;
    this.mode = mode;
    this.loop = loop;
  }

  @Override
  public byte @Nullable [] read(String name) throws StoreException {
    try {
      return withoutRoom(Files.readAllBytes(readable(file(name))));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new StoreException(CannotStart.reason(e));
    }
  }

  /// A pipe would be waited for, a device has no end, and what is longer than the memory ends the process that reads it.
  private static Path readable(Path file) throws IOException {
    var is = Files.readAttributes(file, BasicFileAttributes.class);
    if (!is.isRegularFile()) {
      throw new IOException(file + ": it is no regular file");
    }
    var most = Runtime.getRuntime().maxMemory() / 2;
    if (is.size() > most) {
      throw new IOException("%s: it has %d bytes, more than the %d that fit into the memory".formatted(file, is.size(), most));
    }
    return file;
  }

  @Override
  public List<String> list() {
    try (var files = Files.list(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(it -> it.getFileName().toString())
          .filter(it -> !it.startsWith(TEMPORARY))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new CannotStart("Cannot list " + CannotStart.reason(e));
    }
  }

  @Override
  public void change(List<Change> batch, Consumer<@Nullable String> done) {
    if (writer == null) {
      writer = Thread.ofPlatform().daemon().name("store").start(this::write);
    }
    if (!batches.offer(new Batch(List.copyOf(batch), done))) {
      loop.post(() -> done.accept("the disk does not keep up: " + BATCHES + " changes wait"));
    }
  }

  private void write() {
    try {
      while (true) {
        var batch = batches.take();
        var outcome = carryOut(batch.changes);
        loop.post(() -> batch.done.accept(outcome));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable String carryOut(List<Change> changes) {
    expected.clear();
    for (var change : changes) {
      try {
        if (!(change instanceof Change.Append) && !(change instanceof Change.Expect)) {
          closeLog();
        }
        switch (change) {
          case Change.Write(var name, var content) -> {
            var found = replace(name, content);
            if (found != null) {
              return found;
            }
          }
          case Change.Make(var name, var content) -> {
            var found = replace(name, made(name, content));
            if (found != null) {
              return found;
            }
          }
          case Change.Append(var name, var content) -> {
            if (append(name, content)) {
              continue; // the directory is as it was
            }
          }
          case Change.Rename(var from, var to) -> {
            if (Files.exists(file(from))) {
              rename(from, to);
            }
          }
          case Change.Delete(var name) -> Files.deleteIfExists(file(name));
          case Change.Expect(var name, var content) -> {
            var found = asExpected(name, content);
            if (found != null) {
              return found;
            }
            continue;
          }
        }
        syncDirectory();
      } catch (IOException e) {
        return CannotStart.reason(e);
      }
    }
    return null;
  }

  private static byte[] made(String name, Supplier<byte[]> content) throws IOException {
    try {
      return content.get();
    } catch (RuntimeException e) {
      throw new IOException(name + ": its content could not be made: " + e, e); // the thread has others to write
    }
  }

  /// The file is read only where its marks do not tell that it is as before, and where it may be the same: what somebody
  /// has put there can be of any kind and length.
  private @Nullable String asExpected(String name, byte @Nullable [] content) {
    compared.add(name);
    try {
      var marks = marks(file(name));
      expected.put(name, marks);
      var before = seen.get(name);
      if (before != null && before.marks.equals(marks)) {
        return null;
      }
      for (var wanted : Arrays.asList(content, before == null ? null : before.content)) {
        if (wanted != null && holds(file(name), wanted)) {
          seen.put(name, new Seen(marks, wanted));
          return null;
        }
      }
      return CHANGED;
    } catch (NoSuchFileException e) {
      expected.put(name, NO_FILE);
      return content == null ? null : GONE;
    } catch (IOException e) {
      return CHANGED; // what cannot be read is not what was written
    }
  }

  private static boolean holds(Path file, byte[] content) throws IOException {
    return Files.isRegularFile(file)
        && Files.size(file) == content.length
        && Arrays.equals(Files.readAllBytes(file), content);
  }

  /// What a batch expects of a file is looked at once more when the one that takes its place is on disk: that takes long
  /// enough for somebody to write to it.
  private @Nullable String changedSince(String name) throws IOException {
    var before = expected.remove(name);
    if (before == null) {
      return null;
    }
    try {
      return marks(file(name)).equals(before) ? null : CHANGED;
    } catch (NoSuchFileException e) {
      return before == NO_FILE ? null : GONE;
    }
  }

  private static Map<String, Object> marks(Path file) throws IOException {
    return Files.readAttributes(file, MARKS, LinkOption.NOFOLLOW_LINKS);
  }

  /// Room is made ahead of what is written: bringing the content to disk then needs no change of
  /// the file's own data. On a disk that has none left, the content alone is tried, and what of it
  /// does not fit is given back.
  ///
  /// @return whether the file was there
  private boolean append(String name, byte[] content) throws IOException {
    var log = appending;
    var known = log != null && name.equals(appendingTo);
    if (log == null || !known) {
      closeLog();
      if (Files.exists(file(name))) {
        readable(file(name));
      }
      log =
          FileChannel.open(
              file(name),
              Set.of(
                  StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
              OWN_ONLY);
      appending = log;
      appendingTo = name;
      directories.grant(file(name), mode);
      appendAt = withoutRoom(Files.readAllBytes(file(name))).length;
    }
    if (appendAt + content.length > log.size()) {
      makeRoom(log, Math.max(ROOM, content.length));
    }
    try {
      writeAt(log, content, appendAt);
      log.force(false);
    } catch (IOException e) {
      log.truncate(appendAt);
      throw e;
    }
    appendAt += content.length;
    return known;
  }

  private void makeRoom(FileChannel log, int length) throws IOException {
    try {
      writeAt(log, new byte[length], appendAt);
      log.force(true);
    } catch (IOException e) {
      log.truncate(appendAt); // what it has taken would be missing elsewhere
    }
  }

  private static void writeAt(FileChannel channel, byte[] content, long position)
      throws IOException {
    var buffer = ByteBuffer.wrap(content);
    while (buffer.hasRemaining()) {
      channel.write(buffer, position + buffer.position());
    }
  }

  /// Closes the file that is appended to and gives the room at its end back.
  private void closeLog() throws IOException {
    var log = appending;
    appending = null;
    if (log != null) {
      try (log) {
        log.truncate(appendAt);
      }
    }
  }

  /// A file's content without the room made at its end.
  private static byte[] withoutRoom(byte[] content) {
    var length = content.length;
    while (length > 0 && content[length - 1] == 0) {
      length--;
    }
    return length == content.length ? content : Arrays.copyOf(content, length);
  }

  /// A file that somebody has put there may be open to all, and hold what not all may read. Only its owner could change that:
  /// a copy takes its place. One that cannot be copied stays what it is.
  private void rename(String from, String to) throws IOException {
    if (isOpenToOthers(file(from)) && isCopied(file(from), to)) {
      Files.delete(file(from));
    } else {
      Files.move(
          file(from), file(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private boolean isCopied(Path from, String to) {
    try {
      return replace(to, Files.readAllBytes(from)) == null;
    } catch (IOException e) {
      temporary(to).toFile().delete(); // it takes room
      return false;
    }
  }

  private boolean isOpenToOthers(Path file) throws IOException {
    var is = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return is.isRegularFile()
        && is.size() <= COPIED_MAX
        && !PosixFilePermissions.fromString(mode).containsAll(is.permissions());
  }

  private Path temporary(String name) {
    return directory.resolve(TEMPORARY + name);
  }

  private @Nullable String replace(String name, byte[] content) throws IOException {
    var temporary = temporary(name);
    Files.deleteIfExists(temporary);
    try (var channel =
        FileChannel.open(
            temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWN_ONLY)) {
      var buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      directories.grant(temporary, mode);
      channel.force(true);
    }
    var found = changedSince(name);
    if (found != null) {
      Files.deleteIfExists(temporary);
      return found;
    }
    if (compared.contains(name)) {
      seen.put(name, new Seen(marks(temporary), content));
    }
    Files.move(
        temporary, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return null;
  }

  private void syncDirectory() throws IOException {
    try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private Path file(String name) {
    if (name.isEmpty()
        || name.indexOf('/') >= 0
        || name.startsWith(TEMPORARY)
        || name.startsWith("..")) {
      throw new IllegalArgumentException("not a file name: " + name);
    }
    return directory.resolve(name);
  }
}
