package org.systole.scheduler.orderings;

import java.util.List;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Has what was moved live, and cannot be taken in any more, stopped on its target before it is started there with other parameters than it
/// was sent with: what has come there would run on beside it. With the same ones the start takes it in, which is all that Pacemaker relies on.
final class RedefinedArrivals {
  private RedefinedArrivals() {}

  static void stopFirst(WorkingSet cluster) {
    for (var action : List.copyOf(cluster.actions())) {
      var rsc = action.resource();
      if (rsc != null && rsc.is(ResourceFlag.REDEFINED) && startsWhereItCame(action, rsc)) {
        var stop = Actions.stop(rsc, action.node(), false);
        Actions.reason(stop, "resource definition change", true);
        Actions.order(stop, action, Relations.of(Relation.ORDERED, Relation.UNRUNNABLE_FIRST_BLOCKS));
        OrderingSolver.update(stop);
      }
    }
  }

  private static boolean startsWhereItCame(Action action, Resource rsc) {
    return action.task().equals(TaskName.START)
        && action.is(ActionFlag.RUNNABLE)
        && !action.is(ActionFlag.OPTIONAL)
        && !action.is(ActionFlag.PSEUDO)
        && rsc.partialMigrationTarget() != null
        && rsc.partialMigrationTarget() == action.node();
  }
}
