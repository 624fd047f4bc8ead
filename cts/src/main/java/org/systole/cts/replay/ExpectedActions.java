package org.systole.cts.replay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.TransitionGraph;

/// What a graph says is done, and what before what, in the names of whoever plays it.
///
/// Points that only order others are not done by anybody; what they order is.
public final class ExpectedActions {
  private final Map<String, Set<String>> before = new LinkedHashMap<>();

  private ExpectedActions() {}

  /// @throws IllegalArgumentException if something is done on a node that the part neither plays nor leaves
  ///     out
  public static ExpectedActions of(TransitionGraph graph, Part part) {
    var made = new ExpectedActions();
    var actions = new HashMap<Integer, GraphAction>();
    var inputs = new HashMap<Integer, Set<Integer>>();
    for (var synapse : graph.synapses()) {
      for (var action : synapse.actions()) {
        actions.put(action.id(), action);
        inputs.put(action.id(), synapse.inputIds());
      }
    }
    for (var synapse : graph.synapses()) {
      for (var action : synapse.actions()) {
        if (!action.isPseudo() && isPlayed(action, part)) {
          made.before
              .computeIfAbsent(name(action, part), _ -> new LinkedHashSet<>())
              .addAll(directlyBefore(action.id(), actions, inputs, part));
        }
      }
    }
    return made;
  }

  /// Those that this one waits for, looking through whatever nobody does.
  private static List<String> directlyBefore(
      int id, Map<Integer, GraphAction> actions, Map<Integer, Set<Integer>> inputs, Part part) {
    var found = new ArrayList<String>();
    var seen = new LinkedHashSet<Integer>();
    var left = new ArrayDeque<>(inputs.getOrDefault(id, Set.of()));
    while (!left.isEmpty()) {
      var input = left.remove();
      var action = actions.get(input);
      if (action == null || !seen.add(input) || !isPlayed(action, part)) {
        continue;
      }
      if (action.isPseudo()) {
        left.addAll(inputs.getOrDefault(input, Set.of()));
      } else {
        found.add(name(action, part));
      }
    }
    return found;
  }

  private static boolean isPlayed(GraphAction action, Part part) {
    if (part.leavesOutKey(action.key())) {
      return false;
    }
    var node = action.node();
    if (node == null || part.isLeftOut(node.text())) {
      return node == null;
    }
    if (!action.isPseudo() && part.node(node.text()) == null) {
      throw new IllegalArgumentException("nobody plays " + node + ", and it is not left out: " + action);
    }
    return true;
  }

  private static String name(GraphAction action, Part part) {
    var node = action.node();
    var where = node == null ? "the cluster" : String.valueOf(part.node(node.text()));
    return action.isFencing()
        ? LiveAction.fencing(where)
        : LiveAction.name(part.here(action.key()), where);
  }

  /// All that is done.
  public Set<String> actions() {
    return before.keySet();
  }

  /// What has to have ended before this one begins.
  Set<String> before(String action) {
    return before.getOrDefault(action, Set.of());
  }
}
