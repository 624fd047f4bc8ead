package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.MergeSort;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// The order in which resources are assigned where utilization counts.
final class AssignmentOrder {
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Resource, NodeTable> scores = new IdentityHashMap<>();

  private AssignmentOrder(WorkingSet cluster) {
    for (var entry : NodeRanking.sorted(cluster, ScoredNode.all(cluster.nodes()), null)) {
      nodes.add(entry.node());
    }
  }

  static void sort(WorkingSet cluster) {
    MergeSort.sort(cluster.resources(), new AssignmentOrder(cluster)::compare);
  }

  private int compare(Resource a, Resource b) {
    if (a.priority() != b.priority()) {
      return Integer.compare(b.priority(), a.priority());
    }
    var scoresA = scores.computeIfAbsent(a, ScoreFlow::own);
    var scoresB = scores.computeIfAbsent(b, ScoreFlow::own);
    var byCurrent =
        Integer.compare(score(b.currentNode(), scoresB), score(a.currentNode(), scoresA));
    if (byCurrent != 0) {
      return byCurrent;
    }
    for (var node : nodes) {
      var byNode = Integer.compare(score(node, scoresB), score(node, scoresA));
      if (byNode != 0) {
        return byNode;
      }
    }
    return 0;
  }

  private static int score(@Nullable Node node, NodeTable table) {
    var entry = node == null ? null : table.get(node);
    return entry == null ? -Score.INFINITY : entry.score();
  }
}
