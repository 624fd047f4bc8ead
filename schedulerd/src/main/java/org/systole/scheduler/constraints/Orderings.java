package org.systole.scheduler.constraints;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.Ordering;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Creates orderings, which are applied once all actions are known.
public final class Orderings {
  private Orderings() {}

  /// "All actions of `first` with that task before those of `then`".
  public static void between(
      Resource first, String firstTask, Resource then, String thenTask, Relations relations) {
    add(
        first.cluster(),
        first,
        OperationKey.text(first.id(), firstTask),
        null,
        then,
        OperationKey.text(then.id(), thenTask),
        null,
        relations);
  }

  public static void starts(Resource first, Resource then, Relations relations) {
    between(first, TaskName.START, then, TaskName.START, relations);
  }

  public static void stops(Resource first, Resource then, Relations relations) {
    between(first, TaskName.STOP, then, TaskName.STOP, relations);
  }

  /// "This action before all of `then` with that task".
  public static void after(Action first, Resource then, String thenTask, Relations relations) {
    add(
        then.cluster(),
        null,
        null,
        first,
        then,
        OperationKey.text(then.id(), thenTask),
        null,
        relations);
  }

  /// "All actions of `first` with that task before this action".
  public static void before(Resource first, String firstTask, Action then, Relations relations) {
    add(
        first.cluster(),
        first,
        OperationKey.text(first.id(), firstTask),
        null,
        null,
        null,
        then,
        relations);
  }

  /// The general form: each side an action, or a resource with a key.
  public static void add(
      WorkingSet cluster,
      @Nullable Resource first,
      @Nullable String firstKey,
      @Nullable Action firstAction,
      @Nullable Resource then,
      @Nullable String thenKey,
      @Nullable Action thenAction,
      Relations relations) {
    var order = new Ordering(cluster.nextOrderingId(), relations);
    order.setFirstResource(first == null && firstAction != null ? firstAction.resource() : first);
    order.setThenResource(then == null && thenAction != null ? thenAction.resource() : then);
    order.setFirstAction(firstAction);
    order.setThenAction(thenAction);
    order.setFirstTask(firstKey == null && firstAction != null ? firstAction.key() : firstKey);
    order.setThenTask(thenKey == null && thenAction != null ? thenAction.key() : thenKey);
    cluster.orderings().add(order);
    MigrationEquivalents.add(order);
  }

  /// What an ordering of starts and stops means when one side migrates instead.
  private static final class MigrationEquivalents {
    public static void add(Ordering order) {
      var first = order.firstResource();
      var then = order.thenResource();
      if (first == null
          || then == null
          || first == then
          || first.isAncestorOf(then)
          || then.isAncestorOf(first)) {
        return;
      }
      var firstMigrates = first.is(ResourceFlag.MIGRATABLE);
      var thenMigrates = then.is(ResourceFlag.MIGRATABLE);
      if (!firstMigrates && !thenMigrates) {
        return;
      }
      var firstTask = task(order.firstAction(), order.firstTask());
      var thenTask = task(order.thenAction(), order.thenTask());
      if (TaskName.START.equals(firstTask) && TaskName.START.equals(thenTask)) {
        starts(first, then, firstMigrates, thenMigrates);
      } else if (thenMigrates
          && TaskName.STOP.equals(firstTask)
          && TaskName.STOP.equals(thenTask)) {
        down(
            first,
            TaskName.STOP,
            then,
            firstMigrates ? Relation.IF_FIRST_UNMIGRATABLE : Relations.NONE);
      } else if (TaskName.PROMOTE.equals(firstTask) && TaskName.START.equals(thenTask)) {
        if (thenMigrates) {
          between(first, TaskName.PROMOTE, then, TaskName.MIGRATE_TO, Relation.ORDERED);
        }
      } else if (TaskName.DEMOTE.equals(firstTask)
          && TaskName.STOP.equals(thenTask)
          && thenMigrates) {
        down(first, TaskName.DEMOTE, then, Relations.NONE);
      }
    }

    private static void starts(
        Resource first, Resource then, boolean firstMigrates, boolean thenMigrates) {
      Relations relations = Relation.ORDERED;
      if (firstMigrates && thenMigrates) {
        between(first, TaskName.MIGRATE_FROM, then, TaskName.MIGRATE_TO, relations);
      }
      if (thenMigrates) {
        if (firstMigrates) {
          relations = relations.with(Relation.IF_FIRST_UNMIGRATABLE);
        }
        between(first, TaskName.START, then, TaskName.MIGRATE_TO, relations);
      }
    }

    private static void down(Resource first, String firstTask, Resource then, Relations extra) {
      var relations = Relation.ORDERED.with(extra);
      between(first, firstTask, then, TaskName.MIGRATE_TO, relations);
      if (then.partialMigrationTarget() != null) {
        between(first, firstTask, then, TaskName.MIGRATE_FROM, relations);
      }
    }

    private static @Nullable String task(@Nullable Action action, @Nullable String key) {
      if (action != null) {
        return action.task();
      }
      var parsed = key == null ? null : OperationKey.parse(key);
      return parsed == null ? null : parsed.operation().text();
    }
  }
}
