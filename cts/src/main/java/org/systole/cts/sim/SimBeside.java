package org.systole.cts.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// What people do right after whatever else happens, as they see that something is wrong: they have what is known of resources
/// forgotten and looked for anew, ban a connection from the member that has it, take such constraints back, put a remote node
/// into standby and out of it, and set attributes of it.
///
/// It has its own chance, so that a life goes as it would without up to the first of these.
final class SimBeside extends SimOddDeeds {
  /// What stands for all, of resources or nodes.
  private static final String ALL = "all";

  private static final long AT_ONCE = 300 * MILLI;
  private static final long SOON = 3 * SECOND;
  private static final int PERCENT = 100;

  /// What is no fault, or done so often that nothing else would happen.
  private static final List<String> OTHERS =
      List.of("write ", "attribute ", "cleanup ", "heal", SimRemovals.BEGUN + " ", SimRemovals.ENDED + " ", SimChecks.ANSWERS);

  private final int share;
  private boolean on = true;
  private boolean mine;

  /// @param share of the deeds after which something is done, of a hundred
  SimBeside(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites, int share) {
    super(cluster, random, changes, bites);
    this.share = share;
  }

  void begin() {
    cluster.story().listen(this::done);
  }

  void end() {
    on = false;
  }

  private void done(String deed) {
    if (mine || !on || OTHERS.stream().anyMatch(deed::startsWith) || random.nextInt(PERCENT) >= share) {
      return;
    }
    after(1 + random.nextLong(random.nextBoolean() ? AT_ONCE : SOON), this::happen);
  }

  private void happen() {
    if (!on) {
      return;
    }
    mine = true;
    var how = random.nextInt(10);
    var machines = cluster.machines().stream().filter(it -> !cluster.nodes().contains(it)).toList();
    var machine = one(machines);
    switch (how) {
      case 0 -> ban(machine);
      case 1 -> ask(CibOp.deleteAllXPath("//rsc_location[@rsc=%s]".formatted(CibXPath.literal(machine.name()))));
      case 2 -> change(machine, "standby", random.nextBoolean() ? "on" : "off");
      case 3 -> change(machine, "kind", "k" + random.nextInt(3));
      default -> refresh(machine);
    }
    mine = false;
  }

  /// As `crm_resource --ban` of the connection. Not of one that is being taken out: fewer members would try to connect, and it be fenced,
  /// rightly, before whoever takes it out is done.
  private void ban(SimNode machine) {
    var name = machine.name();
    if (isThere(name) && !cluster.checks().removals().isBegun(machine)) {
      var member = connectedTo(machine).name();
      ask(CibOp.put("constraints", Element.of("rsc_location", "id", "ban-" + name, "rsc", name, "node", member, "score", "-INFINITY")));
    }
  }

  /// Not of one that is being taken out: what is written then is left in the CIB, and rightly.
  private void change(SimNode machine, String name, String value) {
    if (isThere(machine.name()) && !cluster.checks().removals().isBegun(machine)) {
      ask(SimChanges.nodeAttribute(machine, name, value));
    }
  }

  private boolean isThere(String connection) {
    var cib = dc().cib();
    return cib != null && cib.find(it -> it.is("primitive") && connection.equals(it.id())) != null;
  }

  /// As `crm_resource --refresh`, of all or of one resource, on all nodes or on one.
  private void refresh(SimNode machine) {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (up.isEmpty()) {
      return;
    }
    var active = List.copyOf(machine.activeResources());
    var there = active.isEmpty() ? "a" : one(active);
    var by = one(up);
    switch (random.nextInt(7)) {
      case 0 -> refresh(cluster, by, ALL, ALL);
      case 1 -> refresh(cluster, by, ALL, machine.name());
      case 2 -> refresh(cluster, by, ALL, one(up).name());
      case 3 -> refresh(cluster, by, machine.name(), connectedTo(machine).name());
      case 4 -> refresh(cluster, by, machine.name(), ALL);
      case 5 -> refresh(cluster, by, there, machine.name());
      default -> refresh(cluster, by, there, ALL);
    }
  }

  /// @param by where it is asked for
  /// @param resource or [#ALL]
  /// @param node or [#ALL]
  static void refresh(SimCluster cluster, SimNode by, String resource, String node) {
    cluster.story().deed("cleanup %s %s %s".formatted(by.name(), resource, node), () -> refreshNow(cluster, by, resource, node));
  }

  private static void refreshNow(SimCluster cluster, SimNode by, String resource, String node) {
    cluster.note("refresh of %s on %s asked of %s".formatted(resource, node, by.name()));
    var nodes = new ArrayDeque<String>();
    if (!node.equals(ALL)) {
      nodes.add(node);
    } else if (resource.equals(ALL)) {
      nodes.add("");
    } else {
      cluster.machines().forEach(it -> nodes.add(it.name())); // the command asks for one after the other
    }
    next(cluster, by, resource.equals(ALL) ? "" : resource, nodes);
  }

  private static void next(SimCluster cluster, SimNode by, String resource, Deque<String> nodes) {
    var node = nodes.poll();
    if (node == null) {
      return;
    }
    var failures = new AttrMessage.ClearFailures(ResourceId.of(resource), "", 0, NodeName.of(node));
    cluster.ask(
        by.name(),
        AttrMessage.SOCKET,
        AttrMessage.PROTOCOL,
        failures,
        _ -> clear(cluster, by, resource, node, () -> next(cluster, by, resource, nodes)));
  }

  private static void clear(SimCluster cluster, SimNode by, String resource, String node, Runnable then) {
    cluster.ask(
        by.name(),
        CtlMessage.SOCKET,
        CtlMessage.PROTOCOL,
        new CtlMessage.ClearHistory(resource, node),
        (CtlMessage.@Nullable Reply answer) -> {
          cluster.note("refresh of %s on %s: %s".formatted(resource.isEmpty() ? ALL : resource, node.isEmpty() ? ALL : node, answer));
          then.run();
        });
  }
}
