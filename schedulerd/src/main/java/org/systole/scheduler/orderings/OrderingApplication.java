package org.systole.scheduler.orderings;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Ordering;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Turns orderings between resources into orderings between the actions there are.
///
/// In the order in which they were created: applying one may create an action that a later one
/// finds.
public final class OrderingApplication {
  private OrderingApplication() {}

  public static void apply(WorkingSet cluster) {
    for (var at = 0; at < cluster.orderings().size(); at++) {
      apply(cluster.orderings().get(at));
    }
    // Actions created meanwhile are not looked at, as nothing can have changed for them.
    for (var action : newestFirst(cluster)) {
      OrderingSolver.blockDependents(action);
    }
    ProbeOrderings.add(cluster);
    for (var action : newestFirst(cluster)) {
      OrderingSolver.update(action);
    }
    UnsentMigrations.hold(cluster);
    RedefinedArrivals.stopFirst(cluster);
    disableInvalid(cluster);
  }

  private static List<Action> newestFirst(WorkingSet cluster) {
    return List.copyOf(cluster.actions()).reversed();
  }

  private static void apply(Ordering order) {
    if (order.firstResource() != null) {
      afterResource(order.firstResource(), order);
    } else if (order.thenResource() != null) {
      thenResource(order.firstAction(), order.thenResource(), order);
    } else {
      Actions.order(order.firstAction(), order.thenAction(), order.relations());
    }
  }

  private static void afterResource(Resource first, Ordering order) {
    var then = order.thenResource();
    var firstActions =
        order.firstAction() != null
            ? List.of(order.firstAction())
            : byTask(first, order.firstTask() == null ? "" : order.firstTask());
    if (firstActions.isEmpty() && first != then) {
      var created = missing(first, order.firstTask() == null ? "" : order.firstTask());
      firstActions = created == null ? List.of() : List.of(created);
    }
    if (then == null) {
      if (order.thenAction() == null) {
        return;
      }
      then = order.thenAction().resource();
    }
    for (var action : firstActions) {
      if (then == null) {
        Actions.order(action, order.thenAction(), order.relations());
      } else {
        thenResource(action, then, order);
      }
    }
  }

  // What is not to be done is created as optional, unless it has nothing to do anyway.
  private static @Nullable Action missing(Resource rsc, String key) {
    var parsed = OperationKey.parse(key);
    if (parsed == null) {
      return null;
    }
    var role = rsc.role(true);
    if (role == Role.STOPPED && parsed.is(Task.STOP)
        || role == Role.UNPROMOTED && parsed.is(Task.DEMOTE)) {
      return null;
    }
    return Actions.custom(
        rsc,
        OperationKey.text(rsc.id(), parsed.operation().text(), parsed.intervalMillis()),
        parsed.operation().text(),
        null,
        true);
  }

  private static List<Action> byTask(Resource rsc, String key) {
    var found = Actions.byKey(rsc, key, null);
    if (found.isEmpty()) {
      var parsed = OperationKey.parse(key);
      if (parsed != null && !parsed.resource().text().equals(rsc.id())) {
        found =
            Actions.byKey(
                rsc,
                OperationKey.text(rsc.id(), parsed.operation().text(), parsed.intervalMillis()),
                null);
      }
    }
    return found;
  }

  private static void thenResource(@Nullable Action first, Resource rsc, Ordering order) {
    var relations = order.relations();
    var thenActions =
        order.thenAction() != null
            ? List.of(order.thenAction())
            : byTask(rsc, order.thenTask() == null ? "" : order.thenTask());
    if (thenActions.isEmpty()) {
      return;
    }
    if (first != null && first.resource() == rsc && first.is(ActionFlag.MIGRATION_ABORT)) {
      relations = relations.without(Relation.FIRST_IMPLIES_THEN);
    }
    for (var then : thenActions) {
      if (first != null) {
        Actions.order(first, then, relations);
      } else if (relations.has(Relation.FIRST_IMPLIES_THEN)) {
        then.clear(ActionFlag.RUNNABLE);
        rsc.cluster()
            .logWarning(
                "order_resource_actions_after",
                "%s of %s is unrunnable because there is no %s to order it after"
                    .formatted(then.task(), rsc.id(), order.firstTask()),
                "");
      }
    }
  }

  private static void disableInvalid(WorkingSet cluster) {
    for (var action : newestFirst(cluster)) {
      for (var input : new ArrayList<>(action.before()).reversed()) {
        if (isInvalid(action, input)) {
          input.setRelations(Relations.NONE);
        }
      }
    }
  }

  private static boolean isInvalid(Action action, RelatedAction input) {
    var first = input.action().resource();
    if (!input.relations().has(Relation.GUEST_ALLOWED)
        && first != null
        && action.resource() != null
        && RemoteOrderings.isGuestOf(action.resource(), input.action().node())) {
      action
          .resource()
          .cluster()
          .configWarning(
              "Invalid ordering constraint between %s and %s"
                  .formatted(first.id(), action.resource().id()));
      return true;
    }
    // Two that swap their nodes by migration cannot each wait for the other to be gone.
    return input.relations().isOnly(Relation.IF_ON_SAME_NODE_OR_TARGET)
        && action.resource() != null
        && action.task().equals(TaskName.MIGRATE_TO)
        && GraphRules.makesLoop(action, action, input);
  }
}
