package org.systole.pacemakerd.qdevice;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/// Debian's qnetd on this machine, with certificates as Corosync's tools make them. A test that
/// wants it is skipped where it is not installed.
final class Qnetd {
  static final String CLUSTER = "lab";
  private static final List<String> NEEDED = List.of("corosync-qnetd", "certutil", "pk12util");

  private final Path directory;
  private final int port;
  private Process process;

  Qnetd(Path directory, String tls) throws Exception {
    for (var it : NEEDED) {
      Assumptions.assumeTrue(
          Files.isExecutable(Path.of("/usr/bin", it)), it + " is not on this machine");
    }
    this.directory = directory;
    certificates();
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    process = begin(tls);
  }

  int port() {
    return port;
  }

  /// Where the node's certificate is.
  Path node() {
    return directory.resolve("node");
  }

  private Process begin(String tls) throws Exception {
    var begun =
        new ProcessBuilder(
                "corosync-qnetd",
                "-f",
                "-d",
                "-4",
                "-l",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-s",
                tls,
                "-S",
                "nss_db_dir=%1$s/server,lock_file=%1$s/pid,local_socket_file=%1$s/sock"
                    .formatted(directory))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    for (var attempt = 0; attempt < 200 && begun.isAlive(); attempt++) {
      try (var _ = new Socket("127.0.0.1", port)) {
        return begun;
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
    begun.destroyForcibly();
    throw new IllegalStateException("qnetd did not start: " + log());
  }

  /// Starts the server that {@link #close} has ended.
  void again(String tls) throws Exception {
    process = begin(tls);
  }

  String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  private void certificates() throws Exception {
    var password = directory.resolve("password");
    var noise = directory.resolve("noise");
    Files.writeString(password, "");
    Files.writeString(noise, "no secret of a test: " + directory);
    for (var name : List.of("server", "node")) {
      Files.createDirectories(directory.resolve(name));
      certutil(name, "-N", "-f", password.toString());
    }
    certutil("server", "-S", "-n", "QNet CA", "-s", "CN=QNet CA", "-x", "-t", "CT,,", "-m", "1",
        "-2", "-v", "12", "-z", noise.toString(), "-f", password.toString());
    certutil("server", "-S", "-n", "QNetd Cert", "-s", "CN=Qnetd Server", "-c", "QNet CA", "-t",
        "u,u,u", "-m", "2", "-v", "12", "-z", noise.toString(), "-f", password.toString());
    var authority = directory.resolve("ca.crt");
    Files.write(authority, certutil("server", "-L", "-n", "QNet CA", "-a"));
    certutil("node", "-A", "-t", "CT,c,c", "-n", "QNet CA", "-f", password.toString(), "-i",
        authority.toString());
    var request = directory.resolve("crq").toString();
    certutil("node", "-R", "-s", "CN=" + CLUSTER, "-o", request, "-f", password.toString(), "-z",
        noise.toString());
    var signed = directory.resolve("crt").toString();
    certutil("server", "-C", "-v", "12", "-i", request, "-o", signed, "-f", password.toString(),
        "-c", "QNet CA", "-m", "3");
    certutil("node", "-A", "-t", "u,u,u", "-n", "Cluster Cert", "-i", signed);
    run("pk12util", "-d", node().toString(), "-o", node().resolve("qdevice-net-node.p12").toString(),
        "-W", "", "-n", "Cluster Cert");
  }

  private byte[] certutil(String database, String... arguments) throws Exception {
    var all = new ArrayList<>(List.of("certutil", "-d", directory.resolve(database).toString()));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private static byte[] run(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var answers = process.getOutputStream()) {
      answers.write("y\n0\ny\n".getBytes(StandardCharsets.UTF_8)); // an authority, for nobody below
    } catch (IOException e) {
      // most ask nothing
    }
    var said = process.getInputStream().readAllBytes();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IllegalStateException(
          String.join(" ", command) + ": " + new String(said, StandardCharsets.UTF_8));
    }
    return said;
  }

  void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(2, TimeUnit.SECONDS)) {
      process.destroyForcibly(); // it waits for clients that do not close
      process.waitFor(10, TimeUnit.SECONDS);
    }
  }
}
