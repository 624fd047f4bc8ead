package org.systole.scheduler.actions;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.OperationConfig;

/// Recurring operations: monitors and whatever else has an interval.
final class RecurringActions {
  private static final int PROMOTED = 8;
  private static final int NOT_RUNNING = 7;

  private RecurringActions() {}

  /// A recurring operation as configured.
  private record Operation(String id, String name, long intervalMs, Role role, String key) {}

  static void create(Primitive rsc) {
    if (rsc.is(ResourceFlag.BLOCKED) || rsc.is(ResourceFlag.MAINTENANCE)) {
      return;
    }
    var node = rsc.assigned() == null ? null : rsc.assigned().node();
    Action start = null;
    if (node != null
        && !node.maintenance()
        && (rsc.nextRole() != Role.STOPPED || !rsc.is(ResourceFlag.MANAGED))) {
      start = Actions.start(rsc, node, true);
    }
    for (var xml : OperationConfig.operations(rsc)) {
      var operation = read(rsc, xml);
      if (operation != null) {
        if (start != null) {
          whileActive(rsc, start, node, operation);
        }
        whileInactive(rsc, node, operation);
      }
    }
  }

  private static @Nullable Operation read(Primitive rsc, Element xml) {
    var interval = OperationConfig.intervalMs(xml);
    if (interval == 0) {
      return null;
    }
    var id = xml.get("id", "");
    var name = xml.get("name", "");
    if (id.isEmpty()) {
      rsc.cluster().configError("Ignoring resource history entry without ID");
      return null;
    }
    if (OperationName.of(name) == null) {
      rsc.cluster().configError("Ignoring %s because its name can be no operation's".formatted(id));
      return null;
    }
    if (cannotRecur(name)) {
      rsc.cluster()
          .configError("Ignoring %s because %s action cannot be recurring".formatted(id, name));
      return null;
    }
    if (isDuplicate(rsc, name, interval)) {
      return null;
    }
    var role = Role.parse(xml.get("role"));
    if (role == Role.UNKNOWN && xml.has("role")) {
      rsc.cluster()
          .configError(
              "Ignoring %s role because %s is not a valid role".formatted(id, xml.get("role")));
      return null;
    }
    return OperationConfig.find(rsc, name, interval, false) == null
        ? null
        : new Operation(id, name, interval, role, OperationKey.text(rsc.id(), name, interval));
  }

  private static boolean cannotRecur(String name) {
    return switch (name) {
      case TaskName.STOP,
          TaskName.START,
          TaskName.DEMOTE,
          TaskName.PROMOTE,
          TaskName.RELOAD_AGENT,
          TaskName.MIGRATE_TO,
          TaskName.MIGRATE_FROM ->
          true;
      default -> false;
    };
  }

  private static boolean isDuplicate(Primitive rsc, String name, long interval) {
    String first = null;
    for (var op : OperationConfig.operations(rsc)) {
      if (name.equals(op.get("name"))
          && OperationConfig.intervalMs(op) == interval
          && op.id() != null) {
        if (first != null) {
          rsc.cluster()
              .configError(
                  ("Operation %s is duplicate of %s (do not use same name and interval combination "
                          + "more than once per resource)")
                      .formatted(op.id(), first));
          return true;
        }
        first = op.id();
      }
    }
    return false;
  }

  private static void whileActive(
      Primitive rsc, Action start, @Nullable Node node, Operation operation) {
    if (operation.role == Role.STOPPED) {
      return;
    }
    var optional = mayBeOptional(rsc, node, operation.key, start);
    var matches =
        operation.role == Role.UNKNOWN
            ? rsc.nextRole() != Role.PROMOTED
            : rsc.nextRole() == operation.role;
    if (!matches) {
      if (optional) {
        cancelForRole(rsc, node, operation);
      }
      return;
    }
    var monitor = Actions.custom(rsc, operation.key, operation.name, node, optional);
    if (!start.is(ActionFlag.RUNNABLE) || node == null || !node.online() || node.unclean()) {
      monitor.clear(ActionFlag.RUNNABLE);
    }
    if (rsc.nextRole() == Role.PROMOTED) {
      Actions.expect(monitor, PROMOTED);
    }
    if (node == null || rsc.is(ResourceFlag.MANAGED)) {
      orderActive(rsc, monitor);
    }
  }

  // Nothing is to do if it runs already, unless the resource is started anew.
  private static boolean mayBeOptional(
      Primitive rsc, @Nullable Node node, String key, Action start) {
    if (node == null || !start.is(ActionFlag.OPTIONAL) || isGivenAwayInVain(rsc, node, key)) {
      return false;
    }
    var known = Actions.byKeyOn(rsc, key, node);
    return !known.isEmpty() && known.stream().noneMatch(op -> op.is(ActionFlag.RESCHEDULE));
  }

  /// Whether a member has given the connection of a remote node away, and has it all the same, as it was not taken over. It watches
  /// it no more, though its history has what it was told of before.
  private static boolean isGivenAwayInVain(Primitive rsc, Node node, String monitor) {
    if (!rsc.is(ResourceFlag.REMOTE_CONNECTION) || rsc.launcher() != null) {
      return false;
    }
    var given = -1L;
    var told = -1L;
    for (var entry : rsc.cluster().historyIndex().entries(node, rsc)) {
      var call = Numbers.whole(entry.xml().get("call-id"), -1);
      if (entry.is(Task.MIGRATE_TO) && entry.is(OcfCode.OK)) {
        given = Math.max(given, call);
      } else if (!entry.is(Task.MONITOR) || monitor.equals(entry.key())) {
        told = Math.max(told, call);
      }
    }
    return given > told;
  }

  private static void orderActive(Primitive rsc, Action monitor) {
    var follows = Relations.of(Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS);
    Orderings.before(rsc, TaskName.START, monitor, follows);
    Orderings.before(rsc, TaskName.RELOAD_AGENT, monitor, follows);
    var waits = Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS);
    if (rsc.nextRole() == Role.PROMOTED) {
      Orderings.before(rsc, TaskName.PROMOTE, monitor, waits);
    } else if (rsc.role() == Role.PROMOTED) {
      Orderings.before(rsc, TaskName.DEMOTE, monitor, waits);
    }
  }

  private static void cancelForRole(Primitive rsc, @Nullable Node node, Operation operation) {
    var cancel = newCancel(rsc, operation.name, operation.intervalMs, node);
    var after =
        switch (rsc.role()) {
          case UNPROMOTED, STARTED ->
              switch (rsc.nextRole()) {
                case PROMOTED -> TaskName.PROMOTE;
                case STOPPED -> TaskName.STOP;
                case UNKNOWN, STARTED, UNPROMOTED -> null;
              };
          case PROMOTED -> TaskName.DEMOTE;
          case UNKNOWN, STOPPED -> null;
        };
    if (after != null) {
      Orderings.add(
          rsc.cluster(),
          rsc,
          null,
          cancel,
          rsc,
          OperationKey.text(rsc.id(), after),
          null,
          Relation.UNRUNNABLE_FIRST_BLOCKS);
    }
  }

  private static void whileInactive(Primitive rsc, @Nullable Node node, Operation operation) {
    if (operation.role != Role.STOPPED) {
      return;
    }
    if (!rsc.is(ResourceFlag.UNIQUE)) {
      rsc.cluster()
          .notice(
              "Ignoring %s (recurring monitors for Stopped role are not supported for anonymous clones)"
                  .formatted(operation.id));
      return;
    }
    for (var elsewhere : rsc.cluster().nodes()) {
      if (elsewhere == node) {
        cancelIfRunning(rsc, node, operation);
      } else {
        monitorInactive(rsc, elsewhere, operation);
      }
    }
  }

  private static void cancelIfRunning(Primitive rsc, Node node, Operation operation) {
    if (Actions.byKeyOn(rsc, operation.key, node).isEmpty()) {
      return;
    }
    var cancel = newCancel(rsc, operation.name, operation.intervalMs, node);
    if (rsc.nextRole() == Role.STARTED || rsc.nextRole() == Role.UNPROMOTED) {
      Orderings.add(
          rsc.cluster(),
          rsc,
          null,
          cancel,
          rsc,
          OperationKey.text(rsc.id(), TaskName.START),
          null,
          Relation.UNRUNNABLE_FIRST_BLOCKS);
    }
  }

  private static void monitorInactive(Primitive rsc, Node node, Operation operation) {
    var optional = !Actions.byKeyOn(rsc, operation.key, node).isEmpty();
    var monitor = Actions.custom(rsc, operation.key, operation.name, node, optional);
    Actions.expect(monitor, NOT_RUNNING);
    if (rsc.is(ResourceFlag.MANAGED)) {
      for (var probe : Actions.ofTask(rsc, TaskName.MONITOR, node)) {
        Actions.order(probe, monitor, Relation.UNRUNNABLE_FIRST_BLOCKS);
      }
    }
    for (var stop : Actions.ofTaskOn(rsc, TaskName.STOP, node)) {
      orderAfterStop(rsc, stop, monitor);
    }
    if (!node.online() || node.unclean()) {
      monitor.clear(ActionFlag.RUNNABLE);
    }
  }

  private static void orderAfterStop(Primitive rsc, Action stop, Action monitor) {
    var managed = rsc.is(ResourceFlag.MANAGED);
    if (!stop.is(ActionFlag.OPTIONAL) && !monitor.is(ActionFlag.OPTIONAL) && !managed) {
      monitor.set(ActionFlag.OPTIONAL);
    }
    if (!stop.is(ActionFlag.RUNNABLE)) {
      monitor.clear(ActionFlag.RUNNABLE);
    }
    if (managed) {
      Orderings.add(
          rsc.cluster(),
          rsc,
          OperationKey.text(rsc.id(), TaskName.STOP),
          stop,
          null,
          null,
          monitor,
          Relations.of(Relation.FIRST_IMPLIES_THEN, Relation.UNRUNNABLE_FIRST_BLOCKS));
    }
  }

  private static Action newCancel(Resource rsc, String task, long intervalMs, @Nullable Node node) {
    // Takes over the recurring action of that key, if it is known.
    var cancel =
        Actions.custom(
            rsc, OperationKey.text(rsc.id(), task, intervalMs), TaskName.CANCEL, node, false);
    cancel.setTask(TaskName.CANCEL);
    cancel.setCancelTask(task);
    cancel.meta().put("operation", task);
    cancel.meta().put("interval", Long.toString(intervalMs));
    return cancel;
  }

  /// Cancels a recurring operation that runs on a node.
  static void cancel(
      Resource rsc, @Nullable String callId, String task, long intervalMs, Node node) {
    var cancel = newCancel(rsc, task, intervalMs, node);
    if (callId != null) {
      cancel.meta().put("call-id", callId);
    }
    Orderings.add(
        rsc.cluster(),
        rsc,
        OperationKey.text(rsc.id(), TaskName.STOP),
        null,
        rsc,
        null,
        cancel,
        Relation.ORDERED);
  }
}
