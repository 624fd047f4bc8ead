package org.systole.scheduler.assignment;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoredNode;

/// Applies one colocation to the dependent: to its scores, or to its priority for promotion.
final class ColocationScores {
  private ColocationScores() {}

  /// Applies it, each side taken apart as its variant asks for.
  ///
  /// @return what was added to the dependent's priority
  static int apply(Resource dependent, Resource primary, Colocation colocation) {
    if (dependent instanceof Group group) {
      return fromGroup(group, primary, colocation);
    }
    return toPrimary(dependent, primary, colocation);
  }

  private static int toPrimary(Resource dependent, Resource primary, Colocation colocation) {
    return switch (primary) {
      case Primitive _ -> toPrimitive(dependent, primary, colocation);
      case Group group -> toGroup(dependent, group, colocation);
      case Clone clone -> InstanceColocations.toClone(dependent, clone, colocation);
      case Bundle bundle -> InstanceColocations.toBundle(dependent, bundle, colocation);
    };
  }

  /// As [#apply] for a single primary, or one taken as such.
  static int toInstance(Resource dependent, Resource primary, Colocation colocation) {
    return toPrimary(dependent, primary, colocation);
  }

  private static int toPrimitive(Resource dependent, Resource primary, Colocation colocation) {
    return switch (Colocations.affects(dependent, primary, colocation, false)) {
      case NOTHING -> 0;
      case ROLE -> toPriority(dependent, primary, colocation);
      case LOCATION -> {
        toScores(dependent, primary, colocation);
        yield 0;
      }
    };
  }

  private static int fromGroup(Group dependent, Resource primary, Colocation colocation) {
    if (dependent.children().isEmpty()) {
      return 0;
    }
    var delta = 0;
    if (dependent.colocated()) {
      delta = apply(dependent.children().getFirst(), primary, colocation);
    } else if (colocation.score() >= Score.INFINITY) {
      dependent
          .cluster()
          .configError(
              "%s: Cannot perform mandatory colocation between non-colocated group and %s"
                  .formatted(dependent.id(), primary.id()));
      return 0;
    } else {
      for (var member : dependent.children()) {
        delta = Score.add(delta, toPrimitive(member, primary, colocation));
      }
    }
    if (delta != 0) {
      dependent.setPriority(Score.add(delta, dependent.priority()));
    }
    return delta;
  }

  private static int toGroup(Resource dependent, Group primary, Colocation colocation) {
    if (primary.is(ResourceFlag.UNASSIGNED)) {
      return 0;
    }
    var mandatory = colocation.score() >= Score.INFINITY;
    if (primary.colocated()) {
      if (primary.children().isEmpty()) {
        return 0;
      }
      // The whole group must be there if it is mandatory, else its beginning will do.
      var member = mandatory ? primary.children().getLast() : primary.children().getFirst();
      return toPrimary(dependent, member, colocation);
    }
    if (mandatory) {
      dependent
          .cluster()
          .configError(
              "%s: Cannot perform mandatory colocation with non-colocated group %s"
                  .formatted(dependent.id(), primary.id()));
      return 0;
    }
    var delta = 0;
    for (var member : primary.children()) {
      delta = Score.add(delta, toPrimary(dependent, member, colocation));
    }
    return delta;
  }

  private static void toScores(Resource dependent, Resource primary, Colocation colocation) {
    var score = colocation.score();
    var primaryNode = primary.assigned() == null ? null : primary.assigned().node();
    if (primaryNode == null && score < 0) {
      return;
    }
    var attribute = colocation.nodeAttribute();
    var value = primaryNode == null ? null : Colocations.nodeValue(primaryNode, attribute, primary);
    var work = dependent.allowed().copy();
    for (var entry : work) {
      if (primaryNode == null) {
        entry.setScore(Score.add(-score, entry.score()));
      } else if (Places.sameText(
          Colocations.nodeValue(entry.node(), attribute, dependent), value)) {
        // A mandatory one is a requirement, not a preference for one node over another.
        if (score < Score.INFINITY) {
          entry.setScore(Score.add(score, entry.score()));
        }
      } else if (score >= Score.INFINITY) {
        entry.setScore(-Score.INFINITY);
      }
    }
    if (score <= -Score.INFINITY || score >= Score.INFINITY || Places.anyAvailable(work)) {
      Explanations.changed(dependent, dependent.allowed(), work, colocation, primary);
      dependent.setAllowed(work);
    }
  }

  private static int toPriority(Resource dependent, Resource primary, Colocation colocation) {
    if (dependent.assigned() == null) {
      return 0;
    }
    var primaryNode = primary.assigned() == null ? null : primary.assigned().node();
    if (primaryNode != null
        && colocation.primaryRole() != Role.UNKNOWN
        && colocation.primaryRole() != Colocations.forRole(primary).nextRole()) {
      return 0;
    }
    var multiplier = 1;
    if (!Colocations.sameValue(
        dependent.assigned().node(), dependent, primaryNode, primary, colocation.nodeAttribute())) {
      if (colocation.score() != Score.INFINITY || colocation.dependentRole() != Role.PROMOTED) {
        return 0;
      }
      multiplier = -1;
    } else if (colocation.dependentRole() == Role.UNPROMOTED) {
      multiplier = -1;
    }
    var delta = multiplier * colocation.score();
    dependent.setPriority(Score.add(delta, dependent.priority()));
    return delta;
  }

  /// Bans the dependent from all nodes but these.
  ///
  /// @param merge add the scores of these nodes to the dependent's
  static void restrict(
      Resource dependent,
      Collection<ScoredNode> primaryNodes,
      Colocation colocation,
      boolean merge) {
    for (var entry : dependent.allowed()) {
      var match = entryFor(primaryNodes, entry.node());
      var before = entry.score();
      if (match == null) {
        entry.setScore(-Score.INFINITY);
      } else if (merge) {
        entry.setScore(Score.add(entry.score(), match.score()));
      }
      Explanations.moved(dependent, entry, before, colocation, colocation.primary());
    }
  }

  private static @Nullable ScoredNode entryFor(Collection<ScoredNode> nodes, Node node) {
    for (var entry : nodes) {
      if (entry.node() == node) {
        return entry;
      }
    }
    return null;
  }

  /// How the wishes of colocated resources are carried over to another's scores.
  ///
  /// @param thisWith follow those with the source as dependent instead of as primary
  /// @param nonNegative do not let them ban a node that is wanted otherwise
  /// @param active only where at least one node remains available
  record Select(boolean thisWith, boolean nonNegative, boolean active) {
    static final Select DEFAULT = new Select(false, false, false);
    static final Select THIS_WITH = new Select(true, false, false);
    static final Select ACTIVE = new Select(false, false, true);
    static final Select NON_NEGATIVE = new Select(false, true, false);
    static final Select ACTIVE_NON_NEGATIVE = new Select(false, true, true);

    Select onlyActive() {
      return new Select(thisWith, nonNegative, true);
    }
  }

  /// Adds the dependent's scores to the primary's, as far as the colocation lets them count.
  static void addDependent(Colocation colocation, Resource primary) {
    if (!Colocations.hasInfluence(colocation, null)) {
      return;
    }
    var dependent = colocation.dependent();
    var factor = colocation.score() / (float) Score.INFINITY;
    var select = primary instanceof Clone ? Select.ACTIVE_NON_NEGATIVE : Select.ACTIVE;
    var before = primary.allowed();
    primary.setAllowed(ScoreFlow.add(dependent, primary, before, colocation, factor, select));
    Explanations.changed(primary, before, primary.allowed(), colocation, dependent);
  }
}
