package org.systole.scheduler.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// Why a resource is where it is, why it is not elsewhere, and what would have to change.
///
/// @param resource as the question named it
/// @param node the node the question was about, null for all
public record Explanation(String resource, @Nullable String node, List<Decision> decisions)
    implements Answer {
  /// What was decided about one primitive.
  ///
  /// @param chosen the node it was given, null for none
  /// @param role the role it will have
  /// @param reason why that node, or none
  /// @param conditions what holds wherever it might be
  public record Decision(
      String resource,
      @Nullable String chosen,
      String role,
      String reason,
      List<Condition> conditions,
      List<Place> places,
      List<Step> steps) {}

  /// Something beyond scores that counts: an option, a lost quorum, the state of a node.
  ///
  /// @param sources ids of elements of the CIB it came from; may be empty
  public record Condition(String kind, List<String> sources, String text) {}

  /// One node as the resource sees it.
  ///
  /// @param score the final score, null if the node is not in question at all
  /// @param change what would have to change for it to run there; empty if it does
  public record Place(
      String node,
      boolean chosen,
      @Nullable Integer score,
      List<Contribution> contributions,
      List<Condition> obstacles,
      String change) {}

  /// A score that moved the placement.
  ///
  /// @param sources ids of elements of the CIB it came from; empty if it came from none
  /// @param promotion whether it counts for promotion rather than for the place
  /// @param mend the command that ends it, empty if there is no single one
  public record Contribution(
      String kind, int score, List<String> sources, boolean promotion, String text, String mend) {}

  /// An action that is needed.
  ///
  /// @param state `required`, or `blocked` if it cannot be executed
  public record Step(String action, @Nullable String node, String state, String reason) {}

  /// Explains a planned run.
  ///
  /// @param cluster planned with [org.systole.scheduler.model.ClusterFlag#EXPLAIN]
  /// @param node null for all nodes
  public static Explanation of(WorkingSet cluster, Resource resource, @Nullable Node node) {
    return new Explainer(cluster, node).explain(resource);
  }

  /// As [#of(WorkingSet, Resource, Node)], the resource as the user named it: the name an anonymous
  /// clone gives to its instances stands for all of them.
  ///
  /// @return null if there is no such resource
  public static @Nullable Explanation of(WorkingSet cluster, String id, @Nullable Node node) {
    var found = cluster.find(id, Resource.Match.HISTORY, Resource.Match.ANONYMOUS_BASE_NAME);
    if (found == null) {
      return null;
    }
    return of(cluster, found.id().equals(id) ? found : found.top(false), node);
  }
}
