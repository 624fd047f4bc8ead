package org.systole.roles.view;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.roles.graph.RoleGraph;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RoleId;

/// The graph on a page: one line for each deployment and role with how many nodes are how far, and
/// only what stands in the way by name.
public final class GroupedView {
  private static final int NAMED_MAX = 5;

  /// @param counts how many noderoles are in each state
  /// @param trouble the noderoles in error, at most five
  /// @param more how many more are in error
  public record Group(
      DeploymentId deployment,
      RoleId role,
      Map<NodeRoleState, Integer> counts,
      List<NodeRole> trouble,
      int more) {
    public int size() {
      return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    public boolean isDone() {
      return counts.getOrDefault(NodeRoleState.ACTIVE, 0) == size();
    }
  }

  private GroupedView() {}

  /// The groups by deployment, within it in the order of the roles' graph.
  public static List<Group> of(LiveRoles roles) {
    var order = new RoleGraph(roles.document().roles()).order();
    SortedMap<DeploymentId, SortedMap<Integer, List<NodeRole>>> sorted = new TreeMap<>();
    for (var noderole : roles.all().values()) {
      var snapshot = roles.snapshot(noderole.id());
      if (snapshot != null) {
        sorted
            .computeIfAbsent(snapshot.id().deployment(), _ -> new TreeMap<>())
            .computeIfAbsent(order.indexOf(noderole.id().role()), _ -> new ArrayList<>())
            .add(noderole);
      }
    }
    var groups = new ArrayList<Group>();
    sorted.forEach(
        (deployment, byRole) ->
            byRole.values().forEach(members -> groups.add(group(deployment, members))));
    return groups;
  }

  private static Group group(DeploymentId deployment, List<NodeRole> members) {
    var counts = new EnumMap<NodeRoleState, Integer>(NodeRoleState.class);
    members.forEach(it -> counts.merge(it.state(), 1, Integer::sum));
    var trouble = members.stream().filter(it -> it.state() == NodeRoleState.ERROR).toList();
    return new Group(
        deployment,
        members.getFirst().id().role(),
        counts,
        trouble.stream().limit(NAMED_MAX).toList(),
        Math.max(0, trouble.size() - NAMED_MAX));
  }
}
