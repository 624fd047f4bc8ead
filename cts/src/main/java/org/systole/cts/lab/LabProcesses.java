package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.cts.local.LocalNode;
import org.systole.cts.local.Signals;

/// The processes of the lab's nodes.
final class LabProcesses {
  /// What runs on every node.
  static final List<String> DAEMONS =
      List.of("pacemakerd", "cibd", "fenced", "schedulerd", "execd", "attrd", "controld");

  private LabProcesses() {}

  /// The processes of all daemons, by node and daemon, such as `node1 cibd`.
  static SortedMap<String, List<Long>> daemons(List<LocalNode> nodes) {
    var found = new TreeMap<String, List<Long>>();
    for (var node : nodes) {
      for (var process : node.processes()) {
        var daemon = daemon(process);
        if (DAEMONS.contains(daemon)) {
          var name = node.name() + " " + daemon;
          found.computeIfAbsent(name, _ -> new ArrayList<>()).add(process.pid());
        }
      }
    }
    return found;
  }

  /// The processes of one daemon of a node.
  static List<ProcessHandle> of(LocalNode node, String daemon) {
    return of(node.processes(), daemon);
  }

  static List<ProcessHandle> of(List<ProcessHandle> processes, String daemon) {
    return processes.stream().filter(it -> daemon(it).equals(daemon)).toList();
  }

  /// The one process of a daemon of a node.
  static ProcessHandle only(LocalNode node, String daemon) {
    var found = of(node, daemon);
    LabFailure.unless(
        found.size() == 1,
        "%d processes of %s of %s, not one".formatted(found.size(), daemon, node.name()));
    return found.getFirst();
  }

  /// The executor of a remote host, Pacemaker's own or ours.
  static ProcessHandle executor(LocalNode host) {
    var stock = host.processes().stream().filter(LabProcesses::isStockExecutor).findFirst();
    return stock.orElseGet(() -> only(host, "remoted"));
  }

  private static boolean isStockExecutor(ProcessHandle process) {
    return process.info().command().orElse("").endsWith("/pacemaker-remoted");
  }

  /// Whether it has another number where it runs than here.
  static boolean isInContainer(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .anyMatch(it -> it.matches("NSpid:\\s+\\d+\\s+\\d+.*"));
    } catch (IOException e) {
      return false; // it ended meanwhile
    }
  }

  static boolean isAnother(LocalNode node, String daemon, ProcessHandle old) {
    var found = of(node, daemon);
    return found.size() == 1 && found.getFirst().pid() != old.pid();
  }

  /// Which daemon a process is, empty if none. What a daemon has forked is called like it until it runs a program.
  private static String daemon(ProcessHandle process) {
    var own = startedAs(process.pid());
    var isForked = process.parent().map(it -> startedAs(it.pid())).filter(own::equals).isPresent();
    return isForked ? "" : own;
  }

  /// What the process was started as, empty if it is no program of ours.
  private static String startedAs(long pid) {
    try {
      var words =
          List.of(
              Files.readString(
                      Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1)
                  .split("\0"));
      var main = words.indexOf("org.systole.tools.launch.Main");
      return main >= 0 && main + 1 < words.size() ? words.get(main + 1) : "";
    } catch (IOException e) {
      return ""; // it ended meanwhile
    }
  }

  /// Every process of the node stands still.
  ///
  /// @return their pids
  static List<Long> freeze(LocalNode node) throws IOException {
    var all = new ArrayList<Long>();
    for (var more = others(node, all); !more.isEmpty(); more = others(node, all)) {
      Signals.send("STOP", more);
      all.addAll(more);
    }
    return all;
  }

  private static List<Long> others(LocalNode node, List<Long> known) {
    return all(node).stream().filter(it -> !known.contains(it)).toList();
  }

  static List<Long> all(LocalNode node) {
    return node.processes().stream().map(ProcessHandle::pid).toList();
  }

  static void thaw(LocalNode node) throws IOException {
    Signals.send("CONT", all(node));
  }

  /// Ends just these at once. Whoever looked for more of them until there are none could meet those
  /// of a node that was fenced, and started again, meanwhile.
  static void kill(List<Long> pids) throws IOException {
    Signals.send("KILL", pids);
  }
}
