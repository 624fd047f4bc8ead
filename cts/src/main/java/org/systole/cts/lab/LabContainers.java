package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.systole.cts.local.LocalNode;

/// Containers on nodes of the lab, run by Debian's podman, each node with images and containers of its own.
final class LabContainers {
  private static final Path PODMAN = Path.of("/usr/bin/podman");
  private static final int FIRST_ADDRESS = 100;
  private static final int COMMAND_SECONDS = 60;

  private static final List<String> DIRECTORIES =
      List.of("usr", "etc/pacemaker", "tmp", "run", "var/log", "var/lib", "proc", "sys", "dev");

  private static final String SETTINGS =
      """
      [containers]
      cgroups="disabled"
      default_ulimits=["nofile=20000:20000","nproc=4000:4000"]
      [engine]
      cgroup_manager="cgroupfs"
      events_logger="file"
      """;

  private LabContainers() {}

  /// Why there can be no containers here, empty if there can.
  static String obstacle() {
    return Files.isExecutable(PODMAN) ? "" : "podman is not installed";
  }

  /// Gives the nodes podman and an image.
  static void prepare(Lab lab, Iterable<LocalNode> nodes) throws IOException {
    var home = home(lab);
    if (!Files.exists(home)) {
      LabHome.make(lab.distribution(), home);
    }
    var image = image(lab.dir().resolve("image"));
    for (var node : nodes) {
      Files.writeString(node.dir().resolve("containers.conf"), SETTINGS);
      LabHome.install("podman", node.home().resolve("sbin/podman"));
      Files.createDirectories(node.layout().run());
      Lab.succeed(node, "podman", "import", image.toString(), "local/lab");
    }
  }

  /// Where the program is that runs in containers.
  private static Path home(Lab lab) {
    return lab.dir().resolve("home").resolve("box");
  }

  /// A configuration with a bundle of two, which has all that a container of the lab needs.
  static String bundle(Lab lab) throws IOException {
    return LabHome.text("bundle.xml")
        .replace("@DIRECTORY@", lab.dir().toString())
        .replace("@HOME@", home(lab).toString())
        .replace("@PROGRAM@", lab.distribution().toString())
        .replace("@ADDRESS@", lab.network().address(FIRST_ADDRESS));
  }

  /// An image with nothing but directories: programs come from the host.
  private static Path image(Path directory) throws IOException {
    var archive = directory.resolveSibling("image.tar");
    if (Files.exists(archive)) {
      return archive;
    }
    for (var name : DIRECTORIES) {
      Files.createDirectories(directory.resolve(name));
    }
    for (var name : List.of("bin", "sbin", "lib", "lib64")) {
      Files.createSymbolicLink(directory.resolve(name), Path.of("usr", name));
    }
    Files.createSymbolicLink(directory.resolve("var/run"), Path.of("../run"));
    for (var name : List.of("passwd", "group")) {
      Files.copy(Path.of("/etc", name), directory.resolve("etc").resolve(name));
    }
    pack(directory, archive);
    return archive;
  }

  private static void pack(Path directory, Path archive) throws IOException {
    var tar =
        new ProcessBuilder("tar", "-C", directory.toString(), "-cf", archive.toString(), ".")
            .inheritIO()
            .start();
    try {
      LabFailure.unless(
          tar.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) && tar.exitValue() == 0,
          "tar did not pack " + directory);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
