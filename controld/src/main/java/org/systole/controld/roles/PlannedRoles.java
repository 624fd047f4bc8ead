package org.systole.controld.roles;

import java.util.ArrayList;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// What a plan goes by where the CIB says that a member's role is active. The CIB may say so of the
/// node's stay before: the attribute manager cleans up nothing without quorum, and when there is quorum
/// again it writes in its own time, while the plan is made at once. The document knows better.
final class PlannedRoles {
  private static final String ACTIVE = "active";

  private final TreeSet<String> corrected = new TreeSet<>(); // "node name", by the last plan

  /// The CIB as it is to be planned with: no role of a member that is not active passes for it.
  ///
  /// @param known the attributes of the members as the document says
  Element correct(Element cib, SortedMap<NodeName, SortedMap<String, String>> known) {
    corrected.clear();
    var status = cib.first("status");
    if (status == null) {
      return cib;
    }
    var now = status;
    for (var state : status.children("node_state")) {
      var node = NodeName.of(state.get("uname"));
      var attributes = state.first("transient_attributes");
      if (node != null && attributes != null && known.containsKey(node)) {
        var right = correct(attributes, node, known.getOrDefault(node, new TreeMap<>()));
        if (right != attributes) {
          now = now.replace(now.indexOf(state), state.replace(state.indexOf(attributes), right));
        }
      }
    }
    return now == status ? cib : cib.replace(cib.indexOf(status), now);
  }

  private Element correct(Element attributes, NodeName node, SortedMap<String, String> known) {
    var now = attributes;
    for (var set : attributes.children("instance_attributes")) {
      var pairs = new ArrayList<Element>();
      for (var pair : set.children()) {
        var name = pair.get("name", "");
        var state = known.get(name);
        if (!name.startsWith(RoleWork.ATTRIBUTE) || !ACTIVE.equals(pair.get("value")) || ACTIVE.equals(state)) {
          pairs.add(pair);
          continue;
        }
        corrected.add(node + " " + name);
        if (state != null) {
          pairs.add(pair.with("value", state));
        }
      }
      if (!pairs.equals(set.children())) {
        now = now.replace(now.indexOf(set), set.withChildren(pairs));
      }
    }
    return now;
  }

  /// Whether the last plan went by a role's not being active that is active now. Nobody else may say so:
  /// where the CIB said it all the time, it does not change.
  boolean isOutdated(SortedMap<NodeName, SortedMap<String, String>> known) {
    for (var of : known.entrySet()) {
      for (var it : of.getValue().entrySet()) {
        if (ACTIVE.equals(it.getValue()) && corrected.contains(of.getKey() + " " + it.getKey())) {
          return true;
        }
      }
    }
    return false;
  }

  void forget() {
    corrected.clear();
  }
}
