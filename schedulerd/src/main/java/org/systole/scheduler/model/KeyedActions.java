package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The actions of a resource that share a key, such as its probes on all nodes.
///
/// An action may get a node later, but never another one.
final class KeyedActions {
  /// Fewer are looked through faster than looked up.
  private static final int FEW = 4;

  private final List<Action> all = new ArrayList<>(1);
  private final Map<Node, List<Action>> byNode = new HashMap<>();
  private int indexed;

  void add(Action action) {
    all.add(action);
  }

  /// All of them, the oldest first.
  List<Action> all() {
    return all;
  }

  /// Those on a node, the oldest first; all if some have no node, or if there are few.
  List<Action> fitting(Node node) {
    if (all.size() <= FEW) {
      return all;
    }
    while (indexed < all.size()) {
      var action = all.get(indexed);
      if (action.node() == null) {
        return all;
      }
      byNode.computeIfAbsent(action.node(), key -> new ArrayList<>(1)).add(action);
      indexed++;
    }
    return byNode.getOrDefault(node, List.of());
  }
}
