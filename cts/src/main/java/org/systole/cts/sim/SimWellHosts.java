package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// No remote node is fenced for its connection that was well, and connected to a member, all the while: moved, not made or
/// lost on one member, a connection that another one has tells of no harm that fencing could end.
///
/// A host is connected as long as any member of the DC's side is, whichever; but for a fencing by a person, and one that a
/// failed agent asks for. Before it is asked for the host must have been well for longer than the DC may take to hear of
/// what was before, and to plan with that. Who asks may have been DC for less long than it takes to be seen: what counts is its side, too.
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

  /// What the last plan of a node has it fenced for.
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
  void said(SimProcess process, String text) {
    var node = process.node();
    if (process.name().equals("schedulerd") && text.contains("Fence (")) {
      var match = PLANNED.matcher(text);
      if (match.find()) {
        reasons.put(key(node, match.group(1)), match.group(2));
      }
    } else if (process.name().equals("controld") && text.contains("Requesting fencing (")) {
      var match = ASKED.matcher(text);
      var host = match.find() ? cluster.outside().named(match.group(1)) : null;
      if (host != null && cluster.hosts().contains(host)) {
        asked(node, host);
      }
    }
  }

  private static String key(SimNode node, String host) {
    return node.name() + " " + host;
  }

  private void asked(SimNode dc, SimNode host) {
    var reason = reasons.remove(key(dc, host.name()));
    var now = cluster.queue().now();
    var since = unwell.getOrDefault(host.name(), 0L);
    if (reason == null || !isWell(host, dc) || now - since < WELL) {
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
    var dcs = cluster.nodes().stream().filter(SimNode::isDc).toList();
    return dcs.size() == 1 && isWell(host, dcs.getFirst());
  }

  /// By what a DC, and the one that is seen to be it, can know.
  private boolean isWell(SimNode host, SimNode dc) {
    var seen = cluster.nodes().stream().filter(SimNode::isDc).toList();
    return works(host, "remoted")
        && seen.size() == 1
        && cluster.streams().connectedTo(host, 0).stream()
            .map(cluster::node)
            .anyMatch(it -> uses(it, host) && hears(seen.getFirst(), it) && hears(dc, it));
  }

  private boolean uses(SimNode member, SimNode host) {
    return works(member, "controld") && cluster.network().hear(member, host);
  }

  private boolean hears(SimNode dc, SimNode member) {
    return works(dc, "controld") && cluster.network().hear(dc, member) && cluster.order().members(dc).contains(member.name());
  }

  static boolean works(SimNode machine, String daemon) {
    var process = machine.process(daemon);
    return machine.isPowered() && !machine.isPaused() && process != null && process.isAlive() && !process.isStopped();
  }
}
