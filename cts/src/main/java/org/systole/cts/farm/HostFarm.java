package org.systole.cts.farm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.systole.common.layout.Layout;

/// A process with many remote hosts, for whoever wants to have them.
public final class HostFarm implements AutoCloseable {
  public static final String CONNECTED = "connected";
  public static final String LOST = "lost";
  static final String READY = "ready";

  private static final int FIRST_PORT = 4000;
  private static final int PATIENCE_SECONDS = 60;

  /// Something that happened on a host.
  ///
  /// @param at seconds since the epoch
  /// @param resource whose agent was asked to `start` or `stop`; `-` where a member has [#CONNECTED],
  ///     or the host is [#LOST]
  public record Deed(double at, String host, String resource, String what) {}

  private final Process process;
  private final Path deeds;

  private HostFarm(Process process, Path deeds) {
    this.process = process;
    this.deeds = deeds;
  }

  /// Where the key has to be before the hosts are made: `/etc/pacemaker/authkey` below the directory.
  public static Path key(Path directory) {
    return new Layout(directory, directory).configuration().resolve("authkey");
  }

  /// The port of a host.
  ///
  /// @param number from 1 on
  public static int port(int number) {
    return FIRST_PORT + number;
  }

  /// Starts hosts `PREFIX1`, `PREFIX2`, ..., at all addresses of where they run.
  ///
  /// @param home the installed program
  /// @param directory for their files
  /// @param within what the process is started through, such as `ip netns exec NAME`
  public static HostFarm start(
      Path home, Path directory, List<String> within, String prefix, int count)
      throws IOException {
    Files.createDirectories(directory);
    var deeds = directory.resolve("deeds");
    Files.writeString(deeds, "");
    var line = new ArrayList<>(within);
    line.addAll(
        List.of(
            ProcessHandle.current().info().command().orElse("java"),
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path") + ":" + home.resolve("lib/remote/*"),
            FarmMain.class.getName(),
            prefix,
            Integer.toString(FIRST_PORT),
            Integer.toString(count),
            deeds.toString()));
    var builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("console.log").toFile());
    builder.environment().put(Layout.ROOT, directory.toString());
    builder.environment().put(Layout.NODE, prefix);
    var made = new HostFarm(builder.start(), deeds);
    made.awaitReady(directory);
    return made;
  }

  private void awaitReady(Path directory) throws IOException {
    for (var tenth = 0; tenth < PATIENCE_SECONDS * 10; tenth++) {
      if (since(0).stream().anyMatch(it -> it.what().equals(READY))) {
        return;
      }
      if (end(100)) {
        break;
      }
    }
    close();
    throw new IOException(
        "the hosts do not start: " + Files.readString(directory.resolve("console.log")).strip());
  }

  /// What happened since a moment.
  public List<Deed> since(double moment) throws IOException {
    return Deeds.since(deeds, moment);
  }

  /// The host loses its power; the connections to it are closed.
  public void lose(int number) throws IOException {
    order("lose " + number);
  }

  /// The host comes back, with nothing running.
  public void start(int number) throws IOException {
    order("start " + number);
  }

  private void order(String line) throws IOException {
    OutputStream out = process.getOutputStream();
    out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private boolean end(long millis) throws IOException {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    end(10_000);
  }
}
