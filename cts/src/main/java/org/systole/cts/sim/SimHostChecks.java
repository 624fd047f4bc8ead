package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;

/// What must hold of host HA, looked at from outside: what is done to hosts is held against what they did,
/// and against what those who looked could see.
final class SimHostChecks {
  private static final long SECOND = 1_000_000_000L;

  /// Who is well for so long is not the business of anything that was decided before.
  private static final long WELL = 100 * SECOND;

  /// So long the cluster may have a host fenced, one member after the other.
  private static final long TRIED = 600 * SECOND;

  /// Within this time what is given up is heard of.
  private static final long GIVEN_UP = 2 * SECOND;

  private static final Pattern MOVED = Pattern.compile("Host (\\S+): (\\S+) -> (\\S+) \\((\\w+)\\).*");
  private static final Pattern ASKED =
      Pattern.compile("notice: Fencing \\((reboot|off)\\) (\\S+) for pacemaker-controld\\.host-ha \\|(.*)");
  private static final Pattern ORDERED =
      Pattern.compile("info: Host (\\S+): (reboot|off) by the fencer is ordered");
  private static final Pattern OVER =
      Pattern.compile("info: Host (\\S+): (reboot|off) by the fencer is (?:answered|given up)");
  private static final Pattern ACTS =
      Pattern.compile(
          "notice: Requesting that \\S+ perform '(reboot|off)' action targeting (\\S+) using .*\\|(.*)");
  private static final Pattern BY_THE_CLUSTER =
      Pattern.compile("notice: Fencing \\((reboot|off)\\) (\\S+) for pacemaker-controld\\.\\d+ \\|.*");
  private static final Pattern ENDED_BY_THE_CLUSTER =
      Pattern.compile(
          "\\w+: Fencing \\((reboot|off)\\) of (\\S+) by .* for pacemaker-controld\\.\\d+@.*");
  private static final Pattern BEGUN = Pattern.compile("Host HA looks after \\d+ hosts");

  /// What is known of one host.
  private static final class Seen {
    /// By the DC that says so.
    final Map<String, String> states = new TreeMap<>();

    /// When its power was last none of host HA's affair any more, by the DC that says so.
    final Map<String, Long> left = new TreeMap<>();

    /// The DC that last had an action done to it, by the action.
    final Map<String, String> actsBy = new TreeMap<>();

    long suspectSince;
    long lastLook;
    int looks;
    int life;
    boolean wronged;
    long fencingSince = Long.MAX_VALUE;
    long lostPower = Long.MIN_VALUE;
    int cycles;
    long lastUnwell;
    boolean forced;
    @Nullable SimProcess remoted;

    /// Since when the cluster has it fenced.
    long fencedSince = Long.MIN_VALUE;
  }

  /// A power operation of host HA that is under way.
  private record Operation(String dc, String action, String host, long since) {
    boolean is(String byDc, String what, String atHost) {
      return dc.equals(byDc) && action.equals(what) && host.equals(atHost);
    }
  }

  private final SimCluster cluster;
  private final Map<String, Seen> hosts = new LinkedHashMap<>();
  private final List<Operation> operations = new ArrayList<>();
  private final Set<String> wanted = new HashSet<>(); // fencings that host HA asked for
  private @Nullable SimHostHa plan;

  SimHostChecks(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// From now on host HA is held against its settings.
  void watch(SimHostHa settings) {
    plan = settings;
    cluster.hosts().forEach(it -> hosts.put(it.name(), new Seen()));
  }

  /// A person wants something to be done to a host, whatever it shows.
  void forced(SimNode host) {
    var seen = hosts.get(host.name());
    if (seen != null) {
      seen.forced = true;
    }
  }

  // What hosts do

  /// It answers a check: what was tried to recover it is over.
  void answers(SimNode host) {
    var seen = hosts.get(host.name());
    if (seen != null) {
      seen.cycles = 0;
    }
  }

  void lostPower(SimNode machine) {
    var seen = hosts.get(machine.name());
    if (seen != null) {
      seen.lostPower = cluster.queue().now();
    }
  }

  /// A host has looked at another one's volumes.
  void looked(SimNode by, SimNode at) {
    var seen = hosts.get(at.name());
    if (seen == null) {
      return;
    }
    var volumes = cluster.outside().volumes();
    seen.looks++;
    seen.wronged |= volumes.isWrong(by);
    if (volumes.lastWrite(at) > Math.max(seen.suspectSince, seen.lastLook)) {
      seen.life++;
    }
    seen.lastLook = cluster.queue().now();
  }

  /// An agent begins to switch a host's power. It may have waited at its device until its DC had given that up.
  void begins(SimNode by, String action, String name) {
    var seen = hosts.get(name);
    var dc = seen == null ? null : seen.actsBy.get(action);
    if (dc == null || seen.forced || isBeingFenced(seen) || !hear(by, cluster.node(dc))) {
      return;
    }
    var left = seen.left.get(dc);
    if (left != null && cluster.queue().now() - left > GIVEN_UP) {
      fail(
          SimCheck.HOST_WELL,
          "%s begins the %s of %s, which %s gave up %d s ago"
              .formatted(by, action, name, dc, (cluster.queue().now() - left) / SECOND));
    }
  }

  private boolean hear(SimNode one, SimNode other) {
    return one == other || cluster.network().hear(one, other) && cluster.network().hear(other, one);
  }

  /// A machine's power is cut by an agent. What the cluster has asked for is done even if it takes member
  /// after member: only the fencing ends it. So it is held against the time it was asked for.
  void fenced(SimNode victim) {
    var seen = hosts.get(victim.name());
    var now = cluster.queue().now();
    if (seen == null || seen.forced) {
      return;
    }
    var asked = isBeingFenced(seen) ? seen.fencedSince : now;
    if (asked - seen.lastUnwell > WELL) {
      fail(
          SimCheck.HOST_WELL,
          "%s had been well for %d s when its power was cut"
              .formatted(victim, (now - seen.lastUnwell) / SECOND));
    }
  }

  private boolean isBeingFenced(Seen seen) {
    return seen.fencedSince > Long.MIN_VALUE && cluster.queue().now() - seen.fencedSince < TRIED;
  }

  void everySecond() {
    if (plan == null) {
      return;
    }
    for (var host : cluster.hosts()) {
      var seen = hosts.get(host.name());
      if (seen == null) {
        continue;
      }
      var remoted = host.process("remoted");
      if (!isWell(host) || remoted != seen.remoted) { // killed meanwhile, perhaps
        seen.lastUnwell = cluster.queue().now();
      }
      seen.remoted = remoted;
    }
  }

  /// Whether nothing at all is the matter with a host, and with what others see of it.
  private boolean isWell(SimNode host) {
    var remoted = host.process("remoted");
    if (!host.isPowered() || host.isPaused() || remoted != null && remoted.isStopped()) {
      return false;
    }
    for (var member : cluster.nodes()) {
      if (!cluster.network().hear(member, host) || !cluster.network().hear(host, member)) {
        return false;
      }
    }
    return true;
  }

  // What daemons say

  void said(SimProcess process, String text) {
    if (plan == null) {
      return;
    }
    if (process.name().equals("controld") && text.contains("Host ")) {
      if (BEGUN.matcher(text).find()) {
        hosts.values().forEach(it -> it.states.remove(process.node().name()));
        hosts.values().forEach(it -> it.left.remove(process.node().name()));
        hosts.values().forEach(this::suspect); // it counts its own looks, of one that it finds suspect, too
        operations.removeIf(it -> it.dc().equals(process.node().name()));
      }
      decided(process.node().name(), text);
    } else if (process.name().equals("fenced") && text.contains("notice: Requesting that ")) {
      var acts = ACTS.matcher(text);
      if (acts.matches() && wanted.contains(acts.group(3))) {
        acts(process.node().name(), acts.group(1), acts.group(2));
      }
    } else if (process.name().equals("fenced") && text.contains("pacemaker-controld")) {
      fencing(process.node(), text);
    }
  }

  private void decided(String dc, String text) {
    var match = MOVED.matcher(text);
    if (match.find()) {
      moved(dc, match.group(1), match.group(2), match.group(3), match.group(4));
    }
    var ordered = ORDERED.matcher(text);
    if (ordered.matches()) {
      ordered(dc, ordered.group(2), ordered.group(1));
    }
    var over = OVER.matcher(text);
    if (over.matches()) {
      operations.removeIf(it -> it.is(dc, over.group(2), over.group(1)));
    }
  }

  private void fencing(SimNode by, String text) {
    var left = BY_THE_CLUSTER.matcher(text);
    if (left.matches()) {
      leftAlone(by, left.group(2));
    }
    var asked = ASKED.matcher(text);
    if (asked.matches()) {
      asked(asked.group(1), asked.group(2));
      wanted.add(asked.group(3));
    }
    var ended = ENDED_BY_THE_CLUSTER.matcher(text);
    var seen = ended.matches() ? hosts.get(ended.group(2)) : null;
    if (seen != null) {
      seen.fencedSince = Long.MIN_VALUE;
    }
  }

  private void moved(String dc, String name, String from, String to, String event) {
    var seen = hosts.get(name);
    if (seen == null) {
      return;
    }
    var now = cluster.queue().now();
    seen.states.put(dc, to);
    if (to.equals("RECOVERING") || to.equals("FENCING")) {
      seen.left.remove(dc);
    } else {
      seen.left.putIfAbsent(dc, now);
    }
    if (to.equals("SUSPECT") && (!from.equals("CHECKING") || event.equals("HeldBack"))) {
      suspect(seen);
    }
    if (from.equals("CHECKING") && (to.equals("RECOVERING") || to.equals("FENCING"))) {
      givenUp(name, seen, event);
    }
    if (to.equals("FENCING")) {
      seen.fencingSince = now;
    }
    if (to.equals("FENCED")) {
      proved(name, seen);
    }
    if (to.equals("AVAILABLE") || to.equals("FENCED") || to.equals("INELIGIBLE")) {
      seen.forced = false;
    }
  }

  private void suspect(Seen seen) {
    seen.suspectSince = cluster.queue().now();
    seen.lastLook = seen.suspectSince;
    seen.looks = 0;
    seen.life = 0;
    seen.wronged = false;
  }

  private void givenUp(String name, Seen seen, String event) {
    var settings = plan;
    if (settings == null || seen.wronged || event.startsWith("Force")) {
      return;
    }
    var nothing = seen.looks - seen.life;
    if (seen.looks == 0 || nothing <= settings.ratio() * seen.looks) {
      fail(
          SimCheck.HOST_ALIVE,
          "%s is given up though only %d of %d looks could see nothing"
              .formatted(name, nothing, seen.looks));
    }
  }

  private void proved(String name, Seen seen) {
    if (cluster.node(name).isPowered() && seen.lostPower < seen.fencingSince) {
      fail(
          SimCheck.HOST_UNPROVED,
          name + " counts as fenced, and has not lost its power since that was begun");
    }
  }

  /// A DC has told its fencer to switch a host's power. The fencer may stand still, and hear of it later.
  private void ordered(String dc, String action, String name) {
    var settings = plan;
    var seen = hosts.get(name);
    if (settings == null || seen == null) {
      return;
    }
    var now = cluster.queue().now();
    operations.removeIf(it -> now - it.since() > settings.powerTimeout() * SECOND);
    operations.add(new Operation(dc, action, name, now));
    var same =
        operations.stream().filter(it -> it.dc().equals(dc) && it.action().equals(action)).count();
    if (same > settings.atATime()) {
      fail(
          SimCheck.HOST_LIMITS,
          "%s has %d hosts' power switched (%s) at a time".formatted(dc, same, action));
    }
    if (!seen.forced) {
      guard(settings, dc, name);
    }
  }

  private void asked(String action, String name) {
    var settings = plan;
    var seen = hosts.get(name);
    if (settings == null || seen == null || seen.forced) {
      return;
    }
    if (action.equals("reboot") && ++seen.cycles > settings.recoveries()) {
      fail(
          SimCheck.HOST_TWICE,
          "the power of %s is cycled for the %d. time since it last answered"
              .formatted(name, seen.cycles));
    }
  }

  /// A host that host HA looks after is not the cluster's to fence.
  private void leftAlone(SimNode dc, String name) {
    var seen = hosts.get(name);
    if (seen != null && !isBeingFenced(seen)) {
      seen.fencedSince = cluster.queue().now();
    }
    var cib = seen == null ? null : dc.cib();
    var status = cib == null ? null : HostStatus.of(cib, new NodeName(name));
    if (status != null && status.isManaged()) {
      fail(
          SimCheck.HOST_LEFT,
          "%s has %s fenced, which is %s for host HA".formatted(dc, name, status.state()));
    }
  }

  /// A device is told to act by what was asked for: it may have been given up long ago.
  private void acts(String dc, String action, String name) {
    var seen = hosts.get(name);
    if (seen != null) {
      seen.actsBy.put(action, dc);
    }
    var left = seen == null ? null : seen.left.get(dc);
    if (left != null && cluster.queue().now() - left > GIVEN_UP) {
      fail(
          SimCheck.HOST_WELL,
          "%s has the power of %s switched, which it gave up %d s ago"
              .formatted(dc, name, (cluster.queue().now() - left) / SECOND));
    }
  }

  private void guard(SimHostHa settings, String dc, String name) {
    var sick = 0;
    var managed = 0;
    for (var seen : hosts.values()) {
      var state = seen.states.getOrDefault(dc, "AVAILABLE"); // what it took over is in no log
      if (!state.equals("DISABLED") && !state.equals("INELIGIBLE")) {
        managed++;
        sick += state.equals("AVAILABLE") ? 0 : 1;
      }
    }
    if (sick > Math.max(1, settings.sickRatio() * managed)) {
      fail(
          SimCheck.HOST_LIMITS,
          "%s has the power of %s switched while %d of %d hosts are sick"
              .formatted(dc, name, sick, managed));
    }
  }

  // At rest

  /// What the CIB says of a host; empty if nothing.
  String stateOf(SimNode host) {
    for (var node : cluster.nodes()) {
      var cib = node.isPowered() && !node.isPaused() ? node.cib() : null;
      var status = cib == null ? null : HostStatus.of(cib, new NodeName(host.name()));
      if (status != null) {
        return status.state();
      }
    }
    return "";
  }

  /// Each host has to be in one of some states.
  void state(SimNode host, List<String> right, String truth) {
    var state = stateOf(host);
    if (!right.contains(state)) {
      fail(
          SimCheck.HOST_STATE,
          "%s is %s, not %s: %s"
              .formatted(host, state.isEmpty() ? "in no state" : state, right, truth));
    }
  }

  private void fail(SimCheck check, String what) {
    cluster.fail(check, what);
  }
}
