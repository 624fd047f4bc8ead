package org.systole.scheduler.constraints;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.Ordering;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;

/// Creates orderings, which are applied once all actions are known.
public final class Orderings {
  private Orderings() {}

  /// "All actions of `first` with that task before those of `then`".
  public static void between(
      Resource first, String firstTask, Resource then, String thenTask, int flags) {
    add(
        first.cluster,
        first,
        OperationKey.text(first.id, firstTask),
        null,
        then,
        OperationKey.text(then.id, thenTask),
        null,
        flags);
  }

  public static void starts(Resource first, Resource then, int flags) {
    between(first, TaskName.START, then, TaskName.START, flags);
  }

  public static void stops(Resource first, Resource then, int flags) {
    between(first, TaskName.STOP, then, TaskName.STOP, flags);
  }

  /// "This action before all of `then` with that task".
  public static void after(Action first, Resource then, String thenTask, int flags) {
    add(then.cluster, null, null, first, then, OperationKey.text(then.id, thenTask), null, flags);
  }

  /// "All actions of `first` with that task before this action".
  public static void before(Resource first, String firstTask, Action then, int flags) {
    add(
        first.cluster,
        first,
        OperationKey.text(first.id, firstTask),
        null,
        null,
        null,
        then,
        flags);
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
      int flags) {
    var order = new Ordering(cluster.nextOrderingId(), flags);
    order.firstResource = first == null && firstAction != null ? firstAction.resource : first;
    order.thenResource = then == null && thenAction != null ? thenAction.resource : then;
    order.firstAction = firstAction;
    order.thenAction = thenAction;
    order.firstTask = firstKey == null && firstAction != null ? firstAction.key : firstKey;
    order.thenTask = thenKey == null && thenAction != null ? thenAction.key : thenKey;
    cluster.orderings.add(order);
    MigrationEquivalents.add(order);
  }

  /// What an ordering of starts and stops means when one side migrates instead.
  private static final class MigrationEquivalents {
    public static void add(Ordering order) {
      var first = order.firstResource;
      var then = order.thenResource;
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
      var firstTask = task(order.firstAction, order.firstTask);
      var thenTask = task(order.thenAction, order.thenTask);
      if (TaskName.START.equals(firstTask) && TaskName.START.equals(thenTask)) {
        starts(first, then, firstMigrates, thenMigrates);
      } else if (thenMigrates
          && TaskName.STOP.equals(firstTask)
          && TaskName.STOP.equals(thenTask)) {
        down(first, TaskName.STOP, then, firstMigrates ? Relation.IF_FIRST_UNMIGRATABLE : 0);
      } else if (TaskName.PROMOTE.equals(firstTask) && TaskName.START.equals(thenTask)) {
        if (thenMigrates) {
          between(first, TaskName.PROMOTE, then, TaskName.MIGRATE_TO, Relation.ORDERED);
        }
      } else if (TaskName.DEMOTE.equals(firstTask)
          && TaskName.STOP.equals(thenTask)
          && thenMigrates) {
        down(first, TaskName.DEMOTE, then, 0);
      }
    }

    private static void starts(
        Resource first, Resource then, boolean firstMigrates, boolean thenMigrates) {
      var flags = Relation.ORDERED;
      if (firstMigrates && thenMigrates) {
        between(first, TaskName.MIGRATE_FROM, then, TaskName.MIGRATE_TO, flags);
      }
      if (thenMigrates) {
        if (firstMigrates) {
          flags |= Relation.IF_FIRST_UNMIGRATABLE;
        }
        between(first, TaskName.START, then, TaskName.MIGRATE_TO, flags);
      }
    }

    private static void down(Resource first, String firstTask, Resource then, int extra) {
      var flags = Relation.ORDERED | extra;
      between(first, firstTask, then, TaskName.MIGRATE_TO, flags);
      if (then.partialMigrationTarget != null) {
        between(first, firstTask, then, TaskName.MIGRATE_FROM, flags);
      }
    }

    private static @Nullable String task(@Nullable Action action, @Nullable String key) {
      if (action != null) {
        return action.task;
      }
      var parsed = key == null ? null : OperationKey.parse(key);
      return parsed == null ? null : parsed.operation();
    }
  }
}
