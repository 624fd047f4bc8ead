package org.systole.tools.status;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// `crm_mon --daemonize`: a process in the background that writes the status into a file whenever it
/// changes, and has an external agent told of results of operations. `ocf:pacemaker:ClusterMon` uses
/// it.
///
/// @param file where the status goes; null for nowhere
/// @param agent the program to run, null for none
/// @param recipient for the agent
/// @param pidFile tells others which process it is
record StatusDaemon(
    Terminal terminal,
    @Nullable Path file,
    @Nullable String agent,
    @Nullable String recipient,
    Path pidFile) {
  static final Path PID_FILE = Path.of("/tmp/ClusterMon.pid");

  /// In the environment of the process in the background.
  private static final String MARK = "SYSTOLE_CRM_MON_DAEMON";

  private static final int AGENT_SECONDS = 300;

  /// What is written and told of.
  interface Source {
    /// The CIB as it is now; null if the cluster cannot be reached.
    @Nullable Element cib();

    /// The status as the file has it.
    byte[] status(@Nullable Element cib) throws CommandException;
  }

  /// Whether this process is the one in the background.
  boolean isInBackground() {
    return terminal.environment().containsKey(MARK);
  }

  /// Starts the process in the background, which is this command over again.
  void begin() throws CommandException {
    var other = running();
    if (other != null) {
      throw new CommandException(
          ExitStatus.CANTCREAT, "already running as process %s (%s)".formatted(other, pidFile));
    }
    try {
      var self = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8);
      var command = new ArrayList<>(List.of("setsid"));
      command.addAll(List.of(self.split("\0")));
      var nothing = Path.of("/dev/null").toFile();
      var builder =
          new ProcessBuilder(command)
              .redirectInput(nothing)
              .redirectOutput(nothing)
              .redirectError(nothing);
      builder.environment().put(MARK, "1");
      builder.start();
    } catch (IOException e) {
      throw new CommandException(ExitStatus.OSERR, "cannot go to the background: " + e.getMessage());
    }
  }

  private @Nullable String running() {
    try {
      var pid = Files.readString(pidFile).strip();
      var alive = ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive);
      return alive.isPresent() ? pid : null;
    } catch (IOException | NumberFormatException e) {
      return null; // left over, or none
    }
  }

  /// Does not return until the process is ended.
  ///
  /// @param refresh how often the file is written where nothing changes
  void run(Duration refresh, Source source) throws CommandException {
    try {
      note(pidFile, ProcessHandle.current().pid());
    } catch (IOException e) {
      throw new CommandException(ExitStatus.CANTCREAT, "cannot write " + pidFile + ": " + e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> pidFile.toFile().delete()));
    var news = new OperationNews();
    new CibWatch(terminal, refresh, () -> look(source, news)).run();
  }

  static void note(Path pidFile, long pid) throws IOException {
    var text = (pid + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      make(pidFile, text);
    } catch (AccessDeniedException e) {
      Files.write(
          pidFile,
          text,
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);
    }
  }

  /// In a directory where all may write, as that of [#PID_FILE], a link or a file of another user may lie in its place.
  private static void make(Path file, byte[] text) throws IOException {
    Files.deleteIfExists(file);
    Files.write(file, text, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
  }

  void look(Source source, OperationNews news) throws CommandException {
    var cib = source.cib();
    if (file != null) {
      write(file, source.status(cib));
    }
    if (agent != null && cib != null) {
      for (var variables : news.since(cib)) {
        tell(agent, variables);
      }
    }
  }

  /// Whoever reads the file sees the one status or the other.
  private static void write(Path file, byte[] text) throws CommandException {
    try {
      var fresh = file.resolveSibling(file.getFileName() + ".new");
      try {
        make(fresh, text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (AccessDeniedException e) {
        Files.write(file, text);
      }
    } catch (IOException e) {
      throw new CommandException(ExitStatus.CANTCREAT, "cannot write " + file + ": " + e);
    }
  }

  private void tell(String program, Map<String, String> variables) {
    var builder = new ProcessBuilder(program).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().remove(MARK);
    builder.environment().putAll(variables);
    if (recipient != null) {
      builder.environment().put("CRM_notify_recipient", recipient);
    }
    try {
      var process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(AGENT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      terminal.err().println("crm_mon: cannot run " + program + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
