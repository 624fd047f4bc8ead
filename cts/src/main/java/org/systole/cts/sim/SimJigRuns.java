package org.systole.cts.sim;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.options.NodeMaintenance;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;

/// Looks at each jig that an executor says it runs: only what is written, one at a time, once, and
/// not when nobody wants it any more.
final class SimJigRuns {
  private static final long SECOND = 1_000_000_000L;

  /// What is on its way to an executor is there by then.
  private static final long ON_ITS_WAY = 5 * SECOND;

  private static final Pattern RUNS =
      Pattern.compile("Jig \\S+ runs for (\\S+)@(\\S+) \\(run (\\d+)\\)");
  private static final Pattern ENDED =
      Pattern.compile("Jig \\S+ (?:is done|failed) for (\\S+) \\(run (\\d+)\\)(?:: (.*))?");

  /// Why a run is ended that could go on.
  private static final Pattern STOPPED = Pattern.compile("another run was begun.*|it was cancelled");

  /// A jig that an executor runs.
  private record Running(SimProcess executor, String noderole) {}

  private final SimCluster cluster;
  private final SimRoleChecks roles;
  private final Set<String> written = new HashSet<>(); // runs that a document had in transition
  private final Set<String> onceOnly = new HashSet<>(); // those of them of destructive roles
  private final Set<String> begun = new HashSet<>(); // runs that an executor began
  private final Map<String, SimProcess> programs = new TreeMap<>(); // of runs, by node
  private final Map<String, Running> running = new TreeMap<>(); // by node
  private final Map<String, Integer> once = new TreeMap<>(); // runs of noderoles
  private final Map<String, Integer> allowed = new TreeMap<>();
  private final Map<String, Long> unwanted = new TreeMap<>(); // runs not begun, and since when nobody wants them
  private final Map<String, Long> maintained = new TreeMap<>(); // nodes, and since when they know it
  private final Map<String, Long> wentOn = new TreeMap<>(); // when something of a node last stood still
  private final Map<String, Element> cibs = new HashMap<>(); // of nodes, as they were looked at last
  private @Nullable Consumer<String> onceOneRuns;
  private @Nullable Consumer<NodeRoleId> onceOneIsWritten;
  private final Map<String, Runnable> onceItRuns = new TreeMap<>(); // by noderole

  SimJigRuns(SimCluster cluster, SimRoleChecks roles) {
    this.cluster = cluster;
    this.roles = roles;
  }

  /// Tells the noderole that the next jig runs for.
  void onceOneRuns(Consumer<String> told) {
    onceOneRuns = told;
  }

  /// Does something at the next start of a noderole's jig.
  void onceItRuns(String noderole, Runnable what) {
    onceItRuns.put(noderole, what);
  }

  /// Tells the next noderole of which a run is written, and not begun yet.
  void onceOneIsWritten(Consumer<NodeRoleId> told) {
    onceOneIsWritten = told;
  }

  /// A document that follows another one.
  void see(RolesDocument before, RolesDocument document) {
    var live = new LiveRoles(document);
    var wanted = new HashSet<String>();
    for (var it : inTransition(document)) {
      write(it, before, document);
      if (live.get(it.id()) != null || isDestructive(it.id(), document)) {
        wanted.add(key(it));
      }
    }
    for (var key : written) {
      if (wanted.contains(key) || begun.contains(key)) {
        unwanted.remove(key);
      } else {
        unwanted.putIfAbsent(key, cluster.queue().now());
      }
    }
    new LiveRoles(before).all().keySet().stream() // nobody knows of its runs when its snapshots are forgotten
        .filter(it -> live.get(it) == null && !isDestructive(it, document))
        .filter(it -> document.nodes().containsKey(it.node())) // what ran on a node that was deleted is kept
        .forEach(it -> once.remove(it.toString()));
  }

  static String key(NodeRole it) {
    return it.id() + " " + it.run();
  }

  /// Between the two documents somebody may have said that its role is destructive.
  private void write(NodeRole it, RolesDocument before, RolesDocument after) {
    if (!written.add(key(it))) {
      return;
    }
    if (isDestructive(it.id(), before) && isDestructive(it.id(), after)) {
      onceOnly.add(key(it));
    }
    var told = onceOneIsWritten;
    onceOneIsWritten = null;
    if (told != null) {
      told.accept(it.id());
    }
  }

  private static boolean isDestructive(NodeRoleId id, RolesDocument in) {
    var role = in.roles().get(id.role());
    return role != null && role.is(RoleFlag.DESTRUCTIVE);
  }

  static List<NodeRole> inTransition(RolesDocument document) {
    var found = new ArrayList<NodeRole>();
    for (var snapshot : document.snapshots().values()) {
      snapshot.nodeRoles().values().stream()
          .filter(it -> it.state() == NodeRoleState.TRANSITION)
          .forEach(found::add);
    }
    return found;
  }

  /// Something of a node goes on that stood still: what had reached it before happens now.
  void wentOn(SimNode node) {
    wentOn.put(node.name(), cluster.queue().now());
  }

  /// Notes which nodes know that they are in maintenance.
  void everySecond() {
    var now = date();
    cluster.nodes().forEach(it -> look(it, now));
  }

  private IsoTime date() {
    return IsoTime.of(SimWorld.BEGINNING.plusNanos(cluster.queue().now()), ZoneOffset.UTC);
  }

  private void look(SimNode node, IsoTime now) {
    var cib = node.cib();
    var name = NodeName.of(node.name());
    if (cib == null || name == null || cib == cibs.put(node.name(), cib)) {
      return;
    }
    var options = ClusterOptions.read(cib, now.toInstant(), ZoneOffset.UTC);
    if (options.maintenanceMode() || NodeMaintenance.isOn(cib, name, now)) {
      maintained.putIfAbsent(node.name(), cluster.queue().now());
    } else {
      maintained.remove(node.name());
    }
  }

  boolean isMaintained(SimNode node) {
    return maintained.containsKey(node.name());
  }

  /// An executor writes a line to its log.
  void said(SimProcess executor, String text) {
    var runs = RUNS.matcher(text);
    if (runs.find()) {
      begins(executor, runs.group(1) + "@" + runs.group(2), runs.group(3));
      return;
    }
    var ended = ENDED.matcher(text);
    var known = running.get(executor.node().name());
    var over = ended.find();
    var why = over && ended.group(3) != null ? ended.group(3) : "";
    if (over && onceOnly.contains(ended.group(1) + " " + ended.group(2)) && STOPPED.matcher(why).matches()) {
      cluster.fail(
          SimCheck.RAN_AGAIN,
          "%s is destructive, and its run was stopped: %s".formatted(ended.group(1), why));
    }
    if (over && known != null && known.noderole().equals(ended.group(1))) {
      running.remove(executor.node().name());
    }
  }

  private void begins(SimProcess executor, String noderole, String run) {
    var node = executor.node().name();
    var told = onceOneRuns;
    onceOneRuns = null;
    if (told != null) {
      told.accept(noderole);
    }
    var itself = onceItRuns.remove(noderole);
    if (itself != null) {
      itself.run();
    }
    var other = running.put(node, new Running(executor, noderole));
    if (other != null && other.executor() == executor) {
      cluster.fail(
          SimCheck.TWO_JIGS, "%s runs %s while it runs %s".formatted(node, noderole, other.noderole()));
    }
    var key = noderole + " " + run;
    beginsLate(executor.node(), key);
    if (!begun.add(key) && !roles.isLossy()) {
      cluster.fail(SimCheck.RAN_AGAIN, "run %s of %s was begun twice".formatted(run, noderole));
    }
    if (roles.plan().any() && !written.contains(key)) {
      cluster.fail(
          SimCheck.ROLE_TOO_EARLY, "run %s of %s was begun and is in no document".formatted(run, noderole));
    }
    var times = once.merge(noderole, 1, Integer::sum);
    if (onceOnly.contains(key) && times > 1 + allowed.getOrDefault(noderole, 0) && !roles.isLossy()) {
      cluster.fail(
          SimCheck.RAN_AGAIN, noderole + " is destructive and ran again, as nobody has allowed");
    }
  }

  /// An order is for now. What had reached an executor that stood still begins when it goes on.
  private void beginsLate(SimNode node, String key) {
    var now = cluster.queue().now();
    if (now - wentOn.getOrDefault(node.name(), -ON_ITS_WAY) < ON_ITS_WAY) {
      return;
    }
    look(node, date()); // it may have been in no maintenance for just a moment
    var unwantedFor = now - unwanted.getOrDefault(key, now);
    var since = maintained.get(node.name());
    if (unwantedFor > ON_ITS_WAY) {
      cluster.fail(
          SimCheck.RAN_LATE, "%s was begun %d s after it was over".formatted(key, unwantedFor / SECOND));
    }
    var knows = node.process("cibd");
    if (since != null && now - since > ON_ITS_WAY && knows != null) {
      cluster.queue().after(2 * SECOND, () -> begunInMaintenance(knows, key, since, now));
    }
  }

  /// It may have ended in just that moment, which is seen a second later, unless the node is lost by then.
  private void begunInMaintenance(SimProcess knows, String key, long since, long at) {
    if (knows.isAlive() && since == maintained.getOrDefault(knows.node().name(), -1L)) {
      cluster.fail(
          SimCheck.RAN_LATE,
          "%s was begun although its node has been in maintenance for %d s".formatted(key, (at - since) / SECOND));
    }
  }

  /// Somebody asks for a change, which may allow another run.
  void asked(Element steps) {
    for (var step : steps.children()) {
      if (step.is("retry") && step.get("again", "").equals("true")) {
        allow(step.get("role", "") + "@" + step.get("node", ""));
      }
    }
  }

  /// Another run, also where there were several, before the role was destructive.
  private void allow(String noderole) {
    var more = allowed.getOrDefault(noderole, 0) + 1;
    allowed.put(noderole, Math.max(more, once.getOrDefault(noderole, 0)));
  }

  /// The program of a jig is started.
  void stepsStart(SimNode node, SimProcess child) {
    var other = programs.put(node.name(), child);
    if (other != null && other.isAlive()) {
      cluster.fail(SimCheck.TWO_JIGS, "two programs of jigs run on " + node.name());
    }
  }
}
