package org.systole.cts.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.cts.local.LocalNode;

/// A node as a process tree in namespaces of its own: network, mounts, processes, host name, IPC.
final class BenchNode {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String READY = "namespaces-ready";
  private static final String MAIN = "org.systole.tools.launch.Main";

  private final LocalNode files;
  private final int id;
  private final String network;
  private final BenchStage stage;
  private final String program;
  private @Nullable Process outer; // what holds the namespaces
  private @Nullable Process entered; // the way in of the supervisor, outside of the namespaces
  private long init;

  /// @param files whose configuration, state and logs
  /// @param id its number in the network
  /// @param network the name of its network namespace
  /// @param stage what all nodes share: agents and stamps
  /// @param program what is started on it
  BenchNode(LocalNode files, int id, String network, BenchStage stage, String program) {
    this.files = files;
    this.id = id;
    this.network = network;
    this.stage = stage;
    this.program = program;
  }

  String name() {
    return files.name();
  }

  int id() {
    return id;
  }

  LocalNode files() {
    return files;
  }

  Layout layout() {
    return files.layout();
  }

  Path log() {
    return layout().log().resolve("pacemaker.log");
  }

  /// Makes the namespaces, with nothing but an init in them. As after a boot, nothing is left of
  /// what ran before.
  void boot() throws IOException {
    var ready = files.dir().resolve(READY);
    Files.deleteIfExists(ready);
    Files.writeString(files.dir().resolve("boot.sh"), bootScript());
    outer =
        new ProcessBuilder(
                "nsenter",
                "--net=/run/netns/" + network,
                "unshare",
                "--mount",
                "--uts",
                "--ipc",
                "--pid",
                "--fork",
                "--kill-child",
                "bash",
                files.dir().resolve("boot.sh").toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(console()))
            .start();
    var holder = outer;
    Waiting.until(PATIENCE, "the namespaces of " + name(), () -> Files.exists(ready));
    init =
        holder
            .children()
            .findFirst()
            .orElseThrow(() -> new IOException("the init of " + name() + " ended at once"))
            .pid();
  }

  private java.io.File console() {
    return layout().log().resolve("console.log").toFile();
  }

  private String bootScript() {
    return """
    set -e
    hostname %s
    mount --make-rprivate /
    mount -t proc proc /proc
    mount -t tmpfs tmpfs /run
    mkdir -p /run/lock /run/resource-agents
    mount -t overlay overlay -o lowerdir=%s:/usr/sbin /usr/sbin
    echo '0.10 0.10 0.10 1/100 100' >/run/load
    mount --bind /run/load /proc/loadavg
    rm -rf %s/run
    touch %s/%s
    sleep infinity &
    wait $!
    """
        .formatted(name(), stage.fenceAgents(), files.dir(), files.dir(), READY);
  }

  /// Starts the supervisor, and does not wait for anything.
  void start() throws IOException {
    entered =
        inside(files.home().resolve("sbin").resolve(program).toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(console()))
            .start();
  }

  /// A command as on this node.
  ProcessBuilder inside(String... command) {
    var line =
        new ArrayList<>(
            List.of("nsenter", "-t", Long.toString(init), "-n", "-m", "-u", "-i", "-p"));
    line.add("--");
    line.addAll(List.of(command));
    var builder = new ProcessBuilder(line);
    var environment = builder.environment();
    environment.put(Layout.ROOT, files.dir().toString());
    environment.put(Layout.NODE, name());
    environment.put("OCF_ROOT", stage.ocfRoot().toString());
    environment.put("PATH", files.home().resolve("sbin") + ":" + environment.get("PATH"));
    environment.remove("CIB_file");
    return builder;
  }

  /// Runs a command as on this node and wants it to succeed.
  void run(String... command) throws IOException {
    var process = inside(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (end(process) != 0) {
      throw new IOException(name() + ": " + String.join(" ", command) + ": " + output.strip());
    }
  }

  private static int end(Process process) throws IOException {
    try {
      return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /// Ends everything of the node at once: the kernel does, with the init. `nsenter`, which waits
  /// outside, stops itself when what it waits for is stopped, and would stay so.
  void kill() throws IOException {
    var holder = outer;
    if (holder != null) {
      ProcessHandle.of(init).ifPresent(ProcessHandle::destroyForcibly);
      holder.destroyForcibly();
      end(holder);
      outer = null;
    }
    var way = entered;
    if (way != null) {
      way.destroyForcibly();
      end(way);
      entered = null;
    }
  }

  boolean isUp() {
    return outer != null;
  }

  /// Stops every process of the node where it is.
  void freeze() throws IOException {
    var line = new ArrayList<>(List.of("kill", "-STOP"));
    processes().forEach(it -> line.add(Long.toString(it)));
    end(new ProcessBuilder(line).start());
  }

  /// The processes of the node but its init, as this machine numbers them.
  List<Long> processes() throws IOException {
    var space = Files.readSymbolicLink(Path.of("/proc", Long.toString(init), "ns/pid"));
    var found = new ArrayList<Long>();
    ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(it -> it != init && isIn(space, it))
        .forEach(found::add);
    return found;
  }

  private static boolean isIn(Path space, long pid) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns/pid")).equals(space);
    } catch (IOException e) {
      return false; // it ended meanwhile
    }
  }

  /// CPU time of everything that runs or ran in the node, in seconds.
  double cpuSeconds() throws IOException {
    var ticks = cpuTicks(init);
    for (var pid : processes()) {
      ticks += cpuTicks(pid);
    }
    return ticks / 100.0;
  }

  /// CPU time of each of the node's programs that runs, in seconds, by name.
  SortedMap<String, Double> cpuSecondsByProgram() throws IOException {
    var found = new TreeMap<String, Double>();
    for (var pid : processes()) {
      program(pid).ifPresent(it -> found.merge(it, cpuTicks(pid) / 100.0, Double::sum));
    }
    return found;
  }

  private static Optional<String> program(long pid) {
    try {
      var words = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")).split("\0");
      var at = List.of(words).indexOf(MAIN);
      return at < 0 || at + 1 >= words.length ? Optional.empty() : Optional.of(words[at + 1]);
    } catch (IOException e) {
      return Optional.empty(); // it ended meanwhile
    }
  }

  private static long cpuTicks(long pid) {
    try {
      var text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      var words = text.substring(text.lastIndexOf(')') + 2).split(" ");
      var sum = 0L;
      for (var at = 11; at <= 14; at++) { // own and of ended children, user and system
        sum += Long.parseLong(words[at]);
      }
      return sum;
    } catch (IOException e) {
      return 0; // it ended meanwhile; its parent has its time
    }
  }

  /// Proportional set size of the node's processes but its init and the waiting of that, MiB.
  double pssMebibytes() throws IOException {
    var sum = 0L;
    for (var pid : processes()) {
      var rollup = Path.of("/proc", Long.toString(pid), "smaps_rollup");
      try {
        for (var line : Files.readAllLines(rollup)) {
          if (line.startsWith("Pss:")) {
            sum += Long.parseLong(line.replaceAll("[^0-9]", ""));
          }
        }
      } catch (IOException e) {
        continue; // it ended meanwhile
      }
    }
    return sum / 1024.0;
  }
}
