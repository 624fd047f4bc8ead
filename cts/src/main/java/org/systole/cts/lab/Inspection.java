package org.systole.cts.lab;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.attrd.client.AttrConnection;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.wire.BlockingClient;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.fenced.client.FenceConnection;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;

/// Looks through a cluster that seems to be whole: everything each daemon of each node knows must
/// agree with what the others know, and with the evidence of the agents.
///
/// Each method says what is wrong, in one line; an empty text means that all is well.
final class Inspection {
  private static final Duration ANSWER = Duration.ofSeconds(5);

  private final Lab lab;
  private final Snapshot seen;

  Inspection(Lab lab, Snapshot seen) {
    this.lab = lab;
    this.seen = seen;
  }

  /// The first thing that is wrong.
  String complaint() {
    try {
      for (var check :
          List.<Check>of(
              this::processes,
              this::membership,
              this::controllers,
              this::holders,
              this::failures,
              this::leftovers,
              this::configurations,
              this::attributes,
              this::fencings,
              this::plan)) {
        var found = check.complaint();
        if (!found.isEmpty()) {
          return found;
        }
      }
      return "";
    } catch (IOException | CibException e) {
      return "%s".formatted(e.getMessage());
    }
  }

  private interface Check {
    String complaint() throws IOException, CibException;
  }

  /// One of each daemon on each node.
  private String processes() {
    var found = LabProcesses.daemons(lab.nodes());
    for (var node : lab.nodes()) {
      for (var daemon : LabProcesses.DAEMONS) {
        var count = found.getOrDefault(node.name() + " " + daemon, List.of()).size();
        if (count != 1) {
          return "%d processes of %s of %s".formatted(count, daemon, node.name());
        }
      }
    }
    return "";
  }

  private String membership() throws IOException {
    var told = new TreeMap<String, String>();
    for (var node : lab.nodes()) {
      var socket = node.layout().socket(LinkMessage.SOCKET);
      try (var link = BlockingClient.open(socket, LinkMessage.PROTOCOL)) {
        var answer = link.call(new LinkMessage.StatusQuery(), ANSWER);
        if (!(answer instanceof LinkMessage.Status status)) {
          return node.name() + "'s link answers " + answer;
        }
        var now = status.membership();
        if (!now.quorate() || now.members().size() != lab.nodes().size()) {
          return "%s has the membership %s".formatted(node.name(), now);
        }
        told.put(node.name(), now.toString());
      }
    }
    return differing("memberships", told);
  }

  /// The DC has nothing to do, and all others know it.
  private String controllers() throws IOException {
    var dc = String.valueOf(seen.dc());
    for (var node : lab.nodes()) {
      var wanted = node.name().equals(dc) ? "S_IDLE" : "S_NOT_DC";
      try (var controller = CtlConnection.open(node.layout(), ANSWER)) {
        var state = controller.ask(new CtlMessage.StateQuery(null));
        if (!(state instanceof CtlMessage.State(var _, var name, var itsDc))
            || !name.equals(wanted)
            || itsDc == null
            || !itsDc.text().equals(dc)) {
          return "%s's controller says %s, while the DC is %s".formatted(node.name(), state, dc);
        }
        if (node.name().equals(dc)
            && !(controller.ask(new CtlMessage.WorkQuery()) instanceof CtlMessage.Work work
                && work.idle())) {
          return dc + ", the DC, is not idle";
        }
      }
    }
    return "";
  }

  /// The resources run where the cluster says they do.
  private String holders() throws IOException {
    for (var resource : Health.EXCLUSIVE) {
      var found = disagreement(resource, resource);
      if (!found.isEmpty()) {
        return found;
      }
    }
    return disagreement(Health.CLONED, Health.CLONE);
  }

  private String disagreement(String agent, String resource) throws IOException {
    var holders = lab.evidence().holders(agent);
    var told = new TreeSet<>(seen.activeOn(resource));
    return holders.equals(told)
        ? ""
        : "%s runs on %s by its agent's evidence, on %s by the cluster's"
            .formatted(agent, holders, told);
  }

  private String failures() {
    var failed = seen.status().failed().stream().map(it -> it.get("id", "?")).toList();
    if (!failed.isEmpty()) {
      return "failed operations: " + failed;
    }
    for (var node : seen.status().nodes()) {
      for (var name : node.attributes().keySet()) {
        if (FailureAttribute.isOne(name)) {
          return "%s has %s=%s".formatted(node.name(), name, node.attributes().get(name));
        }
      }
    }
    return "";
  }

  /// A scenario that moves a resource clears its constraint; a return ends a shutdown.
  private String leftovers() {
    var constraints = seen.cib().path("configuration", "constraints");
    if (constraints != null && !constraints.children().isEmpty()) {
      return "constraints are left: "
          + constraints.children().stream().map(it -> it.get("id", "?")).toList();
    }
    for (var node : seen.status().nodes()) {
      var shutdown = node.attributes().get("shutdown");
      if (shutdown != null && !shutdown.equals("0")) {
        return "%s still has shutdown=%s".formatted(node.name(), shutdown);
      }
    }
    return "";
  }

  private String configurations() throws IOException, CibException {
    var told = new TreeMap<String, String>();
    for (var node : lab.nodes()) {
      try (var cib = CibConnection.open(node.layout(), "lab", ANSWER)) {
        var status = cib.status();
        told.put(
            node.name(),
            "%s %s, primary %s".formatted(status.version(), status.digest(), status.primaryId()));
      }
    }
    return differing("CIBs", told);
  }

  /// What the attribute managers hold is what stands in the CIB.
  private String attributes() throws IOException {
    var inCib = new TreeMap<String, String>();
    var names = transientAttributes(inCib);
    for (var node : lab.nodes()) {
      var held = new TreeMap<String, String>();
      try (var attributes = AttrConnection.open(node.layout(), ANSWER)) {
        for (var name : names) {
          for (var value : attributes.query(name, null).values()) {
            if (value.value() != null) {
              held.put(value.node() + " " + name, value.value());
            }
          }
        }
      } catch (IOException e) {
        throw new IOException(node.name() + "'s attribute manager: " + e.getMessage(), e);
      }
      if (!held.equals(inCib)) {
        return "attributes of %s: %s, in the CIB: %s".formatted(node.name(), held, inCib);
      }
    }
    return "";
  }

  private SortedSet<String> transientAttributes(TreeMap<String, String> values) {
    var names = new TreeSet<>(List.of(DaemonScenarios.ATTRIBUTE, "shutdown"));
    var status = seen.cib().path("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var attributes = state.path("transient_attributes", "instance_attributes");
      for (var pair : attributes == null ? List.<Element>of() : attributes.children("nvpair")) {
        names.add(pair.get("name", ""));
        values.put(state.get("uname", "") + " " + pair.get("name", ""), pair.get("value", ""));
      }
    }
    return names;
  }

  /// All fencers know the same fencings, and none is under way.
  private String fencings() throws IOException {
    var told = new TreeMap<String, String>();
    for (var node : lab.nodes()) {
      try (var fencer = FenceConnection.open(node.layout())) {
        var records = fencer.history(null, ANSWER);
        if (records.stream().anyMatch(FenceRecord::pending)) {
          return "%s's fencer has work: %s".formatted(node.name(), records);
        }
        var lines = new TreeSet<String>();
        records.forEach(it -> lines.add("%s %s %s".formatted(it.id(), it.target(), it.progress())));
        told.put(node.name(), lines.toString());
      }
    }
    return differing("histories of fencing", told);
  }

  private static String differing(String what, TreeMap<String, String> told) {
    return new TreeSet<>(told.values()).size() == 1
        ? ""
        : "the %s differ: %s".formatted(what, told);
  }

  /// The scheduler finds nothing to do.
  private String plan() {
    return plan(seen, true);
  }

  /// @param points whether also what only orders others counts, which may be left where a part of
  ///     something cannot run
  static String plan(Snapshot seen, boolean points) {
    var graph =
        Scheduler.run(
                seen.cib(),
                Instant.now(),
                ZoneId.systemDefault(),
                EnumSet.of(ClusterFlag.NO_COUNTS))
            .graph();
    var actions = new ArrayList<String>();
    for (var synapse : graph.synapses()) {
      synapse.actions().stream()
          .filter(it -> points || !it.isPseudo())
          .forEach(it -> actions.add(it.key() + " on " + it.node()));
    }
    return actions.isEmpty() ? "" : "the scheduler still finds something to do: " + actions;
  }
}
