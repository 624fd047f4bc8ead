package org.systole.scheduler.assignment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.ColocationScores.Select;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.TicketReader;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Location;
import org.systole.scheduler.model.MergeSort;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.NodeTable;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoreLine;
import org.systole.scheduler.model.ScoredNode;

/// Chooses which instances of a promotable clone are promoted.
final class Promotion {
  private Promotion() {}

  /// Lets promotion scores have a say in where instances go.
  static void addScores(Clone clone) {
    if (clone.promotionAdded()) {
      return;
    }
    clone.setPromotionAdded(true);
    for (var child : clone.children()) {
      for (var entry : child.allowed()) {
        if (!Places.available(entry.node())) {
          continue;
        }
        var score = PromotionScores.of(child, entry.node()).score();
        if (score > 0) {
          var before = entry.score();
          entry.setScore(Score.add(entry.score(), score));
          Explanations.moved(child, entry, before, Kind.PROMOTION, "");
        }
        child.setPriority(Math.max(child.priority(), score));
      }
    }
  }

  /// Sets the next role of all instances.
  static void chooseRoles(Clone clone) {
    for (var entry : clone.allowed()) {
      entry.setCount(0);
    }
    for (var instance : clone.children()) {
      setPriority(instance, clone);
    }
    sortByPromotion(clone);
    var promoted = (int) clone.children().stream().filter(Promotion::isPromotedOutOfReach).count();
    var unseen = promotedUnseen(clone);
    for (var instance : clone.children()) {
      if (chooseRole(instance, instance.role(true) == Role.PROMOTED ? promoted : promoted + unseen)) {
        promoted++;
      }
    }
  }

  private static void setPriority(Resource instance, Clone clone) {
    if (instance.role(true) == Role.STARTED) {
      setCurrentUnpromoted(instance);
    }
    if (Places.allAssigned(instance).size() > 1) {
      instance.cluster().configError("Cannot promote non-colocated child " + instance.id());
    }
    var chosen = Places.assigned(instance);
    if (chosen == null) {
      return;
    }
    var next = instance.role(false);
    switch (next) {
      case STARTED, UNKNOWN -> {
        var found = PromotionScores.of(instance, chosen.node());
        // Without any score an instance is promoted only if a constraint asks for it.
        instance.setPriority(found.isDefault() ? -1 : found.score());
        Explanations.notePromotion(
            instance, chosen.node(), instance.priority(), Kind.PROMOTION, "", null);
      }
      case UNPROMOTED, STOPPED -> instance.setPriority(-Score.INFINITY);
      case PROMOTED -> {}
    }
    addLocations(instance, instance.locations(), chosen.node());
    addLocations(instance, clone.locations(), chosen.node());
    for (var colocation : Colocations.thisWith(instance)) {
      var before = instance.priority();
      ColocationScores.apply(instance, colocation.primary(), colocation);
      Explanations.notePromotion(
          instance,
          chosen.node(),
          instance.priority() - before,
          Kind.COLOCATION,
          colocation.id(),
          colocation.primary());
    }
    instance.setPromotionPriority(next == Role.PROMOTED ? Score.INFINITY : instance.priority());
  }

  private static void addLocations(Resource instance, List<Location> locations, Node node) {
    for (var location : locations.reversed()) {
      if (location.role() == Role.PROMOTED) {
        for (var entry : location.nodes().reversed()) {
          if (entry.node() == node) {
            instance.setPriority(Score.add(instance.priority(), entry.score()));
            Explanations.notePromotion(
                instance, node, entry.score(), Kind.LOCATION, location.id(), null);
            break;
          }
        }
      }
    }
  }

  private static void setCurrentUnpromoted(Resource rsc) {
    if (rsc.role() == Role.STARTED) {
      rsc.setRole(Role.UNPROMOTED);
    }
    rsc.children().forEach(Promotion::setCurrentUnpromoted);
  }

  private static void sortByPromotion(Clone clone) {
    if (clone.promotionConstrained()) {
      return;
    }
    clone.setPromotionConstrained(true);
    clone.set(ResourceFlag.UPDATING_NODES);
    for (var child : clone.children()) {
      var chosen = Places.assigned(child);
      var entry = chosen == null ? null : clone.allowed().get(chosen.node());
      if (child.promotionPriority() >= 0 && entry != null) {
        entry.setScore(Score.add(child.promotionPriority(), entry.score()));
      }
    }
    for (var colocation : Colocations.withThis(clone)) {
      if (colocation.primaryRole() == Role.PROMOTED && Colocations.hasInfluence(colocation, null)) {
        var before =
            clone.cluster().is(ClusterFlag.EXPLAIN) ? clone.allowed().copy() : clone.allowed();
        clone.setAllowed(
            ScoreFlow.add(
                colocation.dependent(),
                clone,
                clone.allowed(),
                colocation,
                colocation.score() / (float) Score.INFINITY,
                Select.ACTIVE_NON_NEGATIVE));
        notePromotions(clone, before, colocation);
      }
    }
    TicketReader.requireForPromotion(clone);
    for (var child : clone.children()) {
      takeNodeScore(child, clone);
    }
    MergeSort.sort(clone.children(), Promotion::compare);
    clone.clear(ResourceFlag.UPDATING_NODES);
  }

  // What a dependent of promoted instances wishes counts for those that have a node.
  private static void notePromotions(Clone clone, NodeTable before, Colocation colocation) {
    if (!clone.cluster().is(ClusterFlag.EXPLAIN)) {
      return;
    }
    for (var child : clone.children()) {
      var chosen = Places.assignedNode(child);
      var entry = chosen == null ? null : clone.allowed().get(chosen);
      var was = chosen == null ? null : before.get(chosen);
      if (chosen != null && entry != null && was != null) {
        Explanations.notePromotion(
            child,
            chosen,
            entry.score() - was.score(),
            Kind.COLOCATION,
            colocation.id(),
            colocation.dependent());
      }
    }
  }

  private static void takeNodeScore(Resource child, Clone clone) {
    var chosen = Places.assigned(child);
    if (!child.is(ResourceFlag.MANAGED) && child.nextRole() == Role.PROMOTED) {
      child.setPromotionPriority(Score.INFINITY);
    } else if (chosen == null) {
      child.setPromotionPriority(-Score.INFINITY);
    } else if (child.promotionPriority() >= 0) {
      var entry = clone.allowed().get(chosen.node());
      if (entry != null) {
        child.setPromotionPriority(entry.score());
      }
    }
  }

  private static int compare(Resource a, Resource b) {
    if (a.promotionPriority() != b.promotionPriority()) {
      return Integer.compare(b.promotionPriority(), a.promotionPriority());
    }
    var byRole = b.role(true).compareTo(a.role(true));
    return byRole != 0 ? byRole : InstanceOrder.compare(a, b);
  }

  // A pending node is in the cluster, but its controller takes no orders yet: what is promoted
  // there stays so, and nothing else may be promoted in its place.
  private static boolean isPromotedOutOfReach(Resource instance) {
    return instance.role() == Role.PROMOTED
            && instance.active().stream().anyMatch(it -> it.pending())
        || instance.children().stream().anyMatch(Promotion::isPromotedOutOfReach);
  }

  /// On how many nodes one may be promoted for all that is known, as nobody can look there: no other one is promoted for that, and what is
  /// promoted stays so. In Pacemaker there are no such nodes.
  private static int promotedUnseen(Clone clone) {
    var nodes = clone.cluster().nodes().stream().filter(it -> it.is(NodeFlag.UNSEEN) && mayRunUnseen(clone, it) || it.is(NodeFlag.HOST_FROZEN) && isHalfKnown(clone, it)).toList();
    nodes.forEach(
        it ->
            clone
                .cluster()
                .notice("%s may be promoted on %s, where nobody can look now".formatted(clone.id(), it.name())));
    return nodes.size();
  }

  private static boolean mayRunUnseen(Clone clone, Node node) {
    var allowed = clone.allowed().get(node);
    return allowed != null
        && allowed.score() > -Score.INFINITY
        && clone.children().stream().noneMatch(it -> it.probed().contains(node) || it.active().contains(node));
  }

  /// Whether one counts as active there that was promoted at last and whose demotion nobody has heard the end of, or for which nobody could
  /// look. It is not stopped before another one is promoted, as it would be else.
  private static boolean isHalfKnown(Resource rsc, Node node) {
    return rsc.isPrimitive() && rsc.active().contains(node) && rsc.role() != Role.PROMOTED && isHalfKnown(rsc.cluster().historyIndex().entries(node, rsc))
        || rsc.children().stream().anyMatch(it -> isHalfKnown(it, node));
  }

  private static boolean isHalfKnown(List<HistoryEntry> entries) {
    return entries.stream().anyMatch(it -> it.is(Task.DEMOTE) && !it.is(OcfCode.OK))
        || entries.stream().allMatch(it -> it.isProbe() && !it.tellsActive());
  }

  private static boolean chooseRole(Resource instance, int promoted) {
    noteScore(instance);
    var top = instance.top(false);
    ScoredNode chosen = null;
    if (instance.promotionPriority() >= 0
        && (promoted < (top instanceof Clone clone ? clone.promotedMax() : 0)
            || !top.is(ResourceFlag.MANAGED))) {
      chosen = nodeToPromoteOn(instance);
    }
    var cluster = instance.cluster();
    if (chosen != null
        && instance.role().below(Role.PROMOTED)
        && !cluster.is(ClusterFlag.QUORATE)
        && cluster.noQuorumPolicy() == NoQuorumPolicy.FREEZE) {
      cluster.notice(
          "Clone instance %s cannot be promoted without quorum".formatted(instance.id()));
      chosen = null;
    }
    if (chosen == null) {
      setNextUnpromoted(instance);
      return false;
    }
    chosen.setCount(chosen.count() + 1);
    setNextPromoted(instance);
    return true;
  }

  private static void noteScore(Resource instance) {
    if (instance.cluster().is(ClusterFlag.OUTPUT_SCORES)) {
      var node = Places.assignedNode(instance);
      instance
          .cluster()
          .scoreLines()
          .add(
              new ScoreLine.Promotion(
                  instance.id(), node == null ? null : node.name(), instance.promotionPriority()));
    }
  }

  private static void setNextUnpromoted(Resource rsc) {
    rsc.setNextRole(Places.allAssigned(rsc).isEmpty() ? Role.STOPPED : Role.UNPROMOTED);
    rsc.children().forEach(Promotion::setNextUnpromoted);
  }

  private static void setNextPromoted(Resource rsc) {
    if (rsc.nextRole() == Role.UNKNOWN) {
      rsc.setNextRole(Role.PROMOTED);
    }
    rsc.children().forEach(Promotion::setNextPromoted);
  }

  // The clone's entry for the instance's node, if it can be promoted there.
  private static @Nullable ScoredNode nodeToPromoteOn(Resource rsc) {
    for (var child : rsc.children()) {
      if (nodeToPromoteOn(child) == null) {
        return null;
      }
    }
    var assigned = Places.assigned(rsc);
    if (assigned == null) {
      return null;
    }
    var managed = rsc.is(ResourceFlag.MANAGED);
    if (!managed) {
      if (rsc.role(true) != Role.PROMOTED) {
        return null;
      }
      rsc.cluster()
          .notice(
              "Unmanaged instance %s will be left promoted on %s"
                  .formatted(rsc.id(), assigned.node().name()));
    } else if (rsc.priority() < 0 || !canHost(assigned.node())) {
      return null;
    }
    var top = rsc.top(false);
    var entry = top.allowed().get(assigned.node());
    var perNode = top instanceof Clone clone ? clone.promotedNodeMax() : 0;
    return entry == null || managed && entry.count() >= perNode ? null : entry;
  }

  private static boolean canHost(Node node) {
    if (!Places.available(node)) {
      return false;
    }
    var launcher = node.isGuest() && node.remote() != null ? node.remote().launcher() : null;
    return launcher == null || Places.assigned(launcher) != null;
  }

  /// Colocation with a role of a clone's instances, for a dependent without a node yet.
  static void placeByRole(Clone primary, Resource dependent, Colocation colocation) {
    var mandatory = colocation.score() >= Score.INFINITY;
    var nodes = new ArrayList<ScoredNode>();
    for (var instance : primary.children()) {
      var node = Places.assigned(instance);
      if (node != null && instance.role(false) == colocation.primaryRole()) {
        if (!mandatory) {
          addToMatching(dependent, primary, node.node(), colocation);
        }
        nodes.add(node);
      }
    }
    // Promoted with promoted must not keep instances from starting.
    if (mandatory
        && (colocation.dependentRole() != Role.PROMOTED
            || colocation.primaryRole() != Role.PROMOTED)) {
      ColocationScores.restrict(dependent, nodes.reversed(), colocation, true);
    }
  }

  private static void addToMatching(
      Resource dependent, Resource primary, Node primaryNode, Colocation colocation) {
    var attribute = colocation.nodeAttribute();
    var value = Colocations.nodeValue(primaryNode, attribute, primary);
    for (var entry : dependent.allowed()) {
      if (Places.sameText(value, Colocations.nodeValue(entry.node(), attribute, dependent))) {
        var before = entry.score();
        entry.setScore(Score.add(entry.score(), colocation.score()));
        Explanations.moved(dependent, entry, before, colocation, primary);
      }
    }
  }

  /// Colocation of promoted with promoted, for an instance that has its node.
  static int prioritizeByRole(Clone primary, Resource dependent, Colocation colocation) {
    var match =
        InstanceColocations.compatible(
            dependent, primary, colocation.primaryRole(), false, colocation.nodeAttribute());
    if (match != null) {
      dependent.setPriority(Score.add(dependent.priority(), colocation.score()));
      return colocation.score();
    }
    if (colocation.score() >= Score.INFINITY) {
      dependent.setPriority(-Score.INFINITY);
      return -Score.INFINITY;
    }
    return 0;
  }
}
