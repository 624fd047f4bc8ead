package org.systole.controld.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;

/// What alerts tell of roles.
final class RoleNewsTest {
  private static final NodeName N1 = new NodeName("n1");

  private final List<String> told = new ArrayList<>();
  private final RoleNews news =
      new RoleNews(
          (node, role, state, text) -> told.add(node + " " + role + " " + state + ": " + text));
  private final SortedMap<NodeRoleId, NodeRole> live = new TreeMap<>();
  private final SortedMap<NodeName, SortedMap<String, String>> attributes = new TreeMap<>();

  private List<String> see(String noderole, NodeRoleState state, String cause) {
    var id = NodeRoleId.of(noderole);
    if (id == null) {
      throw new IllegalArgumentException(noderole);
    }
    var none = Json.Obj.EMPTY;
    live.put(id, new NodeRole(id, state, new TreeSet<>(), none, none, none, 1, cause));
    told.clear();
    news.see(live, () -> attributes);
    return told;
  }

  @Test
  void activeAndErrorAreToldOnce() {
    assertEquals(List.of(), see("a@n1", NodeRoleState.TRANSITION, ""));
    assertEquals(List.of("n1 a active: role a is active"), see("a@n1", NodeRoleState.ACTIVE, ""));
    assertEquals(List.of(), see("a@n1", NodeRoleState.ACTIVE, ""));
    assertEquals(
        List.of("n1 b error: role b is in error: no disk"),
        see("b@n1", NodeRoleState.ERROR, "no disk"));
    assertEquals(List.of(), see("b@n1", NodeRoleState.TODO, ""));
  }

  @Test
  void aNewDcTellsWhatNobodyHasToldYet() {
    attributes.put(N1, new TreeMap<>(Map.of("#role-a", "transition", "#role-b", "active")));
    assertEquals(List.of(), see("b@n1", NodeRoleState.ACTIVE, ""));
    news.forget();
    assertEquals(
        List.of("n1 a error: role a is in error: no disk"),
        see("a@n1", NodeRoleState.ERROR, "no disk"));
    news.forget();
    live.clear();
    assertEquals(List.of(), see("c@n2", NodeRoleState.ERROR, "so"), "its node has no attributes");
  }
}
