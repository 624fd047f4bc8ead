package org.systole.cts.lab;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;

/// An installation with the lab's own agents beside those of the distribution, whose libraries it
/// shares.
final class LabHome {
  private LabHome() {}

  /// The distribution to be tested: `-Dsystole.dist`, `SYSTOLE_DIST`, or what the build made.
  static Path distribution() {
    var named = System.getProperty("systole.dist", System.getenv("SYSTOLE_DIST"));
    if (named != null) {
      return Path.of(named).toAbsolutePath();
    }
    var here = Path.of(System.getProperty("user.dir"));
    var project = Files.exists(here.resolve("tools")) ? here : here.resolve("..");
    return project.resolve("tools/target/systole").toAbsolutePath().normalize();
  }

  static void make(Path distribution, Path home) throws IOException {
    Files.createDirectories(home);
    for (var part : new String[] {"sbin", "libexec", "share"}) {
      copy(distribution.resolve(part), home.resolve(part));
    }
    Files.createSymbolicLink(home.resolve("lib"), distribution.resolve("lib"));
    install("witness", home.resolve("share/systole/ocf/resource.d/lab/Witness"));
    install("fence_lab", home.resolve("sbin/fence_lab"));
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

  private static void install(String resource, Path program) throws IOException {
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

  /// Removes a directory with all that is in it.
  static void remove(Path directory) throws IOException {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      try (var files = Files.walk(directory)) {
        for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
