package org.systole.scheduler.actions;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.MultipleActive;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource.ActiveNode;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;
import org.systole.scheduler.orderings.UnfencingOrderings;

/// The actions that take a primitive from its current role and node to the planned ones.
final class PrimitiveActions {
  private final Primitive rsc;
  private boolean needStop;
  private boolean needPromote;
  private boolean mayMigrate;
  private @Nullable Node givenUpSource; // of a migration that cannot go on, where nothing is probed
  private @Nullable Node givenUpTarget;

  private PrimitiveActions(Primitive rsc) {
    this.rsc = rsc;
  }

  static void create(Primitive rsc) {
    new PrimitiveActions(rsc).create();
  }

  private @Nullable Node assigned() {
    return rsc.assigned() == null ? null : rsc.assigned().node();
  }

  private void create() {
    if (rsc.nextRole() == Role.UNKNOWN) {
      rsc.setNextRole(rsc.assigned() == null ? Role.STOPPED : Role.STARTED);
    }
    var found = rsc.activeNode();
    var current = found.node();
    for (var source : rsc.danglingMigrationSources()) {
      Actions.stop(rsc, source, false).set(ActionFlag.MIGRATION_ABORT);
    }
    if (rsc.is(ResourceFlag.MIGRATING) && rsc.is(ResourceFlag.BLOCKED)) {
      stop(true);
      start(current, true); // of a connection: the guest is there
      return;
    }
    var moving =
        current != null
            && assigned() != null
            && current != assigned()
            && rsc.nextRole().compareTo(Role.STARTED) >= 0;
    if (moving) {
      mayMigrate = Migration.isPossible(rsc, current);
      needStop = true;
    }
    checkMultipleActive(found);
    if (rsc.is(ResourceFlag.START_PENDING)) {
      Actions.start(rsc, assigned(), true).set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    if (!moving) {
      checkRecovery(current);
    }
    restart(current);
    stopTargetFirst();
    changeRole();
    RecurringActions.create(rsc);
    if (mayMigrate && current != null) {
      Migration.create(rsc, current);
    }
  }

  private void checkMultipleActive(ActiveNode found) {
    var source = rsc.partialMigrationSource();
    var target = rsc.partialMigrationTarget();
    var multiple = false;
    if (source != null
        && target != null
        && mayMigrate
        && found.all() == 2
        && found.node() == source
        && assigned() == target) {
      // The migration under way goes on.
    } else if (source != null || target != null) {
      rsc.cluster()
          .notice(
              (found.all() > 2
                      ? "Forcing recovery of %s because it is migrating from %s to %s and possibly "
                          + "active elsewhere"
                      : "Forcing recovery of %s because it can no longer migrate from %s to %s")
                  .formatted(rsc.id(), name(source), name(target)));
      needStop = true;
      if (!rsc.cluster().is(ClusterFlag.PROBE_RESOURCES)) {
        givenUpSource = source;
        givenUpTarget = target;
      }
      rsc.setPartialMigrationSource(null);
      rsc.setPartialMigrationTarget(null);
      mayMigrate = false;
    } else {
      multiple = (rsc.is(ResourceFlag.NEEDS_FENCING) ? found.all() : found.clean()) > 1;
    }
    if (!multiple) {
      rsc.clear(ResourceFlag.STOP_UNEXPECTED);
      return;
    }
    noteMultiple(found.all());
    if (rsc.multipleActive() == MultipleActive.STOP_START
        || rsc.multipleActive() == MultipleActive.STOP_UNEXPECTED) {
      needStop = true;
    }
    if (rsc.multipleActive() == MultipleActive.STOP_UNEXPECTED) {
      rsc.set(ResourceFlag.STOP_UNEXPECTED);
    }
  }

  /// Where nothing is probed, what the source did last may be all that tells of the copy on the target: once it has
  /// stopped its own, a plan that comes before the target was asked to stop knows of none.
  private void stopTargetFirst() {
    if (givenUpSource != null && givenUpTarget != null) {
      Orderings.add(
          rsc.cluster(),
          rsc,
          null,
          Actions.stop(rsc, givenUpTarget, true),
          rsc,
          null,
          Actions.stop(rsc, givenUpSource, true),
          Relation.ORDERED);
    }
  }

  private static String name(@Nullable Node node) {
    return node == null ? "unspecified node" : node.name();
  }

  private void noteMultiple(int count) {
    rsc.cluster()
        .error(
            "pcmk__primitive_create_actions",
            "%s resource %s might be active on %d nodes (%s)"
                .formatted(
                    rsc.xml().get("class", "Untyped"),
                    rsc.id(),
                    count,
                    rsc.multipleActive().text()),
            "");
    rsc.cluster()
        .notice(
            "For more information, see \"What are multiply active resources?\" at "
                + "https://projects.clusterlabs.org/w/clusterlabs/faq/");
  }

  private void checkRecovery(@Nullable Node current) {
    if (rsc.is(ResourceFlag.FAILED)) {
      if (rsc.is(ResourceFlag.STOP_IF_FAILED)) {
        needStop = true;
      } else if (rsc.nextRole() == Role.PROMOTED) {
        needPromote = true;
      }
    } else if (rsc.is(ResourceFlag.BLOCKED)) {
      needStop = true;
    } else if (rsc.role().above(Role.STARTED) && current != null && assigned() != null) {
      // A required start means recovery of a promoted resource.
      if (!Actions.start(rsc, assigned(), true).is(ActionFlag.OPTIONAL)) {
        needStop = true;
      }
    }
  }

  // Down to stopped and up to the same role again, all optional unless needed.
  private void restart(@Nullable Node current) {
    var role = rsc.role();
    rsc.set(ResourceFlag.RESTARTING);
    while (role != Role.STOPPED) {
      var next = nextStep(role, Role.STOPPED);
      if (!step(role, next, current, !needStop)) {
        break;
      }
      role = next;
    }
    while (rsc.role().compareTo(rsc.nextRole()) <= 0
        && role != rsc.role()
        && !rsc.is(ResourceFlag.BLOCKED)) {
      var next = nextStep(role, rsc.role());
      var required = needStop || next == Role.PROMOTED && needPromote;
      if (!step(role, next, assigned(), !required)) {
        break;
      }
      role = next;
    }
    rsc.clear(ResourceFlag.RESTARTING);
  }

  private void changeRole() {
    var role = rsc.role();
    while (role != rsc.nextRole()) {
      var next = nextStep(role, rsc.nextRole());
      if (!step(role, next, assigned(), false)) {
        break;
      }
      role = next;
    }
  }

  /// The role that comes next on the way to another.
  private static Role nextStep(Role role, Role target) {
    if (target == Role.UNKNOWN) {
      return role == Role.UNKNOWN ? Role.UNKNOWN : Role.STOPPED;
    }
    return switch (role) {
      case UNKNOWN -> Role.STOPPED;
      case STOPPED -> target == Role.PROMOTED ? Role.UNPROMOTED : target;
      case STARTED -> target;
      case UNPROMOTED -> target == Role.STARTED ? Role.STOPPED : target;
      case PROMOTED -> target == Role.PROMOTED ? Role.PROMOTED : Role.UNPROMOTED;
    };
  }

  // False if nothing is to be done for this step.
  private boolean step(Role from, Role to, @Nullable Node node, boolean optional) {
    switch (to) {
      case STOPPED -> {
        if (from == Role.STOPPED) {
          return false;
        }
        stop(optional);
      }
      case STARTED -> {
        return from == Role.STOPPED && start(node, optional);
      }
      case UNPROMOTED -> {
        if (from == Role.PROMOTED) {
          demote(optional);
          return true;
        }
        return from == Role.STOPPED && start(node, optional);
      }
      case PROMOTED -> {
        if (from == Role.PROMOTED) {
          return false;
        }
        promote(node, optional);
      }
      case UNKNOWN -> {
        return false;
      }
    }
    return true;
  }

  private boolean isExpected(@Nullable Node node) {
    return rsc.is(ResourceFlag.STOP_UNEXPECTED)
        && rsc.is(ResourceFlag.RESTARTING)
        && rsc.nextRole().above(Role.STOPPED)
        && node != null
        && assigned() == node;
  }

  private void stop(boolean optional) {
    for (var current : rsc.active()) {
      if (!isExpected(current)) {
        stopOn(current, optional);
      }
    }
  }

  private void stopOn(Node current, boolean unlessMigrating) {
    var optional = unlessMigrating;
    if (rsc.partialMigrationTarget() != null) {
      if (current == rsc.partialMigrationTarget() && current == assigned()) {
        return;
      }
      optional = false;
    }
    var stop = Actions.stop(rsc, current, optional);
    if (rsc.assigned() == null) {
      Actions.reason(stop, "node availability", true);
    } else if (rsc.is(ResourceFlag.RESTARTING) && rsc.is(ResourceFlag.STOP_UNEXPECTED)) {
      Actions.reason(stop, "being multiply active", true);
    }
    if (!rsc.is(ResourceFlag.MANAGED)) {
      stop.clear(ActionFlag.RUNNABLE);
    }
    if (rsc.is(ResourceFlag.NEEDS_UNFENCING)) {
      var unfence = Fencing.fenceAction(rsc.cluster(), current, TaskName.ON, true, null, false);
      Actions.order(stop, unfence, Relation.THEN_IMPLIES_FIRST);
      if (!UnfencingOrderings.isUnfenced(current)) {
        rsc.cluster()
            .error(
                "stop_resource",
                "Stopping %s until %s can be unfenced".formatted(rsc.id(), current.name()),
                "");
      }
    }
  }

  private boolean start(@Nullable Node node, boolean optional) {
    var start = Actions.start(rsc, node, true);
    if (node != null) {
      UnfencingOrderings.orderAfterUnfencing(rsc, node, start, Relation.FIRST_IMPLIES_THEN);
    }
    if (start.is(ActionFlag.RUNNABLE) && !optional) {
      start.clear(ActionFlag.OPTIONAL);
    }
    if (isExpected(node)) {
      start.set(ActionFlag.PSEUDO);
    }
    return true;
  }

  private void promote(@Nullable Node node, boolean optional) {
    var runnable = true;
    for (var start : Actions.ofTaskOn(rsc, TaskName.START, node)) {
      runnable &= start.is(ActionFlag.RUNNABLE);
    }
    if (runnable) {
      var promote = Actions.promote(rsc, node, optional);
      if (isExpected(node)) {
        promote.set(ActionFlag.PSEUDO);
      }
      return;
    }
    for (var promote : Actions.ofTaskOn(rsc, TaskName.PROMOTE, node)) {
      promote.clear(ActionFlag.RUNNABLE);
    }
  }

  // Wherever it is promoted, also if that should be on one node only.
  private void demote(boolean optional) {
    for (var current : rsc.active()) {
      if (!isExpected(current)) {
        Actions.demote(rsc, current, optional);
      }
    }
  }
}
