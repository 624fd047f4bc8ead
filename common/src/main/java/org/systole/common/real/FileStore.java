package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Store;

/// A directory of durable files, written on one thread in the order asked for.
final class FileStore implements Store {
  private static final String TEMPORARY = ".new.";
  private static final int BATCHES = 10_000;

  private record Batch(List<Change> changes, Consumer<@Nullable String> done) {}

  private final Path directory;
  private final Directories directories;
  private final String mode;
  private final EventLoop loop;
  private final LinkedBlockingQueue<Batch> batches = new LinkedBlockingQueue<>(BATCHES);
  private @Nullable Thread writer;

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
      return Files.readAllBytes(file(name));
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new StoreException("Cannot read " + CannotStart.reason(e));
    }
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
    for (var change : changes) {
      try {
        switch (change) {
          case Change.Write(var name, var content) -> replace(name, content);
          case Change.Rename(var from, var to) -> {
            if (Files.exists(file(from))) {
              Files.move(
                  file(from),
                  file(to),
                  StandardCopyOption.ATOMIC_MOVE,
                  StandardCopyOption.REPLACE_EXISTING);
            }
          }
          case Change.Delete(var name) -> Files.deleteIfExists(file(name));
        }
        syncDirectory();
      } catch (IOException e) {
        return "Cannot write " + CannotStart.reason(e);
      }
    }
    return null;
  }

  private void replace(String name, byte[] content) throws IOException {
    var temporary = directory.resolve(TEMPORARY + name);
    Files.deleteIfExists(temporary);
    var ownOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (var channel =
        FileChannel.open(
            temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownOnly)) {
      var buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      directories.grant(temporary, mode);
      channel.force(true);
    }
    Files.move(
        temporary, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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
