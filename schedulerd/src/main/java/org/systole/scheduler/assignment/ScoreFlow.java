package org.systole.scheduler.assignment;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.ColocationScores.Select;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.Locations;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoredNode;

/// Carries the scores of resources along their colocations.
///
/// Factors are single precision, and products are rounded as they are here: placements depend on
/// it.
final class ScoreFlow {
  /// Marks a node for the time of a calculation: not banned, but not to be made wanted again.
  private static final int UNUSABLE = -100 * Score.INFINITY;

  private ScoreFlow() {}

  /// The resource's own scores with those of all it depends on, to compare resources by.
  static NodeTable own(Resource rsc) {
    return Objects.requireNonNull(flow(rsc, null, null, null, 1, Select.THIS_WITH));
  }

  /// Adds the scores of `source`, and of what is colocated with it, to the table.
  ///
  /// @return the new table, or the given one if nothing came of it
  static NodeTable add(
      Resource source,
      Resource target,
      NodeTable nodes,
      Colocation colocation,
      float factor,
      Select select) {
    return Objects.requireNonNull(flow(source, target, nodes, colocation, factor, select));
  }

  private static @Nullable NodeTable flow(
      Resource source,
      @Nullable Resource target,
      @Nullable NodeTable nodes,
      @Nullable Colocation colocation,
      float factor,
      Select select) {
    if (source.is(ResourceFlag.UPDATING_NODES)) {
      return nodes;
    }
    source.set(ResourceFlag.UPDATING_NODES);
    @Nullable NodeTable result;
    if (source instanceof Group group) {
      if (group.children().isEmpty()) {
        return nodes;
      }
      var member = nodes == null ? group.children().getLast() : group.children().getFirst();
      result = flow(member, target, nodes, colocation, factor, select);
    } else {
      result = addPlain(source, target, nodes, colocation, factor, select);
    }
    source.clear(ResourceFlag.UPDATING_NODES);
    return result;
  }

  private static @Nullable NodeTable addPlain(
      Resource source,
      @Nullable Resource target,
      @Nullable NodeTable nodes,
      @Nullable Colocation colocation,
      float factor,
      Select select) {
    NodeTable work;
    Resource to;
    if (nodes == null) {
      work = source.allowed().copy();
      to = source;
    } else {
      work = nodes.copy();
      to = Objects.requireNonNull(target);
      merge(work, source, to, Objects.requireNonNull(colocation), factor, select.nonNegative());
    }
    if (Places.anyAvailable(work)) {
      work = follow(source, to, work, factor, select.onlyActive());
    } else if (select.active()) {
      return nodes;
    }
    if (select.nonNegative()) {
      for (var entry : work) {
        if (entry.score() == UNUSABLE) {
          entry.setScore(1);
        }
      }
    }
    return work;
  }

  private static NodeTable follow(
      Resource source, Resource target, NodeTable nodes, float factor, Select select) {
    var work = nodes;
    var further = select.thisWith() ? Colocations.thisWith(source) : Colocations.withThis(source);
    for (var constraint : further) {
      if (!source.cluster().followsColocation()) {
        return work;
      }
      var otherFactor = factor * constraint.score() / (float) Score.INFINITY;
      Resource other;
      if (select.thisWith()) {
        other = constraint.primary();
      } else if (!Colocations.hasInfluence(constraint, null)) {
        continue;
      } else {
        other = constraint.dependent();
      }
      work = add(other, target, work, constraint, otherFactor, select);
    }
    return work;
  }

  private static void merge(
      NodeTable nodes,
      Resource source,
      Resource target,
      Colocation colocation,
      float factor,
      boolean nonNegative) {
    var best = BestScores.of(colocation, source);
    for (var entry : nodes) {
      var score = best.matching(entry.node(), target);
      if (factor < 0 && score < 0 && !doubleNegative(colocation, score)
          || entry.score() == UNUSABLE) {
        continue;
      }
      var sum = Score.add(delta(factor, score), entry.score());
      if (nonNegative && sum < 0 && entry.score() > 0) {
        entry.setScore(UNUSABLE);
      } else if (!nonNegative || sum >= 0 || entry.score() != 0) {
        entry.setScore(sum);
      }
    }
  }

  // That the dependent avoids a node makes the primary want it only if the dependent has no choice.
  private static boolean doubleNegative(Colocation colocation, int score) {
    return colocation.primary().stickiness() < -score
        && Colocations.hasInfluence(colocation, null)
        && allowedOnOne(colocation.dependent());
  }

  private static boolean allowedOnOne(Resource rsc) {
    var count = 0;
    for (var entry : rsc.allowed()) {
      count += entry.score() >= 0 ? 1 : 0;
    }
    return count == 1;
  }

  private static int delta(float factor, int score) {
    var exact = factor * score;
    var rounded = (int) (exact < 0 ? exact - 0.5 : exact + 0.5);
    if (rounded == 0 && score != 0) {
      // A small factor must not make a small score vanish.
      return factor > 0 ? 1 : factor < 0 ? -1 : 0;
    }
    return rounded;
  }

  /// The best score among the resource's nodes that have a value of the colocation's attribute.
  private static final class BestScores {
    private final Resource source;
    private final NodeTable allowed;
    private final String attribute;

    /// Whether a value of the attribute is that of one node only.
    private final boolean perNode;

    private BestScores(Resource source, NodeTable allowed, String attribute) {
      this.source = source;
      this.allowed = allowed;
      this.attribute = attribute;
      this.perNode =
          attribute.equals(Colocations.BY_NODE) && source.cluster().hasDistinctNodeNames();
    }

    static BestScores of(Colocation colocation, Resource source) {
      var parent = source.parent();
      var allowed = source.allowed();
      if (source == colocation.dependent()
          && colocation.explicit()
          && parent instanceof Group
          && source != parent.children().getFirst()) {
        allowed = withGroupLocations(source, parent);
      }
      return new BestScores(source, allowed, colocation.nodeAttribute());
    }

    // Only the first member got the group's preferences, but this one was colocated by name.
    private static NodeTable withGroupLocations(Resource source, Resource group) {
      var original = source.allowed();
      source.setAllowed(original.copy());
      var locations = source.cluster().locations();
      for (var at = locations.size() - 1; at >= 0; at--) {
        if (locations.get(at).resource() == group) {
          Locations.applyPlain(source, locations.get(at), locations.get(at).nodes());
        }
      }
      var with = source.allowed();
      source.setAllowed(original);
      return with;
    }

    /// @param node whose value counts, as `target` sees it
    int matching(Node node, Resource target) {
      if (perNode) {
        var same = allowed.get(node);
        return same != null && same.score() > -Score.INFINITY && Places.available(node)
            ? same.score()
            : -Score.INFINITY;
      }
      var value = Colocations.nodeValue(node, attribute, target);
      var best = -Score.INFINITY;
      for (ScoredNode entry : allowed) {
        if (entry.score() > best
            && Places.available(entry.node())
            && Places.sameText(value, Colocations.nodeValue(entry.node(), attribute, source))) {
          best = entry.score();
        }
      }
      return best;
    }
  }
}
