package org.systole.scheduler.orderings;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.InstanceOrder;
import org.systole.scheduler.constraints.Colocations;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Orderings of clones and bundles relative to their instances.
final class CollectiveConstraints {
  private CollectiveConstraints() {}

  static void ofClone(Clone clone) {
    Orderings.between(clone, TaskName.STOPPED, clone, TaskName.START, Relation.ORDERED);
    Orderings.between(
        clone, TaskName.START, clone, TaskName.RUNNING, Relation.UNRUNNABLE_FIRST_BLOCKS);
    Orderings.between(
        clone, TaskName.STOP, clone, TaskName.STOPPED, Relation.UNRUNNABLE_FIRST_BLOCKS);
    var promotable = clone.is(ResourceFlag.PROMOTABLE);
    if (promotable) {
      Orderings.between(clone, TaskName.DEMOTED, clone, TaskName.STOP, Relation.ORDERED);
      Orderings.between(
          clone, TaskName.RUNNING, clone, TaskName.PROMOTE, Relation.UNRUNNABLE_FIRST_BLOCKS);
    }
    if (clone.ordered()) {
      clone.children().sort(InstanceOrder.BY_NUMBER);
    }
    for (var at = 0; at < clone.children().size(); at++) {
      instance(clone, at);
    }
    if (promotable) {
      promotions(clone);
    }
  }

  private static void instance(Clone clone, int at) {
    var instance = clone.children().get(at);
    InternalConstraints.add(instance);
    Orderings.starts(
        clone,
        instance,
        Relations.of(Relation.UNRUNNABLE_FIRST_BLOCKS, Relation.THEN_IMPLIES_FIRST_GRAPHED));
    Orderings.between(
        instance, TaskName.START, clone, TaskName.RUNNING, Relation.FIRST_IMPLIES_THEN_GRAPHED);
    Orderings.stops(clone, instance, Relation.THEN_IMPLIES_FIRST_GRAPHED);
    Orderings.between(
        instance, TaskName.STOP, clone, TaskName.STOPPED, Relation.FIRST_IMPLIES_THEN_GRAPHED);
    if (clone.ordered()) {
      for (var later : clone.children().subList(at + 1, clone.children().size())) {
        Orderings.starts(instance, later, Relation.ORDERED);
        Orderings.stops(later, instance, Relation.ORDERED);
      }
    }
  }

  private static void promotions(Clone clone) {
    restart(clone);
    Resource previous = null;
    for (var instance : clone.children()) {
      Orderings.between(instance, TaskName.DEMOTE, instance, TaskName.PROMOTE, Relation.ORDERED);
      promotion(clone, instance, clone.ordered() ? previous : null);
      demotion(clone, instance, clone.ordered() ? previous : null);
      previous = instance;
    }
  }

  private static void promotion(Clone clone, Resource instance, @Nullable Resource previous) {
    Orderings.between(clone, TaskName.PROMOTE, instance, TaskName.PROMOTE, Relation.ORDERED);
    Orderings.between(instance, TaskName.PROMOTE, clone, TaskName.PROMOTED, Relation.ORDERED);
    if (previous != null) {
      Orderings.between(previous, TaskName.PROMOTE, instance, TaskName.PROMOTE, Relation.ORDERED);
    }
  }

  private static void demotion(Clone clone, Resource instance, @Nullable Resource previous) {
    Orderings.between(
        clone, TaskName.DEMOTE, instance, TaskName.DEMOTE, Relation.THEN_IMPLIES_FIRST_GRAPHED);
    Orderings.between(
        instance, TaskName.DEMOTE, clone, TaskName.DEMOTED, Relation.FIRST_IMPLIES_THEN_GRAPHED);
    if (previous != null) {
      Orderings.between(instance, TaskName.DEMOTE, previous, TaskName.DEMOTE, Relation.ORDERED);
    }
  }

  private static void restart(Resource rsc) {
    Orderings.between(rsc, TaskName.STOPPED, rsc, TaskName.START, Relation.ORDERED);
    Orderings.between(rsc, TaskName.STOPPED, rsc, TaskName.PROMOTE, Relation.ORDERED);
    Orderings.between(rsc, TaskName.DEMOTED, rsc, TaskName.STOP, Relation.ORDERED);
    Orderings.between(rsc, TaskName.DEMOTED, rsc, TaskName.START, Relation.ORDERED);
    Orderings.between(rsc, TaskName.DEMOTED, rsc, TaskName.PROMOTE, Relation.ORDERED);
    Orderings.between(rsc, TaskName.RUNNING, rsc, TaskName.PROMOTE, Relation.ORDERED);
    Orderings.between(rsc, TaskName.DEMOTE, rsc, TaskName.DEMOTED, Relation.ORDERED);
  }

  static void ofBundle(Bundle bundle) {
    bundle.replicas().forEach(replica -> ofReplica(bundle, replica));
    var child = bundle.child();
    if (child == null) {
      return;
    }
    around(bundle, TaskName.START, child, TaskName.RUNNING);
    around(bundle, TaskName.STOP, child, TaskName.STOPPED);
    InternalConstraints.add(child);
    if (child.is(ResourceFlag.PROMOTABLE)) {
      restart(bundle);
      around(bundle, TaskName.DEMOTE, child, TaskName.DEMOTED);
      around(bundle, TaskName.PROMOTE, child, TaskName.PROMOTED);
    }
  }

  // The bundle begins before what it holds, and is done after it.
  private static void around(Bundle bundle, String task, Clone child, String done) {
    Orderings.between(bundle, task, child, task, Relation.THEN_IMPLIES_FIRST_GRAPHED);
    Orderings.between(child, done, bundle, done, Relation.FIRST_IMPLIES_THEN_GRAPHED);
  }

  private static void ofReplica(Bundle bundle, Replica replica) {
    var container = replica.container();
    InternalConstraints.add(container);
    Orderings.starts(
        bundle,
        container,
        Relations.of(Relation.UNRUNNABLE_FIRST_BLOCKS, Relation.THEN_IMPLIES_FIRST_GRAPHED));
    if (replica.child() != null) {
      Orderings.stops(bundle, replica.child(), Relation.THEN_IMPLIES_FIRST_GRAPHED);
    }
    Orderings.stops(bundle, container, Relation.THEN_IMPLIES_FIRST_GRAPHED);
    Orderings.between(
        container, TaskName.START, bundle, TaskName.RUNNING, Relation.FIRST_IMPLIES_THEN_GRAPHED);
    Orderings.between(
        container, TaskName.STOP, bundle, TaskName.STOPPED, Relation.FIRST_IMPLIES_THEN_GRAPHED);
    if (replica.ip() != null) {
      InternalConstraints.add(replica.ip());
      Orderings.starts(
          replica.ip(),
          container,
          Relations.of(Relation.UNRUNNABLE_FIRST_BLOCKS, Relation.GUEST_ALLOWED));
      Orderings.stops(
          container,
          replica.ip(),
          Relations.of(Relation.THEN_IMPLIES_FIRST, Relation.GUEST_ALLOWED));
      Colocations.addInternal("#ip-with-container", Score.INFINITY, replica.ip(), container, true);
    }
    if (replica.remote() != null) {
      InternalConstraints.add(replica.remote());
    }
  }
}
