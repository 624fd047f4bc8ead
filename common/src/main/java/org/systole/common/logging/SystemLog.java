package org.systole.common.logging;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Log.Level;

/// The system's log: systemd's journal where it runs, else the system log daemon.
///
/// Both take lines that begin with their priority. To the journal leads a stream socket; it takes
/// severities only there, the facility is told once at the beginning. The socket
/// of a system log daemon is of a kind Java has not; `logger`, which is on every system, is run to
/// write there, once for the daemon's life. What neither takes, a machine without a system log,
/// goes nowhere.
final class SystemLog implements LogTarget {
  private static final String JOURNAL = "run/systemd/journal/stdout";
  private static final String DAEMON = "dev/log";
  private static final Path LOGGER = Path.of("/usr/bin/logger");

  private final Path root;
  private final String tag;
  private final String node;
  private final int facility;
  private @Nullable OutputStream out;

  /// What the severity of a line is added to where `out` leads.
  private int base;

  /// @param root where the machine's files are, `/` but for nodes that share a machine
  /// @param tag the program's name in the log
  /// @param facility its number
  SystemLog(Path root, String tag, String node, int facility) {
    this.root = root;
    this.tag = tag;
    this.node = node;
    this.facility = facility;
  }

  @Override
  public String what() {
    return "the system log";
  }

  @Override
  public void write(List<LogLine> lines) throws IOException {
    var to = out;
    if (to == null) {
      to = open();
      if (to == null) {
        return;
      }
      out = to;
    }
    var text = new StringBuilder();
    for (var line : lines) {
      text.append('<').append(base + severity(line.level())).append('>');
      text.append(line.withoutTime(node));
    }
    try {
      to.write(text.toString().getBytes(StandardCharsets.UTF_8));
      to.flush();
    } catch (IOException e) {
      out = null;
      to.close();
      throw e;
    }
  }

  private @Nullable OutputStream open() throws IOException {
    var journal = root.resolve(JOURNAL);
    if (Files.exists(journal)) {
      base = 0;
      return toJournal(journal);
    }
    base = facility * 8;
    var daemon = root.resolve(DAEMON);
    return Files.exists(daemon) && Files.isExecutable(LOGGER) ? toDaemon(daemon) : null;
  }

  /// A stream begins with seven lines: the program, its unit (known to the journal already),
  /// facility and usual severity, that lines have priorities of their own, and three places they are
  /// not to be passed on to.
  private OutputStream toJournal(Path socket) throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      var to = Channels.newOutputStream(channel);
      var usual = facility * 8 + severity(Level.INFO);
      to.write(
          "%s%n%n%d%n1%n0%n0%n0%n".formatted(tag, usual).getBytes(StandardCharsets.UTF_8));
      return to;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private OutputStream toDaemon(Path socket) throws IOException {
    var command =
        List.of(
            LOGGER.toString(),
            "--socket",
            socket.toString(),
            "--tag",
            tag,
            "--id=" + ProcessHandle.current().pid(),
            "--prio-prefix");
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    return builder.start().getOutputStream();
  }

  private static int severity(Level level) {
    return switch (level) {
      case CRITICAL -> 2;
      case ERROR -> 3;
      case WARNING -> 4;
      case NOTICE -> 5;
      case INFO -> 6;
      case DEBUG -> 7;
    };
  }
}
