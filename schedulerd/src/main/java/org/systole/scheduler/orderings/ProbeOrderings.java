package org.systole.scheduler.orderings;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.scheduler.assignment.InstanceColocations;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Ordering;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Has everything that depends on a resource wait for its probes, too.
final class ProbeOrderings {
  private final Action probe;

  // What was visited for this probe, so that its marks can be taken back without looking at all.
  private final List<Action> visited = new ArrayList<>();

  private ProbeOrderings(Action probe) {
    this.probe = probe;
  }

  static void add(WorkingSet cluster) {
    cluster.resources().forEach(ProbeOrderings::addFor);
    for (var order : cluster.orderings()) {
      beforeThenOfStop(order);
    }
  }

  private static void addFor(Resource rsc) {
    if (!(rsc instanceof Primitive)) {
      rsc.children().forEach(ProbeOrderings::addFor);
      return;
    }
    for (var probe : Actions.ofTask(rsc, TaskName.MONITOR, null)) {
      // The first relation looked at is the newest; those added meanwhile are newer still.
      for (var at = probe.after().size() - 1; at >= 0; at--) {
        var then = probe.after().get(at);
        beforeInstances(probe, then);
        var orderings = new ProbeOrderings(probe);
        orderings.beforeRestarts(then.action());
        orderings.visited.forEach(action -> action.clear(ActionFlag.DETECT_LOOP));
      }
    }
  }

  // An instance must not start where it cannot be looked for, but others may go on running.
  private static void beforeInstances(Action probe, RelatedAction after) {
    var collective = after.action().resource();
    if (collective == null
        || probe.resource() == null
        || !InstanceColocations.isCollective(collective)
        || probe.is(ActionFlag.RUNNABLE)
        || after.relations().has(Relation.UNRUNNABLE_FIRST_BLOCKS)
        || probe.resource().top(false) != collective
        || !after.action().task().equals(TaskName.START)) {
      return;
    }
    for (var then : List.copyOf(after.action().after()).reversed()) {
      var rsc = then.action().resource();
      if (rsc != null
          && rsc.active().isEmpty()
          && rsc.top(false) == collective
          && then.action().task().equals(TaskName.START)) {
        Actions.order(
            probe, then.action(), Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS));
      }
    }
  }

  // Whoever is restarted because of the probed resource is stopped only after the probe.
  private void beforeRestarts(Action after) {
    if (!(probe.resource() instanceof Primitive)
        || !probe.task().equals(TaskName.MONITOR)
        || after.is(ActionFlag.DETECT_LOOP)) {
      return;
    }
    after.set(ActionFlag.DETECT_LOOP);
    visited.add(after);
    var rsc = after.resource();
    if (rsc instanceof Primitive && rsc != probe.resource()) {
      beforeDown(after, rsc);
    }
    var interleave =
        rsc != null
            && InstanceColocations.isCollective(rsc)
            && Bool.isTrue(rsc.meta().get("interleave"));
    var compatible =
        rsc != null && interleave
            ? InstanceColocations.compatible(probe.resource(), rsc, Role.UNKNOWN, false, null)
            : null;
    for (var at = after.after().size() - 1; at >= 0; at--) {
      var next = after.after().get(at);
      if (next.relations().has(Relation.FIRST_IMPLIES_THEN)
          || leadsInside(rsc, next.action().resource(), interleave, compatible)) {
        beforeRestarts(next.action());
      }
    }
  }

  private void beforeDown(Action after, Resource rsc) {
    var down =
        switch (after.task()) {
          case TaskName.START -> TaskName.STOP;
          case TaskName.PROMOTE -> TaskName.DEMOTE;
          default -> null;
        };
    if (down != null) {
      for (var action : Actions.ofTask(rsc, down, null)) {
        if (!action.is(ActionFlag.PSEUDO)) {
          Actions.order(probe, action, Relation.ORDERED);
        }
      }
    }
  }

  // From a group or clone to its members; of an interleaved clone only to the one concerned.
  private boolean leadsInside(
      @Nullable Resource rsc,
      @Nullable Resource chained,
      boolean interleave,
      @Nullable Resource compatible) {
    if (rsc == null
        || rsc instanceof Primitive
        || probe.resource() == null
        || probe.resource().parent() == rsc
        || chained == null
        || InstanceColocations.isCollective(chained)
        || chained.parent() != rsc) {
      return false;
    }
    return !(InstanceColocations.isCollective(rsc) && interleave && compatible != chained);
  }

  // "Stop A, then X" is also "probe A, then X".
  private static void beforeThenOfStop(Ordering order) {
    var rsc = order.firstResource();
    if (order.relations().isNone()
        || rsc == null
        || rsc == order.thenResource()
        || order.firstAction() == null && order.firstTask() == null
        || order.thenAction() == null && order.thenTask() == null
        || !isStop(order.firstAction(), order.firstTask())
        || order.thenResource() != null
            && rsc.launcher() == order.thenResource()
            && isStop(order.thenAction(), order.thenTask())) {
      return;
    }
    var probes = Actions.ofTask(rsc, TaskName.MONITOR, null);
    if (probes.isEmpty()) {
      return;
    }
    List<Action> thenActions = List.of();
    if (order.thenAction() != null) {
      thenActions = List.of(order.thenAction());
    } else if (order.thenResource() != null && order.thenTask() != null) {
      thenActions = Actions.byKey(order.thenResource(), order.thenTask(), null);
    }
    var relations = ofProbe(order.relations());
    for (var probe : probes) {
      for (var then : thenActions) {
        if (isNeeded(probe, then)) {
          Actions.order(probe, then, relations);
        }
      }
    }
  }

  private static boolean isStop(@Nullable Action action, @Nullable String key) {
    return action != null
        ? action.task().equals(TaskName.STOP)
        : key != null && key.endsWith("_stop_0");
  }

  private static Relations ofProbe(Relations original) {
    if (original.isOnly(Relation.IF_REQUIRED_ON_SAME_NODE)
        || original.isOnly(Relation.IF_ON_SAME_NODE_OR_TARGET)) {
      return original;
    }
    return Relation.ORDERED.with(
        original.among(Relations.of(Relation.IF_FIRST_UNMIGRATABLE, Relation.IF_ON_SAME_NODE)));
  }

  // Probes come after unfencing of their node, and do not keep other nodes from shutting down.
  private static boolean isNeeded(Action probe, Action then) {
    if (then.task().equals(TaskName.FENCE)
        && probe.node() != null
        && probe.node() == then.node()
        && "on".equalsIgnoreCase(then.meta().get("stonith_action"))) {
      return false;
    }
    return !then.task().equals(TaskName.SHUTDOWN)
        || probe.node() == null
        || then.node() == null
        || probe.node() == then.node();
  }
}
