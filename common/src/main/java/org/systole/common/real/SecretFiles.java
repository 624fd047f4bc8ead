package org.systole.common.real;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.Secrets;
import org.systole.common.world.CannotStart;
import org.systole.common.world.SecretStore;
import org.systole.common.world.SecretStore.Change;

/// The directory of secrets on this machine. Each call waits for the disk; any thread may call.
///
/// The directory above belongs to the cluster's own account, which is not root. So each directory
/// is opened from the one above without following a link, and is used only if it is root's; the
/// same goes for the files. Where daemons are not root's, as in a demonstration, their user's own
/// count too.
public final class SecretFiles {
  private static final String TEMPORARY = ".new.";
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");
  private static final Set<PosixFilePermission> OTHERS_WRITE =
      PosixFilePermissions.fromString("----w--w-");
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path state;
  private final Path root;
  private final String us = System.getProperty("user.name");

  public SecretFiles(Layout layout) {
    state = layout.state();
    root = state.resolve(Secrets.DIRECTORY);
  }

  /// The directory that has one for each resource.
  public Path directory() {
    return root;
  }

  /// @throws IllegalArgumentException if a name is not one of the store's
  public SecretStore.Contents read(String holder, List<String> names) {
    checkNames(holder, names);
    var problems = new ArrayList<String>();
    SortedMap<String, byte[]> files = new TreeMap<>();
    try (var directory = open(holder)) {
      if (directory != null) {
        for (var name : names) {
          read(directory, holder, name, files, problems);
        }
      }
    } catch (IOException e) {
      problems.add(CannotStart.reason(e));
    }
    return new SecretStore.Contents(files, problems);
  }

  public SecretStore.All readAll() {
    var problems = new ArrayList<String>();
    SortedMap<String, SortedMap<String, byte[]>> all = new TreeMap<>();
    try (var top = openTop()) {
      if (top != null) {
        for (var holder : entries(top, problems)) {
          all.put(holder, readAll(top, holder, problems));
          if (SecretStore.isTooMuch(all)) {
            all.remove(holder);
            problems.add(
                "%s holds more than %d files or %d bytes"
                    .formatted(root, SecretStore.FILES_MAX, SecretStore.BYTES_MAX));
            break;
          }
        }
      }
    } catch (IOException e) {
      problems.add(CannotStart.reason(e));
    }
    all.values().removeIf(SortedMap::isEmpty);
    return new SecretStore.All(all, problems);
  }

  private SortedMap<String, byte[]> readAll(
      SecureDirectoryStream<Path> top, String holder, List<String> problems) {
    SortedMap<String, byte[]> files = new TreeMap<>();
    try (var directory = openBelow(top, root, holder)) {
      if (directory != null) {
        for (var name : entries(directory, problems)) {
          read(directory, holder, name, files, problems);
        }
      }
    } catch (IOException e) {
      problems.add(CannotStart.reason(e));
    }
    return files;
  }

  private static List<String> entries(
      SecureDirectoryStream<Path> directory, List<String> problems) {
    var names = new ArrayList<String>();
    for (var entry : directory) {
      var name = entry.getFileName().toString();
      if (names.size() > SecretStore.FILES_MAX) {
        problems.add("a directory of secrets has more than %d entries".formatted(names.size() - 1));
        break;
      }
      if (SecretNames.isName(name)) {
        names.add(name);
      }
    }
    names.sort(null);
    return names;
  }

  /// @return null, or what went wrong at the first change that failed
  public @Nullable String change(List<Change> changes) {
    for (var change : changes) {
      try {
        switch (change) {
          case Change.Write(var holder, var name, var content) -> {
            checkNames(holder, List.of(name));
            write(holder, name, content);
          }
          case Change.Delete(var holder, var name) -> {
            checkNames(holder, List.of(name));
            delete(holder, name);
          }
        }
      } catch (IOException e) {
        return CannotStart.reason(e);
      }
    }
    return null;
  }

  private static void checkNames(String holder, List<String> names) {
    if (!SecretNames.isName(holder) || !names.stream().allMatch(SecretFiles::isFile)) {
      throw new IllegalArgumentException("not the name of a secret");
    }
  }

  private static boolean isFile(String name) {
    var end = name.endsWith(SecretNames.SIGN) ? name.length() - SecretNames.SIGN.length() : 0;
    return SecretNames.isName(end > 0 ? name.substring(0, end) : name);
  }

  private void read(
      SecureDirectoryStream<Path> directory,
      String holder,
      String name,
      SortedMap<String, byte[]> files,
      List<String> problems) {
    var path = root.resolve(holder).resolve(name);
    try {
      var attributes = attributes(directory, Path.of(name));
      var wrong = attributes.isRegularFile() ? notPrivate(path, attributes) : path + " is no file";
      if (wrong == null && attributes.size() > SecretStore.CONTENT_MAX) {
        wrong = "%s has more than %d bytes".formatted(path, SecretStore.CONTENT_MAX);
      }
      if (wrong != null) {
        problems.add(wrong);
        return;
      }
      try (var channel =
          directory.newByteChannel(
              Path.of(name), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
        files.put(name, content(channel));
      }
    } catch (NoSuchFileException e) {
      return; // that it is missing is for the caller to judge
    } catch (IOException e) {
      problems.add(path + ": " + CannotStart.reason(e));
    }
  }

  private static byte[] content(SeekableByteChannel channel) throws IOException {
    var buffer = ByteBuffer.allocate(SecretStore.CONTENT_MAX + 1);
    while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
      // a file may be read in parts
    }
    if (!buffer.hasRemaining()) {
      throw new IOException("it is too long");
    }
    var content = new byte[buffer.position()];
    buffer.flip().get(content);
    return content;
  }

  private @Nullable String notPrivate(Path path, PosixFileAttributes attributes) {
    var mode = PosixFilePermissions.toString(attributes.permissions());
    if (!isTrusted(attributes)) {
      return "%s belongs to %s, not to root".formatted(path, attributes.owner().getName());
    }
    if (attributes.permissions().stream().anyMatch(OTHERS::contains)) {
      return "%s is not root's alone (%s): chmod 600 it, and have the value changed if others read it"
          .formatted(path, mode);
    }
    return null;
  }

  private boolean isTrusted(PosixFileAttributes attributes) {
    var owner = attributes.owner().getName();
    return owner.equals("root") || owner.equals(us);
  }

  private void write(String holder, String name, byte[] content) throws IOException {
    if (content.length > SecretStore.CONTENT_MAX) {
      throw new IOException(
          "%s: more than %d bytes"
              .formatted(root.resolve(holder).resolve(name), SecretStore.CONTENT_MAX));
    }
    makeDirectories(holder);
    try (var directory = open(holder)) {
      if (directory == null) {
        throw new NoSuchFileException(root.resolve(holder).toString());
      }
      var temporary = Path.of(TEMPORARY + name);
      deleteIfThere(directory, temporary);
      try (var channel =
          directory.newByteChannel(
              temporary,
              Set.of(
                  StandardOpenOption.CREATE_NEW,
                  StandardOpenOption.WRITE,
                  LinkOption.NOFOLLOW_LINKS),
              PRIVATE)) {
        var buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        if (channel instanceof FileChannel file) {
          file.force(true);
        }
      }
      directory.move(temporary, directory, Path.of(name));
    }
    sync(root.resolve(holder));
  }

  private void delete(String holder, String name) throws IOException {
    try (var top = openTop()) {
      if (top == null) {
        return;
      }
      try (var directory = openBelow(top, root, holder)) {
        if (directory == null) {
          return;
        }
        deleteIfThere(directory, Path.of(name));
        sync(root.resolve(holder));
      }
      try {
        top.deleteDirectory(Path.of(holder));
        sync(root);
      } catch (DirectoryNotEmptyException e) {
        return; // it has others
      }
    }
  }

  private static void deleteIfThere(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    try {
      directory.deleteFile(name);
    } catch (NoSuchFileException e) {
      return;
    }
  }

  /// The directories are looked at when they are opened; a link in their place leads nowhere then.
  private void makeDirectories(String holder) throws IOException {
    var path = state;
    for (var name : Path.of(Secrets.DIRECTORY, holder)) {
      path = path.resolve(name);
      try {
        Files.createDirectory(path, PRIVATE_DIRECTORY);
        sync(path.getParent());
      } catch (FileAlreadyExistsException e) {
        continue;
      }
    }
  }

  private static void sync(Path directory) throws IOException {
    try (var channel =
        FileChannel.open(directory, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      channel.force(true);
    }
  }

  private @Nullable SecureDirectoryStream<Path> open(String holder) throws IOException {
    try (var top = openTop()) {
      return top == null ? null : openBelow(top, root, holder);
    }
  }

  /// @return null if there is none
  private @Nullable SecureDirectoryStream<Path> openTop() throws IOException {
    SecureDirectoryStream<Path> above;
    try {
      above = secure(Files.newDirectoryStream(state));
    } catch (NoSuchFileException e) {
      return null;
    }
    var path = state;
    var names = Path.of(Secrets.DIRECTORY);
    for (var at = 0; at < names.getNameCount(); at++) {
      SecureDirectoryStream<Path> below;
      try (var closing = above) {
        below = openBelow(closing, path, names.getName(at).toString());
      }
      if (below == null) {
        return null;
      }
      path = path.resolve(names.getName(at));
      above = below;
    }
    return above;
  }

  @SuppressWarnings("resource")
  private @Nullable SecureDirectoryStream<Path> openBelow(
      SecureDirectoryStream<Path> above, Path path, String name) throws IOException {
    var below = path.resolve(name);
    try {
      var before = attributes(above, Path.of(name));
      if (!before.isDirectory()) {
        throw new IOException(below + " is no directory, or a link; put a directory in its place");
      }
      var opened = above.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS);
      var attributes = opened.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
      if (isTrusted(attributes)
          && attributes.permissions().stream().noneMatch(OTHERS_WRITE::contains)) {
        return opened;
      }
      opened.close();
      throw new IOException(
          "%s has to be root's, and for nobody else to write in (it is %s's, %s)"
              .formatted(
                  below,
                  attributes.owner().getName(),
                  PosixFilePermissions.toString(attributes.permissions())));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static PosixFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    return directory
        .getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes();
  }

  private static SecureDirectoryStream<Path> secure(java.nio.file.DirectoryStream<Path> stream)
      throws IOException {
    if (stream instanceof SecureDirectoryStream<Path> it) {
      return it;
    }
    stream.close();
    throw new IOException("this file system cannot open a directory safely");
  }
}
