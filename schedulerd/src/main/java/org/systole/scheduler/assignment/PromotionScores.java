package org.systole.scheduler.assignment;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.InstanceIds;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Health;

/// Promotion scores as agents set them in node attributes.
final class PromotionScores {
  private static final EnumSet<Resource.Match> ACTIVE_HERE =
      EnumSet.of(Resource.Match.CLONE_ONLY, Resource.Match.CURRENT_NODE);

  private PromotionScores() {}

  /// @param isDefault whether no score is set
  record Found(int score, boolean isDefault) {
    static final Found NONE = new Found(0, true);
  }

  /// The promotion score of an instance on a node; of a group the sum of its members'.
  static Found of(Resource rsc, Node node) {
    if (!rsc.children().isEmpty()) {
      var sum = 0;
      var isDefault = true;
      for (var child : rsc.children()) {
        var found = of(child, node);
        sum += found.score;
        isDefault &= found.isDefault;
      }
      return new Found(sum, isDefault);
    }
    if (!applies(rsc, node)) {
      return Found.NONE;
    }
    var value = attribute(rsc, node, rsc.nameInHistories());
    if (value == null && !rsc.is(ResourceFlag.UNIQUE)) {
      var base = InstanceIds.base(rsc.id());
      value = base.equals(rsc.id()) ? null : attribute(rsc, node, base);
    }
    return value == null ? Found.NONE : new Found(score(rsc.cluster(), value), false);
  }

  private static int score(WorkingSet cluster, String text) {
    var score = Health.read(cluster, text);
    return score == null ? 0 : score;
  }

  private static @Nullable String attribute(Resource rsc, Node node, String name) {
    return Places.attribute(
        node,
        "master-" + name,
        rsc.meta().get("container-attribute-target"),
        rsc.is(ResourceFlag.UNASSIGNED));
  }

  // An anonymous instance has the score of where it is active, or else of where one was looked for;
  // as long as nothing is known anywhere, all count.
  private static boolean applies(Resource rsc, Node node) {
    if (!rsc.is(ResourceFlag.UNIQUE)) {
      var top = rsc.top(false);
      var base = InstanceIds.base(rsc.id());
      var active = activeInstance(top, base, node);
      if (active == rsc || active == null && knownOn(top, base, node)) {
        return isAllowed(rsc, node);
      }
    }
    if (rsc.active().isEmpty() && rsc.probed().isEmpty()
        || rsc.probed().contains(node)
        || rsc.active().contains(node)) {
      return isAllowed(rsc, node);
    }
    return false;
  }

  private static boolean isAllowed(Resource rsc, Node node) {
    var entry = rsc.allowed().get(node);
    return entry != null && entry.score() >= 0;
  }

  private static @Nullable Resource activeInstance(Resource clone, String base, Node node) {
    for (var child : clone.children()) {
      var found = child.find(base, node, ACTIVE_HERE);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static boolean knownOn(Resource clone, String base, Node node) {
    for (var child : clone.children()) {
      var found = child.find(base, Resource.Match.CLONE_ONLY);
      if (found != null && found.probed().contains(node)) {
        return true;
      }
    }
    return false;
  }
}
