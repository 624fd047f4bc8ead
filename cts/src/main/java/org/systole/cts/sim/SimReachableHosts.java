package org.systole.cts.sim;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.values.Bool;
import org.systole.common.xml.Element;

/// What [SimWellHosts] does not see, as nobody is connected: a remote node that a member could be connected to.
///
/// No connection is refused or breaks between two that are well and hear each other, the member and the DC, too; for longer than
/// either may take to get over what was before. And none is planned to be fenced for want of a connection that nobody has tried in vain: the DC's
/// CIB tells of no failure of it, a member is well, joined, not kept from having it by the configuration, and hears it. That is so from the
/// moment when its executor listens, where the cluster has never known the node; else for longer than what was before may matter.
final class SimReachableHosts {
  private static final long SECOND = 1_000_000_000L;

  /// As long as an attempt in the middle of which a fault ends may take to be made again.
  private static final long TRIED = 20 * SECOND;

  /// As long as it takes the DC to hear of what was before, and to plan with that.
  private static final long HEARD = 30 * SECOND;

  private static final Pattern RESULT =
      Pattern.compile("Result of (\\S+)_(?:start_0|migrate_from_0|monitor_[1-9]\\d*) on (\\S+): (.*)");

  private static final String PLAN_ENDS = "Calculated transition";

  /// How it ends where nobody wants it any more, where the CIB takes no changes, or where the address was another node's.
  private static final List<String> MEANT =
      List.of(
          "exit status ",
          "Cancelled",
          "before it was there",
          "was asked for",
          "the CIB cannot be told",
          "host HA",
          "was neither stopped nor fenced",
          " is connected there");

  private final SimCluster cluster;

  /// Who they were when a member and a host were seen well together last, and since when they have been.
  private final Map<String, String> pairs = new TreeMap<>();

  private final Map<String, Long> since = new TreeMap<>();

  /// What the plan that is being written, and the last one, has fenced, and what is wrong with that; empty for nothing.
  private Map<String, String> writing = new TreeMap<>();

  private Map<String, String> planned = Map.of();

  SimReachableHosts(SimCluster cluster) {
    this.cluster = cluster;
  }

  void everySecond() {
    for (var host : cluster.hosts()) {
      for (var member : cluster.nodes()) {
        var pair = pair(host, member);
        var who = together(host, member);
        if (who == null || !who.equals(pairs.put(pair, who))) {
          since.remove(pair);
          if (who == null) {
            pairs.remove(pair);
          }
        }
        if (who != null) {
          since.putIfAbsent(pair, cluster.queue().now());
        }
      }
    }
  }

  /// The connections between the two are closed by a fault; null for all members.
  void reset(SimNode host, @Nullable SimNode member) {
    since.keySet().removeIf(it -> member == null ? it.startsWith(host.name() + " ") : it.equals(pair(host, member)));
  }

  private static String pair(SimNode host, SimNode member) {
    return host.name() + " " + member.name();
  }

  /// Which processes are well and hear each other, with the only DC; null if one does not.
  private @Nullable String together(SimNode host, SimNode member) {
    var dcs = cluster.nodes().stream().filter(SimNode::isDc).toList();
    return dcs.size() == 1 ? together(host, member, dcs.getFirst()) : null;
  }

  private @Nullable String together(SimNode host, SimNode member, SimNode dc) {
    return isUp(host)
            && SimWellHosts.works(member, "controld")
            && SimWellHosts.works(dc, "controld")
            && cluster.order().isQuorate(dc)
            && cluster.order().members(dc).contains(member.name())
            && cluster.network().hear(dc, member)
            && cluster.network().hear(member, host)
        ? "%s %s %s".formatted(host.process("remoted"), member.process("controld"), dc.process("controld"))
        : null;
  }

  private boolean isUp(SimNode host) {
    return SimWellHosts.works(host, "remoted") && !host.isLeaving() && cluster.streams().isServed(host);
  }

  /// How long a member and a host have been well together, in nanoseconds; 0 if they are not.
  private long wellFor(SimNode host, SimNode member) {
    var from = since.get(pair(host, member));
    return from == null || together(host, member) == null ? 0 : cluster.queue().now() - from;
  }

  /// What a daemon says.
  void said(SimProcess process, String text) {
    if (process.name().equals("schedulerd")) {
      plans(process.node(), text);
    } else if (process.name().equals("controld") && text.contains("Result of ")) {
      ends(process.node(), text);
    } else if (process.name().equals("controld") && text.contains("Requesting fencing (")) {
      fences(process.node(), text);
    }
  }

  private void ends(SimNode member, String text) {
    var match = RESULT.matcher(text);
    var host = match.find() && match.group(2).equals(member.name()) ? host(match.group(1)) : null;
    if (host != null && MEANT.stream().noneMatch(match.group(3)::contains) && wellFor(host, member) > TRIED) {
      cluster.fail(
          SimCheck.WELL_HOST,
          "the connection of %s to %s fails (%s), and both were well and heard each other for %d s"
              .formatted(member.name(), host.name(), match.group(3), wellFor(host, member) / SECOND));
    }
  }

  private void plans(SimNode dc, String text) {
    if (text.contains(PLAN_ENDS)) {
      planned = writing;
      writing = new TreeMap<>();
    }
    var match = SimWellHosts.PLANNED.matcher(text);
    var target = match.find() ? match.group(1) : null;
    if (target == null) {
      return;
    }
    var host = host(target);
    var cib = dc.cib();
    writing.put(target, host == null || cib == null || match.group(2).endsWith(" failed there") ? "" : wrong(host, dc, cib, match.group(2)));
  }

  private @Nullable SimNode host(String name) {
    return cluster.hosts().stream().filter(it -> it.name().equals(name)).findFirst().orElse(null);
  }

  private String wrong(SimNode host, SimNode dc, Element cib, String reason) {
    if (!isUp(host)
        || !cluster.streams().connectedTo(host, 0).isEmpty()
        || !isWanted(cib, host)
        || hasFailed(cib, host)) {
      return "";
    }
    var known = state(cib, host.name()) != null;
    for (var member : cluster.nodes()) {
      if (mayHave(cib, member, host) && (known ? wellFor(host, member) > HEARD : together(host, member, dc) != null)) {
        return "%s; %s".formatted(member.name(), reason);
      }
    }
    return "";
  }

  private void fences(SimNode dc, String text) {
    var match = SimWellHosts.ASKED.matcher(text);
    var host = match.find() ? host(match.group(1)) : null;
    var wrong = host == null ? null : planned.get(host.name());
    if (wrong == null || wrong.isEmpty()) {
      return;
    }
    var parts = wrong.split("; ", 2);
    var member = cluster.node(parts[0]);
    if (!planned.containsKey(member.name()) && together(host, member, dc) != null) {
      cluster.fail(
          SimCheck.WELL_HOST,
          "%s is fenced ('%s'), and is well, and nobody has tried to connect to it in vain: %s hears it"
              .formatted(host.name(), parts[1], member.name()));
    }
  }

  // What the CIB has

  private static @Nullable Element state(Element cib, String uname) {
    var status = cib.first("status");
    return status == null
        ? null
        : status.children("node_state").stream().filter(it -> uname.equals(it.get("uname"))).findFirst().orElse(null);
  }

  /// Whether the cluster is to be connected to it.
  private static boolean isWanted(Element cib, SimNode host) {
    var primitive = cib.find(it -> it.is("primitive") && host.name().equals(it.id()));
    return primitive != null
        && isNot(primitive, "target-role", "Stopped")
        && isNot(primitive, "is-managed", "false")
        && isNot(primitive, "maintenance", "true")
        && cib.find(it -> it.is("nvpair") && Set.of("maintenance-mode", "stop-all-resources").contains(it.get("name", "")) && Bool.isTrue(it.get("value"))) == null;
  }

  private static boolean isNot(Element within, String name, String value) {
    return within.find(it -> it.is("nvpair") && name.equals(it.get("name")) && value.equals(it.get("value"))) == null;
  }

  /// Whether anything is known of a connection to it that has failed, or that a failure is counted.
  private static boolean hasFailed(Element cib, SimNode host) {
    var status = cib.first("status");
    var counted = "fail-count-" + host.name() + "#";
    return status != null
        && (status.find(it -> it.is("nvpair") && it.get("name", "").startsWith(counted)) != null
            || status.find(it -> it.is("lrm_resource") && host.name().equals(it.id()) && it.children(HistoryEntry.ELEMENT).stream().anyMatch(SimReachableHosts::failed)) != null);
  }

  private static boolean failed(Element entry) {
    var status = entry.get("op-status", "0");
    return !status.equals("-1") && !(status.equals("0") && Set.of("0", "7").contains(entry.get("rc-code", "")));
  }

  /// Whether a member is in the cluster by that CIB, and may have the connection.
  private static boolean mayHave(Element cib, SimNode member, SimNode host) {
    var state = state(cib, member.name());
    if (state == null || !"member".equals(state.get("join")) || Set.of("false", "0").contains(state.get("in_ccm", "0")) || Set.of("offline", "0").contains(state.get("crmd", "0"))) {
      return false;
    }
    var names = new HashSet<>(List.of("standby", "maintenance", "shutdown"));
    var entry = cib.find(it -> it.is("node") && member.name().equals(it.get("uname")));
    var kept = List.of(state, entry == null ? state : entry).stream()
        .anyMatch(each -> each.find(it -> it.is("nvpair") && names.contains(it.get("name", "")) && !Set.of("off", "false", "0").contains(it.get("value", ""))) != null);
    return !kept && cib.find(it -> it.is("rsc_location") && host.name().equals(it.get("rsc")) && bans(it, member)) == null;
  }

  private static boolean bans(Element location, SimNode member) {
    return !member.name().equals(location.get("node")) ? location.get("node") == null : location.get("score", "0").startsWith("-");
  }
}
