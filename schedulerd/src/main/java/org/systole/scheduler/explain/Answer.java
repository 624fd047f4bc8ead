package org.systole.scheduler.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.explain.Explanation.Condition;
import org.systole.scheduler.explain.Explanation.Step;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.WorkingSet;

/// What a question about a planned run is answered with: about a resource, a node or an action.
public sealed interface Answer permits Explanation, Answer.OfNode, Answer.OfActions {
  /// A node: whether it can run anything, what becomes of it, and how each resource stands to it.
  ///
  /// @param usable whether resources may be placed there
  /// @param steps what is done to the node itself, such as fencing
  record OfNode(
      String node,
      boolean usable,
      List<Condition> conditions,
      List<Step> steps,
      List<Presence> resources)
      implements Answer {}

  /// How a resource stands to a node.
  ///
  /// @param what `stays`, `comes`, `leaves` or `stays away`
  /// @param reason why; for one that stays away or leaves what would have to change, if that is
  ///     known
  record Presence(String resource, String what, String reason) {}

  /// The actions a key stands for, one for each node.
  record OfActions(String key, List<Planned> actions) implements Answer {}

  /// One action.
  ///
  /// @param state `required`, `optional` if nothing calls for it, or `blocked`
  /// @param after the needed actions it waits for
  /// @param before the needed actions that wait for it
  record Planned(
      String action,
      @Nullable String node,
      String state,
      String reason,
      List<String> after,
      List<String> before) {}

  /// Answers what the name stands for: a resource, else an action by its key (`rsc_start_0`), else
  /// a node. No name at all stands for the node itself.
  ///
  /// @param cluster planned with [org.systole.scheduler.model.ClusterFlag#EXPLAIN]
  /// @param at only on this node; null for all
  /// @return null if nothing has that name
  static @Nullable Answer to(WorkingSet cluster, String name, @Nullable Node at) {
    if (name.isEmpty() && at != null) {
      return new Explainer(cluster, at).explainNode(at);
    }
    var resource = Explanation.of(cluster, name, at);
    if (resource != null) {
      return resource;
    }
    var actions = new Steps(cluster).named(name, at);
    if (!actions.isEmpty()) {
      return new OfActions(name, actions);
    }
    var node = at == null ? cluster.node(name) : null;
    return node == null ? null : new Explainer(cluster, node).explainNode(node);
  }
}
