package org.systole.controld.roles;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;

/// Finds what the programs of alerts are told of roles: that one is in error, or is active. A DC that
/// begins takes for told what the nodes' attributes say, and of nodes that have none what it finds.
final class RoleNews {
  /// Runs the alerts.
  interface Teller {
    void role(NodeName node, String role, String state, String text);
  }

  private final Teller teller;
  private @Nullable Map<NodeRoleId, String> known;

  RoleNews(Teller teller) {
    this.teller = teller;
  }

  void forget() {
    known = null;
  }

  /// @param live the noderoles as they are now
  /// @param attributes those that the CIB has, by node; asked for once in a DC's time
  void see(
      SortedMap<NodeRoleId, NodeRole> live,
      Supplier<SortedMap<NodeName, SortedMap<String, String>>> attributes) {
    var before = known == null ? told(live, attributes.get()) : known;
    var now = new HashMap<NodeRoleId, String>();
    for (var it : live.values()) {
      var state = it.state().word();
      now.put(it.id(), state);
      if (!state.equals(before.get(it.id()))) {
        tell(it);
      }
    }
    known = now;
  }

  private static Map<NodeRoleId, String> told(
      SortedMap<NodeRoleId, NodeRole> live,
      SortedMap<NodeName, SortedMap<String, String>> attributes) {
    var told = new HashMap<NodeRoleId, String>();
    for (var it : live.values()) {
      var of = attributes.getOrDefault(it.id().node(), new TreeMap<>());
      told.put(it.id(), of.getOrDefault(RoleWork.ATTRIBUTE + it.id().role(), it.state().word()));
    }
    return told;
  }

  private void tell(NodeRole it) {
    var role = it.id().role().text();
    var node = it.id().node();
    if (it.state() == NodeRoleState.ERROR) {
      teller.role(node, role, it.state().word(), "role %s is in error: %s".formatted(role, it.cause()));
    } else if (it.state() == NodeRoleState.ACTIVE) {
      teller.role(node, role, it.state().word(), "role %s is active".formatted(role));
    }
  }
}
