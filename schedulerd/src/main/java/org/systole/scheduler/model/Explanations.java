package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.ScoreCause.Kind;

/// Notes where scores come from, so that "why here, and why not there" has an answer; only if it is
/// asked for ([ClusterFlag#EXPLAIN]).
public final class Explanations {
  private Explanations() {}

  /// Adds to a resource's score for a node, and notes why.
  public static void prefer(Resource rsc, Node node, int score, Kind kind, String source) {
    rsc.prefer(node, score);
    noteAll(rsc, node, score, kind, source);
  }

  /// Adds to a resource's score for all nodes, and notes why.
  public static void preferEverywhere(Resource rsc, int score, Kind kind, String source) {
    rsc.preferEverywhere(score);
    if (!wanted(rsc)) {
      return;
    }
    for (var node : rsc.cluster().nodes()) {
      noteAll(rsc, node, score, kind, source);
    }
  }

  private static void noteAll(Resource rsc, Node node, int score, Kind kind, String source) {
    if (!wanted(rsc)) {
      return;
    }
    note(rsc, node, score, kind, source);
    rsc.children().forEach(child -> noteAll(child, node, score, kind, source));
  }

  public static void note(Resource rsc, Node node, int score, Kind kind, String source) {
    add(rsc, node, score, kind, source, null, false);
  }

  /// Notes what counts for the promotion of an instance on the node.
  public static void notePromotion(
      Resource rsc, Node node, int score, Kind kind, String source, @Nullable Resource other) {
    add(rsc, node, score, kind, source, other, true);
  }

  /// Notes the change of one entry.
  public static void moved(Resource rsc, ScoredNode entry, int before, Kind kind, String source) {
    if (entry.score() != before) {
      add(rsc, entry.node(), difference(before, entry.score()), kind, source, null, false);
    }
  }

  /// Notes the change of one entry by a colocation with another resource, or of it.
  public static void moved(
      Resource rsc, ScoredNode entry, int before, Colocation colocation, Resource other) {
    if (entry.score() != before) {
      var change = difference(before, entry.score());
      add(rsc, entry.node(), change, Kind.COLOCATION, colocation.id(), other, false);
    }
  }

  /// Notes how the entries of a table differ from what they were before a colocation.
  public static void changed(
      Resource rsc, NodeTable before, NodeTable after, Colocation colocation, Resource other) {
    if (before == after || !wanted(rsc)) {
      return;
    }
    for (var entry : after) {
      var was = before.get(entry.node());
      moved(rsc, entry, was == null ? 0 : was.score(), colocation, other);
    }
  }

  /// Where the notes of a tentative change begin; to be given to [#forget] if it is taken back.
  public static int mark(Resource rsc) {
    return rsc.cluster().scoreCauses().size();
  }

  /// Forgets what was noted since then about a resource and all inside it.
  public static void forget(Resource rsc, int mark) {
    if (wanted(rsc)) {
      var causes = rsc.cluster().scoreCauses();
      causes
          .subList(mark, causes.size())
          .removeIf(it -> it.resource() == rsc || rsc.isAncestorOf(it.resource()));
    }
  }

  private static void add(
      Resource rsc,
      Node node,
      int score,
      Kind kind,
      String source,
      @Nullable Resource other,
      boolean promotion) {
    if (score != 0 && wanted(rsc)) {
      rsc.cluster()
          .scoreCauses()
          .add(new ScoreCause(rsc, node, score, kind, source, other, promotion));
    }
  }

  private static boolean wanted(Resource rsc) {
    return rsc.cluster().is(ClusterFlag.EXPLAIN);
  }

  private static int difference(int before, int after) {
    return Math.abs(after) >= Score.INFINITY ? after : Score.clamp((long) after - before);
  }
}
