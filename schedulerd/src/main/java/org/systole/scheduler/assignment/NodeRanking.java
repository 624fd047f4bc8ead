package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.PlacementStrategy;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// Which node is the better one for a resource.
final class NodeRanking {
  private NodeRanking() {}

  /// The entries, best first: by score, capacity or number of resources, the active node, name.
  static List<ScoredNode> sorted(
      WorkingSet cluster, Iterable<ScoredNode> nodes, @Nullable Node active) {
    var list = new ArrayList<ScoredNode>();
    nodes.forEach(list::add);
    list.sort(byPreference(cluster.placementStrategy(), active));
    return list;
  }

  private static Comparator<ScoredNode> byPreference(
      PlacementStrategy strategy, @Nullable Node active) {
    return (a, b) -> {
      var byScore = Integer.compare(usableScore(b), usableScore(a));
      return byScore != 0 ? byScore : compareLoad(strategy, a.node(), b.node(), active);
    };
  }

  private static int usableScore(ScoredNode entry) {
    return Places.available(entry.node()) ? entry.score() : -Score.INFINITY;
  }

  private static int compareLoad(
      PlacementStrategy strategy, Node a, Node b, @Nullable Node active) {
    if (strategy != PlacementStrategy.MINIMAL) {
      if (strategy == PlacementStrategy.BALANCED) {
        var byCapacity = Utilization.compareCapacities(a, b);
        if (byCapacity != 0) {
          return byCapacity;
        }
      }
      if (a.resourceCount() != b.resourceCount()) {
        return Integer.compare(a.resourceCount(), b.resourceCount());
      }
      if (active != null && (active == a || active == b) && a != b) {
        return active == a ? -1 : 1;
      }
    }
    return a.name().compareTo(b.name());
  }
}
