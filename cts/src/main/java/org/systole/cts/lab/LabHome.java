package org.systole.cts.lab;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An installation with the lab's own agents beside those of the distribution, whose libraries it
/// shares.
public final class LabHome {
  private static final List<String> COPIED = List.of("sbin", "libexec", "share");
  private static final String SHARED = "lib";
  private static final int TRIES = 100; // to remove what others still write to

  private LabHome() {}

  /// The distribution to be tested: `-Dsystole.dist`, `SYSTOLE_DIST`, or what the build made.
  public static Path distribution() {
    var named = System.getProperty("systole.dist", System.getenv("SYSTOLE_DIST"));
    if (named != null) {
      return Path.of(named).toAbsolutePath();
    }
    var here = Path.of(System.getProperty("user.dir"));
    var project = Files.exists(here.resolve("tools")) ? here : here.resolve("..");
    return project.resolve("tools/target/systole").toAbsolutePath().normalize();
  }

  /// The older build that nodes are upgraded from: what `SYSTOLE_PREVIOUS` names, null if nothing.
  static @Nullable Path previous() {
    var named = System.getenv("SYSTOLE_PREVIOUS");
    return named == null || named.isEmpty() ? null : Path.of(named).toAbsolutePath();
  }

  static void make(Path distribution, Path home) throws IOException {
    Files.createDirectories(home);
    for (var part : COPIED) {
      copy(distribution.resolve(part), home.resolve(part));
    }
    Files.createSymbolicLink(home.resolve(SHARED), distribution.resolve(SHARED));
    install("witness", home.resolve("share/systole/ocf/resource.d/lab/Witness"));
    install("machine", home.resolve("share/systole/ocf/resource.d/lab/Machine"));
    install("fence_lab", home.resolve("sbin/fence_lab"));
  }

  /// Puts another build in the place of one. What runs goes on with the files it has; agents are
  /// there throughout.
  static void replace(Path distribution, Path home) throws IOException {
    var fresh = home.resolveSibling(home.getFileName() + ".new");
    var old = home.resolveSibling(home.getFileName() + ".old");
    make(distribution, fresh);
    Files.createDirectories(old);
    for (var part : COPIED) {
      Files.move(home.resolve(part), old.resolve(part));
      Files.move(fresh.resolve(part), home.resolve(part));
    }
    Files.move(
        fresh.resolve(SHARED), home.resolve(SHARED), StandardCopyOption.ATOMIC_MOVE);
    remove(fresh);
    remove(old);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.walk(from)) {
      for (var file : files.toList()) {
        Files.copy(
            file,
            to.resolve(from.relativize(file).toString()),
            LinkOption.NOFOLLOW_LINKS,
            StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  static void install(String resource, Path program) throws IOException {
    Files.createDirectories(program.getParent());
    Files.writeString(program, text(resource));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// A text file that lies beside the lab's classes.
  static String text(String resource) throws IOException {
    try (var in = LabHome.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new FileNotFoundException(resource + " is missing beside the lab's classes");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// Removes a directory with all that is in it, also what somebody puts there meanwhile who is about to end.
  static void remove(Path directory) throws IOException {
    for (var tries = TRIES; Files.exists(directory, LinkOption.NOFOLLOW_LINKS); tries--) {
      try (var files = Files.walk(directory)) {
        for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (DirectoryNotEmptyException | NoSuchFileException e) {
        if (tries == 0) {
          throw e;
        }
      } catch (UncheckedIOException e) { // of the walk
        if (tries == 0 || !(e.getCause() instanceof NoSuchFileException)) {
          throw new IOException(directory + " cannot be removed", e);
        }
      }
    }
  }
}
