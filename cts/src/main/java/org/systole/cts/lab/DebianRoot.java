package org.systole.cts.lab;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The root directory of a Debian, which all machines begin with, and with what the page has one
/// install in apt's cache, as they reach nothing but each other. Made once, and kept.
final class DebianRoot {
  private static final String OLDEST = "bookworm";
  private static final String RELEASE = System.getenv().getOrDefault("LAB_DEBIAN", OLDEST);
  private static final String MIRROR = "deb.debian.org";
  private static final int PORT = 80;
  private static final int NO_DEBIAN = 75; // the script's status
  private static final Duration REACH = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofMinutes(60); // on a machine that is busy

  private DebianRoot() {}

  /// Whether it is the oldest release that is told of, whose programs need more help than later ones.
  static boolean isOldest() {
    return RELEASE.equals(OLDEST);
  }

  /// Why there can be none here, empty if there can.
  static String obstacle() {
    if (Files.exists(directory())) {
      return "";
    }
    if (!Files.isExecutable(Path.of("/usr/sbin/debootstrap"))) {
      return "debootstrap is not installed";
    }
    if (System.getenv("DEBIAN_MIRROR") != null || System.getenv("http_proxy") != null) {
      return "";
    }
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(MIRROR, PORT), (int) REACH.toMillis());
      return "";
    } catch (IOException e) {
      return "%s cannot be reached: %s".formatted(MIRROR, e.getMessage());
    }
  }

  /// What the page says in words: from Debian 13 on one names the agents one wants.
  private static String ofRelease(String text) {
    return isOldest() ? text : text.replaceAll("\\bfence-agents\\b(?!-)", "fence-agents-ipmilan");
  }

  private static Path directory() {
    var home = System.getenv("XDG_CACHE_HOME");
    return Path.of(home == null || home.isEmpty() ? "/var/cache" : home)
        .resolve("systole")
        .resolve("debian-" + RELEASE);
  }

  /// @param directory where its script and what that says may be put
  /// @param packages where Systole's packages are
  /// @param command is run there, unless it has been
  /// @param names of packages of Debian's
  static Path make(Path directory, Path packages, String command, List<String> names) throws IOException {
    var script = directory.resolve("debian-root");
    LabHome.install("debian-root", script);
    var root = directory();
    Files.createDirectories(root.getParent());
    var line =
        new ArrayList<>(
            List.of(
                "unshare", "-m", "--propagation", "private", script.toString(), RELEASE,
                root.toString(), packages.toString(), ofRelease(command)));
    names.forEach(it -> line.add(ofRelease(it)));
    var outcome = LabCommands.run(line, "", LIMIT);
    Files.writeString(directory.resolve("debian-root.log"), outcome.output());
    LabFailure.unless(
        outcome.status() != NO_DEBIAN, "there is no Debian to begin with: " + LabCommands.end(outcome.output()));
    LabFailure.unless(
        outcome.status() == 0, "the packages do not fit into a Debian: " + LabCommands.end(outcome.output()));
    return root;
  }
}
