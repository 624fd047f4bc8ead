package org.systole.schedulerd.plan;

import org.systole.common.values.Score;
import org.systole.schedulerd.model.ClusterFlag;
import org.systole.schedulerd.model.Node;
import org.systole.schedulerd.model.NodeTable;
import org.systole.schedulerd.model.Resource;
import org.systole.schedulerd.model.ScoreCause;
import org.systole.schedulerd.model.ScoredNode;

/// Notes where scores come from, so that "why here, and why not there" has an answer; only if it is
/// asked for ([ClusterFlag#EXPLAIN]).
final class Explanations {
  private Explanations() {}

  /// Adds to a resource's score for a node, and notes why.
  static void prefer(Resource rsc, Node node, int score, String cause) {
    rsc.prefer(node, score);
    note(rsc, node, score, cause);
  }

  /// Adds to a resource's score for all nodes, and notes why.
  static void preferEverywhere(Resource rsc, int score, String cause) {
    rsc.preferEverywhere(score);
    if (!rsc.cluster.is(ClusterFlag.EXPLAIN)) {
      return;
    }
    for (var node : rsc.cluster.nodes) {
      note(rsc, node, score, cause);
    }
  }

  static void note(Resource rsc, Node node, int score, String cause) {
    if (score != 0 && rsc.cluster.is(ClusterFlag.EXPLAIN)) {
      rsc.cluster.scoreCauses.add(new ScoreCause(rsc, node, score, cause));
    }
  }

  /// Notes the change of one entry.
  static void moved(Resource rsc, ScoredNode entry, int before, String cause) {
    if (entry.score != before) {
      note(rsc, entry.node, difference(before, entry.score), cause);
    }
  }

  /// Notes how a new table that is about to replace the resource's differs from it.
  static void compare(Resource rsc, NodeTable after, String cause) {
    changed(rsc, rsc.allowed, after, cause);
  }

  static void changed(Resource rsc, NodeTable before, NodeTable after, String cause) {
    if (before == after || !rsc.cluster.is(ClusterFlag.EXPLAIN)) {
      return;
    }
    for (var entry : after) {
      var was = before.get(entry.node);
      moved(rsc, entry, was == null ? 0 : was.score, cause);
    }
  }

  private static int difference(int before, int after) {
    return Math.abs(after) >= Score.INFINITY ? after : Score.clamp((long) after - before);
  }
}
