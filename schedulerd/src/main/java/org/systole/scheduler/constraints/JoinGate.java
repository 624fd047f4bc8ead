package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// The join gate: a member on which a role of the gate is not active gets nothing new. The attributes
/// `#role-NAME` tell which are; a node that has just come has none.
///
/// What was seen running there stays: a role that fails later must not stop what runs. Whoever wants
/// that says so with a rule. What only counts as active because its probe has failed was not seen: a node
/// without its storage is just where that happens. Nothing is promoted that is not, and of a group nobody
/// comes to the members that are there. Those are not moved for the sake of one that waits, nor is anything
/// else that runs. Fence devices pass: the fencer goes by where they may run, and a cluster whose gates are
/// shut must be able to fence. So do connections to remote nodes and guests: they run nothing on the member, and
/// where none could be made, because the one before went with its member, what runs on the host would be lost with it.
public final class JoinGate {
  /// The cluster option: the roles, separated by spaces or commas.
  public static final String OPTION = "join-gate-roles";

  /// What names of the attributes begin with.
  public static final String ATTRIBUTE = "#role-";

  /// What is done only to what runs, or has it run.
  private static final List<Task> RUN_BY =
      List.of(Task.START, Task.PROMOTE, Task.DEMOTE, Task.MIGRATE_FROM, Task.MIGRATE_TO);

  private static final String SOURCE = "join gate: ";
  private static final String ACTIVE = "active";
  private static final String WAITS = "waits for role ";

  private JoinGate() {}

  /// Bans what is not there already from nodes that wait.
  public static void apply(WorkingSet cluster) {
    var roles = roles(cluster);
    if (roles.isEmpty()) {
      return;
    }
    for (var node : cluster.nodes()) {
      var waits = waitsFor(roles, node);
      if (waits.isEmpty()) {
        continue;
      }
      for (var rsc : cluster.resources()) {
        ban(SOURCE + String.join(", ", waits), rsc, node);
      }
    }
  }

  /// Bans a resource from a node, but for what of it runs there.
  static void ban(String source, Resource rsc, Node node) {
    if (passes(rsc)) {
      return;
    }
    if (!(rsc instanceof Bundle) && rsc.children().stream().anyMatch(JoinGate::passes)) { // the others do not pass with it
      rsc.children().forEach(it -> ban(source, it, node));
      return;
    }
    if (!isOn(rsc, node)) {
      Locations.add(source, rsc, -Score.INFINITY, null, node);
      return;
    }
    switch (rsc) { // that one part is there is no reason for another to come
      case Bundle bundle -> bundle.replicas().forEach(it -> ban(source, it.container(), node));
      case Clone clone -> {
        for (var instance : clone.children()) {
          ban(source, instance, node);
          if (clone.isPromotable() && isOn(instance, node) && !isPromoted(instance, node)) {
            Locations.add(source, instance, -Score.INFINITY, null, node).setRole(Role.PROMOTED);
          }
        }
      }
      case Group group -> group.children().forEach(it -> ban(source, it, node));
      default -> {}
    }
  }

  /// Whether a resource waits at the gate of a node where another one runs, which would have to leave to be with it. So it is on
  /// [FrozenHosts].
  static boolean waitsWhere(Resource waiting, Resource runs) {
    for (var location : waiting.locations()) {
      if ((isSource(location.id()) || FrozenHosts.SOURCE.equals(location.id()))
          && location.role() != Role.PROMOTED
          && location.nodes().stream().anyMatch(it -> isOn(runs, it.node()))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPromoted(Resource instance, Node node) {
    return instance.children().isEmpty()
        ? instance.role() == Role.PROMOTED && instance.active().contains(node)
        : instance.children().stream().anyMatch(it -> isPromoted(it, node));
  }

  private static List<String> roles(WorkingSet cluster) {
    var option = cluster.options().get(OPTION);
    return option == null ? List.of() : ClusterOptions.names(option);
  }

  // Remote nodes have no roles: the cluster makes members fit only.
  private static List<String> waitsFor(List<String> roles, Node node) {
    var waits = new ArrayList<String>();
    if (!node.isRemote() && !node.isGuest()) {
      for (var role : roles) {
        var state = node.attributes().get(ATTRIBUTE + role);
        if (!ACTIVE.equals(state)) {
          waits.add("%s%s on %s (%s)".formatted(WAITS, role, node.name(), state == null ? "not begun" : state));
        }
      }
    }
    return waits;
  }

  private static boolean passes(Resource rsc) {
    var agent = AgentName.of(rsc.xml());
    return agent.isFenceAgent()
        || agent.isRemoteConnection()
        || !rsc.children().isEmpty() && rsc.children().stream().allMatch(JoinGate::passes);
  }

  // A bundle is where its containers are: the connections to what is inside may be made from anywhere. A
  // group is where its first member is that is anywhere; else those before it would come past the gate.
  private static boolean isOn(Resource rsc, Node node) {
    if (rsc instanceof Bundle bundle) {
      return bundle.replicas().stream().anyMatch(it -> isOn(it.container(), node));
    }
    if (rsc instanceof Group group) {
      var members = group.children();
      return !members.isEmpty()
          && isOn(members.getFirst(), node)
          && members.stream().noneMatch(it -> isElsewhere(it, node));
    }
    return rsc.children().isEmpty()
        ? rsc.active().contains(node) && wasSeen(rsc, node)
        : rsc.children().stream().anyMatch(it -> isOn(it, node));
  }

  private static boolean isElsewhere(Resource rsc, Node node) {
    return !rsc.active().isEmpty() && !rsc.active().contains(node);
  }

  // Something but a probe was done there, or a probe has found it running. A demotion for nothing but what a probe of what cannot
  // be promoted has said shows no more than the probe.
  private static boolean wasSeen(Resource rsc, Node node) {
    var entries = rsc.cluster().historyIndex().entries(node, rsc);
    var promotable = isPromotable(rsc);
    var mistaken = !promotable && entries.stream().anyMatch(it -> it.isProbe() && it.is(OcfCode.FAILED_PROMOTED));
    for (var entry : entries) {
      var found = entry.is(OcfCode.FAILED_PROMOTED) ? promotable : entry.tellsActive();
      var done = RUN_BY.stream().anyMatch(entry::is) && !(mistaken && entry.is(Task.DEMOTE));
      var worked = entry.intervalMillis() > 0 || done;
      if (entry.isProbe() ? found : worked && (!entry.isFailure() || entry.intervalMillis() > 0)) {
        return true;
      }
    }
    return false;
  }

  // Of others a probe that says "failed in the promoted role" has seen nothing.
  private static boolean isPromotable(Resource rsc) {
    for (@Nullable Resource it = rsc; it != null; it = it.parent()) {
      if (it instanceof Clone clone && clone.isPromotable()) {
        return true;
      }
    }
    return false;
  }

  /// Whether a location's id says that it is the gate's.
  public static boolean isSource(String id) {
    return id.startsWith(SOURCE);
  }

  /// The roles that it waits for.
  public static List<String> roles(String id) {
    var roles = new ArrayList<String>();
    for (var wait : reason(id).split(", ")) {
      if (wait.startsWith(WAITS)) {
        var name = wait.substring(WAITS.length());
        roles.add(name.substring(0, Math.max(0, name.indexOf(' '))));
      }
    }
    return roles;
  }

  /// What it says.
  public static String reason(String id) {
    return id.substring(SOURCE.length());
  }
}
