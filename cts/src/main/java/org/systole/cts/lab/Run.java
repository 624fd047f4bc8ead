package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// One run of a scenario: what it does to its cluster, how long everything took since the fault,
/// and what may be fenced.
final class Run {
  private final Lab lab;
  private final int number;
  private final Map<String, Double> times = new LinkedHashMap<>();
  private final Map<String, Integer> mustFence = new TreeMap<>();
  private final Set<String> mayFence = new LinkedHashSet<>();
  private final Set<String> touched = new LinkedHashSet<>();
  private final SortedMap<String, List<Long>> daemons;
  private boolean anyFencing;
  private final List<String> notes = new ArrayList<>();
  private long since = Evidence.now();
  private long faultNanos = System.nanoTime();

  /// @param number from 1 on, for a story that is to differ from run to run
  Run(Lab lab, int number) {
    this.lab = lab;
    this.number = number;
    this.daemons = LabProcesses.daemons(lab.nodes());
  }

  Lab lab() {
    return lab;
  }

  int number() {
    return number;
  }

  /// When the fault was, for the evidence.
  long since() {
    return since;
  }

  String dc() {
    return String.valueOf(lab.await("a DC", it -> it.dc() != null).dc());
  }

  /// The node that made the present membership. Without its pings no node stays a member; the
  /// others need not hear each other.
  String leader() throws IOException {
    return LabLogs.leader(lab);
  }

  /// The DC or another node; it has something to lose.
  LocalNode victim(boolean isDc) throws IOException {
    var dc = dc();
    return loaded(isDc ? lab.node(dc) : lab.otherThan(dc));
  }

  /// The node, once it holds an exclusive resource.
  LocalNode loaded(LocalNode node) throws IOException {
    for (var resource : Health.EXCLUSIVE) {
      if (lab.evidence().holders(resource).contains(node.name())) {
        return node;
      }
    }
    Lab.succeed(node, "crm_resource", "-r", "first", "--move", "-N", node.name(), "-f");
    Lab.awaitProcess(
        "first on " + node.name(), () -> Health.runsOnOneOf(lab, "first", List.of(node.name())));
    Lab.succeed(node, "crm_resource", "-r", "first", "--clear");
    Health.await(lab);
    return node;
  }

  List<LocalNode> others(LocalNode node) {
    return lab.nodes().stream().filter(it -> it != node).toList();
  }

  static List<String> names(List<LocalNode> nodes) {
    return nodes.stream().map(LocalNode::name).toList();
  }

  static int id(LocalNode node) {
    return Integer.parseInt(node.name().substring("node".length()));
  }

  /// Does the harm; the clock runs from here.
  void fault(Lab.Action action) throws IOException {
    since = Evidence.now();
    faultNanos = System.nanoTime();
    action.run();
  }

  /// Whether so long has passed since the fault: time enough to see that nothing more happens.
  BooleanSupplier patience(long millis) {
    return () -> System.nanoTime() - faultNanos > millis * 1_000_000;
  }

  /// As [#patience], from now on.
  BooleanSupplier fromNow(long millis) {
    var begun = System.nanoTime();
    return () -> System.nanoTime() - begun > millis * 1_000_000;
  }

  /// What the run's line tells: this has been reached so long after the fault.
  void reached(String what) {
    times.putIfAbsent(what, (System.nanoTime() - faultNanos) / 1e9);
  }

  /// Seconds from the one to the other.
  double between(String earlier, String later) {
    return times.getOrDefault(later, 0.0) - times.getOrDefault(earlier, 0.0);
  }

  void note(String text) {
    notes.add(text);
  }

  /// Waits for it, as one of the witnesses tells it.
  void await(String time, LocalNode witness, String what, Predicate<Snapshot> wanted) {
    lab.await(witness, what, wanted);
    reached(time);
  }

  void await(String time, String what, BooleanSupplier wanted) {
    Lab.awaitProcess(what, wanted);
    reached(time);
  }

  /// Until host HA has a host in one of these states, as the CIB says.
  void awaitHost(String time, String host, String... states) {
    lab.await(
        "%s %s".formatted(host, String.join(" or ", states)), it -> LabHosts.is(it, host, states));
    reached(time);
  }

  /// Until the witness no longer counts the node among those online. Between two looks the node may
  /// have been fenced and be back already.
  void awaitDetection(LocalNode witness, LocalNode lost) {
    await(
        "detection",
        witness,
        witness.name() + " sees " + lost.name() + " go",
        it -> !it.online().contains(lost.name()) || wasFenced(lost));
  }

  private boolean wasFenced(LocalNode node) {
    try {
      return fencings().stream()
          .anyMatch(it -> it.target().equals(node.name()) && it.progress().equals("done"));
    } catch (IOException _) {
      return false; // the next look tells
    }
  }

  /// Until each exclusive resource runs on one of these nodes, and nowhere else, by its evidence.
  void awaitRecovery(List<LocalNode> survivors) {
    var names = names(survivors);
    await(
        "recovery",
        "every exclusive resource on one of " + names,
        () -> Health.EXCLUSIVE.stream().allMatch(it -> Health.runsOnOneOf(lab, it, names)));
  }

  /// The node is to be switched off just once.
  void mustFence(LocalNode node) {
    mustFence.put(node.name(), 1);
  }

  /// The node may be switched off once.
  void mayFence(LocalNode node) {
    mayFence.add(node.name());
  }

  /// A daemon of the node ends by what is done to it; all others must live on.
  void touch(LocalNode node, String daemon) {
    touched.add(node.name() + " " + daemon);
  }

  /// All daemons of the node may end.
  void touch(LocalNode node) {
    LabProcesses.DAEMONS.forEach(it -> touch(node, it));
  }

  /// Nodes may be fenced any number of times.
  void anyFencing() {
    anyFencing = true;
  }

  /// The cluster has to become whole, and nothing may have happened that must not.
  void conclude() throws IOException {
    if (lab.nodes().isEmpty()) {
      return; // the scenario has machines of its own, and has looked at them
    }
    Health.await(lab);
    reached("whole");
    checkFencing();
    var overlaps = lab.evidence().overlaps(Health.EXCLUSIVE);
    LabFailure.unless(overlaps.isEmpty(), "active on two nodes: " + overlaps);
    checkDaemons();
  }

  /// No daemon ended but those that were ended, or whose node was.
  private void checkDaemons() throws IOException {
    var fenced = lab.evidence().fenced(since).keySet();
    var now = LabProcesses.daemons(lab.nodes());
    daemons.forEach(
        (name, pids) ->
            LabFailure.unless(
                touched.contains(name)
                    || fenced.contains(name.substring(0, name.indexOf(' ')))
                    || pids.equals(now.get(name)),
                "%s had the process %s, now %s".formatted(name, pids, now.get(name))));
  }

  private void checkFencing() throws IOException {
    var fenced = lab.evidence().fenced(since);
    for (var node : Run.names(lab.nodes())) {
      int times = fenced.getOrDefault(node, 0);
      int least = mustFence.getOrDefault(node, 0);
      int most = mayFence.contains(node) ? Math.max(1, least) : least;
      LabFailure.unless(
          anyFencing || (times >= least && times <= most),
          "%s was fenced %d times, not %d: %s"
              .formatted(node, times, times < least ? least : most, fencings()));
    }
    fencings().stream()
        .filter(it -> it.progress().equals("done"))
        .findFirst()
        .ifPresent(it -> times.putIfAbsent("fenced", (it.at() - since) / 1e9));
  }

  private List<Evidence.Fencing> fencings() throws IOException {
    return lab.evidence().fencings(since);
  }

  /// No agent was asked to start or stop anything since the fault, and nobody was fenced.
  void nothingHappened() throws IOException {
    var deeds = lab.evidence().deeds(since).stream().filter(Evidence.Deed::changes).toList();
    LabFailure.unless(deeds.isEmpty(), "resources were started or stopped: " + deeds);
    LabFailure.unless(fencings().isEmpty(), "a node was fenced: " + fencings());
  }

  /// What was reached how many seconds after the fault, earliest first.
  Map<String, Double> times() {
    var sorted = new LinkedHashMap<String, Double>();
    times.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(it -> sorted.put(it.getKey(), it.getValue()));
    return sorted;
  }

  /// The times and notes in one line.
  String line() {
    var parts = new ArrayList<String>();
    times().forEach((name, time) -> parts.add(String.format(Locale.ROOT, "%s %.1f s", name, time)));
    parts.addAll(notes);
    return String.join(", ", parts);
  }
}
