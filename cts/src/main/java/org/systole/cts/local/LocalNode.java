package org.systole.cts.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.systole.common.layout.Layout;
import org.systole.execd.RemotedDaemon;

/// One node on this machine: a directory tree, an address of its own, and the processes that carry
/// the tree's path in their environment.
///
/// @param home where the program is installed
/// @param dir the node's own tree, [Layout#ROOT] of all its processes
/// @param prefix what its processes are started through, such as `ip netns exec NAME`; empty for
///     nothing
public record LocalNode(String name, String address, Path home, Path dir, List<String> prefix) {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(60);

  /// How a command ended, its two outputs together.
  public record Outcome(int status, String output) {
    public boolean ok() {
      return status == 0;
    }
  }

  public Layout layout() {
    return new Layout(dir, home.resolve("share"));
  }

  /// Writes the node's configuration, key and start script.
  public void prepare(String clusterConfiguration, byte[] key) throws IOException {
    var layout = layout();
    Files.createDirectories(layout.clusterConfiguration().getParent());
    Files.createDirectories(layout.log());
    Files.writeString(layout.clusterConfiguration(), clusterConfiguration);
    if (!Files.exists(layout.clusterKey())) {
      Files.createFile(
          layout.clusterKey(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.write(layout.clusterKey(), key);
    writeStartScript("pacemakerd");
  }

  /// Writes the start script of a host that is no member but runs the executor of a remote node. The
  /// key has to be put there, too.
  public void prepareRemote() throws IOException {
    Files.createDirectories(layout().log());
    writeStartScript("systole-remoted");
  }

  /// As [#prepareRemote], with something that starts the executor again where it ends unasked, as the
  /// machine's init does.
  ///
  /// @param returnsSeconds what it says of itself
  public void prepareSupervisedRemote(int returnsSeconds) throws IOException {
    prepareRemote();
    var supervisor = dir.resolve("supervised.sh");
    write(
        supervisor,
        """
        #!/bin/sh
        # Has the executor run until it ends in good order.
        %s=%d
        export %s
        until '%s'; do sleep 1; done
        """
            .formatted(
                RemotedDaemon.RETURNS,
                returnsSeconds,
                RemotedDaemon.RETURNS,
                home.resolve("sbin/systole-remoted")));
    writeStartScript(supervisor.toString());
  }

  private void writeStartScript(String program) throws IOException {
    write(startScript(), startScriptText(program));
  }

  private static void write(Path script, String text) throws IOException {
    Files.writeString(script, text);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path startScript() {
    return dir.resolve("start.sh");
  }

  private String startScriptText(String program) {
    return """
    #!/bin/sh
    # Starts node %s; the fence agent calls it too.
    unset %s # or what looks at the process could be taken for it, where it has that number in a new boot
    pid=$(cat '%s' 2>/dev/null)
    if [ -n "$pid" ] && tr '\\0' '\\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF '%s=%s'; then
        exit 0 # it runs
    fi
    %s='%s' %s='%s' PATH='%s':"$PATH"
    export %s %s PATH
    %s
    # a start is a boot, unless only the cluster software was stopped: what does not outlive one is gone
    [ "$1" = software ] || rm -rf '%s' '%s'
    setsid %s'%s' >>'%s' 2>&1 </dev/null &
    echo $! >'%s'
    """
        .formatted(
            name,
            Layout.ROOT,
            pidFile(),
            Layout.ROOT,
            dir,
            Layout.ROOT,
            dir,
            Layout.NODE,
            name,
            home.resolve("sbin"),
            Layout.ROOT,
            Layout.NODE,
            // the machine has other nodes, unless the prefix gives this one a network of its own
            prefix.isEmpty() ? "export %s='%s'".formatted(Layout.CIB_ADDRESS, address) : "",
            layout().run(),
            layout().state("link").resolve("watchdog-armed"), // it names a boot, which is the host's here
            prefix.isEmpty() ? "" : String.join(" ", prefix) + " ",
            home.resolve("sbin").resolve(program),
            layout().log().resolve("console.log"),
            pidFile());
  }

  /// The supervisor's process, also for the fence agent.
  private Path pidFile() {
    return dir.resolve("pacemakerd.pid");
  }

  /// Switches the node on; if it runs, nothing happens.
  public void start() throws IOException {
    start("machine");
  }

  /// Starts the cluster software on a machine that was up all the while: resources that were left
  /// running are there.
  public void startSoftware() throws IOException {
    start("software");
  }

  private void start(String what) throws IOException {
    var script =
        new ProcessBuilder(startScript().toString(), what)
            .redirectErrorStream(true)
            .redirectOutput(layout().log().resolve("start.log").toFile())
            .start();
    await(script, "start " + name);
  }

  /// The supervisor that was last started, empty if it is gone.
  Optional<ProcessHandle> supervisor() {
    try {
      return ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty(); // it was not started, or is being started
    }
  }

  /// What the supervisor says of why it ended, empty if nothing.
  String lastWords() throws IOException {
    var mark = Pattern.compile(" pacemakerd\\[\\d+] \\(\\w+\\) (?:error|critical): (.*)");
    var said = "";
    for (var line : lines("pacemaker.log")) {
      var match = mark.matcher(line);
      said = match.find() ? match.group(1) : said;
    }
    // what ends it before there is a log
    var console = lines("console.log");
    return said.isEmpty() && !console.isEmpty() ? console.getLast() : said;
  }

  private List<String> lines(String log) throws IOException {
    var file = layout().log().resolve(log);
    return Files.exists(file) ? Files.readAllLines(file, StandardCharsets.ISO_8859_1) : List.of();
  }

  /// The processes of the node, by what is in their environment.
  public List<ProcessHandle> processes() {
    var mark = Layout.ROOT + "=" + dir;
    var found = new ArrayList<ProcessHandle>();
    ProcessHandle.allProcesses()
        .filter(it -> it.pid() != ProcessHandle.current().pid())
        .filter(it -> environmentOf(it.pid()).contains(mark))
        .forEach(found::add);
    return found;
  }

  /// A process's environment as it was started with, empty if it is gone or another user's.
  public static List<String> environmentOf(long pid) {
    try {
      var bytes = Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ"));
      return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  public boolean isRunning() {
    return !processes().isEmpty();
  }

  /// Ends every process of the node at once, as a power loss would, and waits until none of them is
  /// left. What others start on the node from then on, as a fence agent may, is not touched.
  public void kill() throws IOException {
    var killed = new LinkedHashSet<ProcessHandle>();
    for (var left = processes(); killed.addAll(left); left = processes()) {
      left.forEach(ProcessHandle::destroyForcibly);
    }
    for (var process : killed) {
      awaitEnd(process, Duration.ofSeconds(10));
    }
  }

  /// Asks the supervisor to stop the node in good order and waits for it.
  ///
  /// @return whether the node was down within the time
  public boolean shutDown(Duration timeout) throws IOException {
    var supervisor =
        processes().stream()
            .filter(it -> commandLine(it.pid()).contains(" pacemakerd"))
            .findFirst();
    if (supervisor.isEmpty()) {
      return !isRunning();
    }
    supervisor.get().destroy();
    return awaitEnd(supervisor.get(), timeout);
  }

  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).replace('\0', ' ');
    } catch (IOException e) {
      return ""; // it ended meanwhile
    }
  }

  private static boolean awaitEnd(ProcessHandle process, Duration timeout) throws IOException {
    try {
      process.onExit().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (java.util.concurrent.TimeoutException e) {
      return false;
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IOException("cannot wait for process " + process.pid(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /// Runs one of the administrator's commands as on this node.
  public Outcome run(String command, String... arguments) throws IOException {
    return run(List.of(), command, arguments);
  }

  /// Puts elements into the cluster's configuration, by `cibadmin` on this node.
  public Outcome configure(String elements) throws IOException {
    return runWithInput(
        elements, "cibadmin", "--modify", "--allow-create", "-o", "configuration", "--xml-pipe");
  }

  public Outcome runWithInput(String input, String command, String... arguments)
      throws IOException {
    return run(List.of(input), command, arguments);
  }

  private Outcome run(List<String> input, String command, String... arguments) throws IOException {
    var line = new ArrayList<>(prefix);
    line.add(home.resolve("sbin").resolve(command).toString());
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put(Layout.ROOT, dir.toString());
    builder.environment().put(Layout.NODE, name);
    builder.environment().remove("CIB_file");
    var process = builder.start();
    try (var in = process.getOutputStream()) {
      for (var text : input) {
        in.write(text.getBytes(StandardCharsets.UTF_8));
      }
    }
    var output = new CompletableFuture<String>();
    Thread.ofVirtual().start(() -> read(process, output));
    await(process, command);
    return new Outcome(process.exitValue(), await(output, command));
  }

  /// Whoever waits for a command must not wait for its output without end.
  private static void read(Process process, CompletableFuture<String> output) {
    try {
      var bytes = process.getInputStream().readAllBytes();
      output.complete(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException e) {
      output.completeExceptionally(e);
    }
  }

  private static String await(CompletableFuture<String> output, String what) throws IOException {
    try {
      return output.get(COMMAND_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (java.util.concurrent.TimeoutException | java.util.concurrent.ExecutionException e) {
      throw new IOException("the output of %s does not end".formatted(what), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void await(Process process, String what) throws IOException {
    try {
      if (!process.waitFor(COMMAND_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException(
            "%s did not end within %d s".formatted(what, COMMAND_TIMEOUT.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
