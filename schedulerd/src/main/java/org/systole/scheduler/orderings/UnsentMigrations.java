package org.systole.scheduler.orderings;

import java.util.List;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Holds back migrations of which only the second half could be done, as where the connection to the
/// target is itself to be started again: fetching what nobody sends can only start a second copy
/// beside the one that runs. The resource stays where it is; the next plan finds the target connected.
/// Pacemaker fetches it.
final class UnsentMigrations {
  private UnsentMigrations() {}

  static void hold(WorkingSet cluster) {
    for (var action : List.copyOf(cluster.actions())) {
      var rsc = action.resource();
      if (rsc != null
          && action.task().equals(TaskName.MIGRATE_TO)
          && !canBeSent(action, rsc)
          && has(rsc, TaskName.MIGRATE_FROM)) {
        drop(action);
        Actions.ofTask(rsc, TaskName.MIGRATE_FROM, null).forEach(UnsentMigrations::drop);
        block(rsc, TaskName.START);
        block(rsc, TaskName.STOP);
      }
    }
  }

  private static boolean canBeSent(Action to, Resource rsc) {
    if (!isDone(to)) {
      return false;
    }
    var target = rsc.assigned();
    return target == null
        || !(target.node().isRemote() || target.node().isGuest())
        || to.before().stream().noneMatch(it -> GraphRules.makesLoop(to, to, it));
  }

  private static boolean has(Resource rsc, String task) {
    return Actions.ofTask(rsc, task, null).stream().anyMatch(UnsentMigrations::isDone);
  }

  private static boolean isDone(Action action) {
    return action.is(ActionFlag.RUNNABLE) && !action.is(ActionFlag.OPTIONAL);
  }

  /// It is not to be done, and nobody has to wait for it.
  private static void drop(Action action) {
    action.set(ActionFlag.OPTIONAL);
    for (var then : action.after()) {
      then.action().before().stream()
          .filter(it -> it.action() == action)
          .forEach(it -> it.setRelations(Relations.NONE));
    }
  }

  private static void block(Resource rsc, String task) {
    for (var action : Actions.ofTask(rsc, task, null)) {
      if (action.is(ActionFlag.RUNNABLE) && action.is(ActionFlag.MIGRATABLE)) {
        action.clear(ActionFlag.RUNNABLE);
        OrderingSolver.blockDependents(action);
        OrderingSolver.updateAfter(action);
      }
    }
  }
}
