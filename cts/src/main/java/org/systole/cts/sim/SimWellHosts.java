package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// No remote node is fenced for its connection that was well, and connected to a member, all the while: moved, not made or
/// lost on one member, a connection that another one has tells of no harm that fencing could end.
///
/// A host is connected as long as any member of the DC's side is, whichever; but for a fencing by a person, and one that a
/// failed agent asks for. Before it is asked for the host must have been well for longer than the DC may take to hear of
/// what was before, and to plan with that.
final class SimWellHosts {
  private static final long SECOND = 1_000_000_000L;
  private static final long WELL = 30 * SECOND;

  /// A host that a plan has fenced, and why.
  static final Pattern PLANNED = Pattern.compile("Actions: Fence \\((?:off|reboot)\\) (\\S+) '(.*)'");

  static final Pattern ASKED = Pattern.compile("notice: Requesting fencing \\((?:off|reboot)\\) of node (\\S+)");
  private static final String AGENT_FAILED = " failed there";

  private final SimCluster cluster;

  /// When it was not, last.
  private final Map<String, Long> unwell = new LinkedHashMap<>();

  /// What the last plan has it fenced for.
  private final Map<String, String> reasons = new LinkedHashMap<>();

  SimWellHosts(SimCluster cluster) {
    this.cluster = cluster;
  }

  void everySecond() {
    for (var host : cluster.hosts()) {
      if (!isWell(host)) {
        unwell.put(host.name(), cluster.queue().now());
      }
    }
  }

  /// One end of a connection is gone.
  void disconnected(SimNode one, SimNode other) {
    for (var host : cluster.hosts()) {
      if ((host == one || host == other) && cluster.streams().connectedTo(host, 0).isEmpty()) {
        unwell.put(host.name(), cluster.queue().now());
      }
    }
  }

  /// What a daemon says.
  void said(String process, String text) {
    if (process.equals("schedulerd") && text.contains("Fence (")) {
      var match = PLANNED.matcher(text);
      if (match.find()) {
        reasons.put(match.group(1), match.group(2));
      }
    } else if (process.equals("controld") && text.contains("Requesting fencing (")) {
      var match = ASKED.matcher(text);
      var host = match.find() ? cluster.outside().named(match.group(1)) : null;
      if (host != null && cluster.hosts().contains(host)) {
        asked(host);
      }
    }
  }

  private void asked(SimNode host) {
    var reason = reasons.remove(host.name());
    var now = cluster.queue().now();
    var since = unwell.getOrDefault(host.name(), 0L);
    if (reason == null || !isWell(host) || now - since < WELL) {
      return;
    }
    if (!reason.endsWith(AGENT_FAILED) || !host.agents().wereHarmed()) {
      cluster.fail(
          SimCheck.WELL_HOST,
          "%s is fenced ('%s'), and was well and connected for %d s"
              .formatted(host.name(), reason, (now - since) / SECOND));
    }
  }

  private boolean isWell(SimNode host) {
    return works(host, "remoted")
        && cluster.nodes().stream().filter(SimNode::isDc).count() == 1
        && cluster.streams().connectedTo(host, 0).stream().map(cluster::node).anyMatch(it -> has(it, host));
  }

  /// Whether a member can use the host, and the DC that member.
  private boolean has(SimNode member, SimNode host) {
    var network = cluster.network();
    return works(member, "controld")
        && network.hear(member, host)
        && cluster.nodes().stream()
            .filter(SimNode::isDc)
            .allMatch(
                it -> works(it, "controld") && network.hear(it, member) && cluster.order().members(it).contains(member.name()));
  }

  static boolean works(SimNode machine, String daemon) {
    var process = machine.process(daemon);
    return machine.isPowered() && !machine.isPaused() && process != null && process.isAlive() && !process.isStopped();
  }
}
