package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.operation.AgentName;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// The join gate: a member on which a role of the gate is not active gets nothing new. The attributes
/// `#role-NAME` tell which are; a node that has just come has none.
///
/// What is active there stays: a role that fails later must not stop what runs. Whoever wants that
/// says so with a rule. Fence devices pass: the fencer goes by where they may run, and a cluster whose
/// gates are shut must be able to fence.
public final class JoinGate {
  /// The cluster option: the roles, separated by spaces or commas.
  public static final String OPTION = "join-gate-roles";

  /// What names of the attributes begin with.
  public static final String ATTRIBUTE = "#role-";

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

  private static void ban(String source, Resource rsc, Node node) {
    if (isFencing(rsc)) {
      return;
    }
    if (rsc.children().stream().anyMatch(JoinGate::isFencing)) { // the others do not pass with it
      rsc.children().forEach(it -> ban(source, it, node));
    } else if (!isOn(rsc, node)) {
      Locations.add(source, rsc, -Score.INFINITY, null, node);
    } else if (rsc instanceof Bundle bundle) {
      for (var replica : bundle.replicas()) { // that one is there is no reason for another to come
        if (!replica.container().active().contains(node)) {
          Locations.add(source, replica.container(), -Score.INFINITY, null, node);
        }
      }
    } else if (rsc instanceof Clone clone) { // nor for another instance
      for (var instance : clone.children()) {
        if (!isOn(instance, node)) {
          Locations.add(source, instance, -Score.INFINITY, null, node);
        }
      }
    }
  }

  private static List<String> roles(WorkingSet cluster) {
    var option = cluster.options().get(OPTION);
    return option == null || option.isBlank()
        ? List.of()
        : List.of(option.strip().split("[\\s,]+"));
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

  private static boolean isFencing(Resource rsc) {
    return AgentName.FENCING.equals(rsc.xml().get("class"))
        || !rsc.children().isEmpty() && rsc.children().stream().allMatch(JoinGate::isFencing);
  }

  // A bundle is where its containers are: the connections to what is inside may be made from anywhere.
  private static boolean isOn(Resource rsc, Node node) {
    if (rsc instanceof Bundle bundle) {
      return bundle.replicas().stream().anyMatch(it -> isOn(it.container(), node));
    }
    return rsc.children().isEmpty()
        ? rsc.active().contains(node)
        : rsc.children().stream().anyMatch(it -> isOn(it, node));
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
