package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.systole.cts.local.LocalNode;

/// Debian's `corosync-qnetd` in a namespace of its own, with certificates as Corosync's tools make
/// them.
final class LabQnetd {
  /// What stands in a shape's lines for the server's address.
  static final String HOST = "@QNETD@";

  private static final List<String> NEEDED = List.of("corosync-qnetd", "certutil", "pk12util");
  private static final int SECONDS = 60;

  private final Path directory;
  private final List<String> within;
  private @Nullable Process process;

  private LabQnetd(Path directory, List<String> within) {
    this.directory = directory;
    this.within = within;
  }

  /// Why there can be none here, empty if there can.
  static String obstacle() {
    for (var it : NEEDED) {
      if (!Files.isExecutable(Path.of("/usr/bin", it))) {
        return it + " is not on this machine (packages corosync-qnetd and libnss3-tools)";
      }
    }
    return "";
  }

  /// Makes the certificates, gives the nodes theirs, and starts the server.
  ///
  /// @param within the command that runs another one in the server's namespace
  static LabQnetd make(Path directory, List<String> within, String cluster, List<LocalNode> nodes)
      throws IOException {
    var made = new LabQnetd(directory, within);
    Files.createDirectories(directory);
    made.certificates(cluster);
    for (var node : nodes) {
      var at = Files.createDirectories(node.dir().resolve("etc/corosync/qdevice/net/nssdb"));
      var file = at.resolve("qdevice-net-node.p12");
      Files.copy(
          directory.resolve("node.p12"), file, StandardCopyOption.REPLACE_EXISTING);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    made.start();
    return made;
  }

  private void certificates(String cluster) throws IOException {
    var password = directory.resolve("password");
    var noise = directory.resolve("noise");
    Files.writeString(password, "");
    Files.writeString(noise, "no secret of a lab: " + directory);
    for (var name : List.of("server", "node")) {
      Files.createDirectories(directory.resolve(name));
      certutil(name, "-N", "-f", "password");
    }
    certutil("server", "-S", "-n", "QNet CA", "-s", "CN=QNet CA", "-x", "-t", "CT,,", "-m", "1",
        "-2", "-v", "12", "-z", "noise", "-f", "password");
    certutil("server", "-S", "-n", "QNetd Cert", "-s", "CN=Qnetd Server", "-c", "QNet CA", "-t",
        "u,u,u", "-m", "2", "-v", "12", "-z", "noise", "-f", "password");
    Files.writeString(
        directory.resolve("ca.crt"), certutil("server", "-L", "-n", "QNet CA", "-a"));
    certutil("node", "-A", "-t", "CT,c,c", "-n", "QNet CA", "-f", "password", "-i", "ca.crt");
    certutil("node", "-R", "-s", "CN=" + cluster, "-o", "crq", "-f", "password", "-z", "noise");
    certutil("server", "-C", "-v", "12", "-i", "crq", "-o", "crt", "-f", "password", "-c",
        "QNet CA", "-m", "3");
    certutil("node", "-A", "-t", "u,u,u", "-n", "Cluster Cert", "-i", "crt");
    run(
        List.of("pk12util", "-d", "node", "-o", "node.p12", "-W", "", "-n", "Cluster Cert"),
        "");
  }

  private String certutil(String database, String... arguments) throws IOException {
    var line = new ArrayList<>(List.of("certutil", "-d", database));
    line.addAll(List.of(arguments));
    return run(line, "y\n0\ny\n"); // an authority, for nobody below it
  }

  private String run(List<String> line, String answers) throws IOException {
    var running =
        new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true).start();
    try (var to = running.getOutputStream()) {
      to.write(answers.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // most ask nothing
    }
    var said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (running.waitFor(SECONDS, TimeUnit.SECONDS) && running.exitValue() == 0) {
        return said;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.destroyForcibly();
    throw new IOException(String.join(" ", line) + ": " + said.strip());
  }

  void start() throws IOException {
    var line = new ArrayList<>(within);
    line.addAll(
        List.of(
            "corosync-qnetd",
            "-f",
            "-4",
            "-s",
            "req",
            "-S",
            "nss_db_dir=%1$s/server,lock_file=%1$s/pid,local_socket_file=%1$s/sock"
                .formatted(directory)));
    var builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("qnetd.log").toFile()));
    builder.environment().put("SYSTOLE_ROOT", directory.toString()); // so that it is found
    process = builder.start();
    Lab.awaitProcess(
        "corosync-qnetd is up", () -> Files.exists(directory.resolve("sock")) && isUp());
  }

  boolean isUp() {
    return process != null && process.isAlive();
  }

  /// It ends without a word.
  void kill() {
    var it = process;
    if (it != null) {
      it.descendants().forEach(ProcessHandle::destroyForcibly);
      it.destroyForcibly();
      it.onExit().join();
    }
    try {
      Files.deleteIfExists(directory.resolve("sock"));
      Files.deleteIfExists(directory.resolve("pid"));
    } catch (IOException e) {
      throw new LabFailure("cannot remove what corosync-qnetd left: " + e.getMessage());
    }
  }
}
