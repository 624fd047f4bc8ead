package org.systole.scheduler.actions;

import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;

/// Last touches before the graph: actions that ordering brought about without a node get that of
/// their resource, and what is active counts as started.
public final class Settlement {
  private Settlement() {}

  public static void apply(WorkingSet cluster) {
    cluster.resources().forEach(Settlement::settle);
  }

  private static void settle(Resource rsc) {
    if (rsc instanceof Bundle bundle) {
      for (var replica : bundle.replicas()) {
        if (replica.ip() != null) {
          settle(replica.ip());
        }
        settle(replica.container());
        if (replica.remote() != null) {
          settle(replica.remote());
        }
        if (replica.child() != null) {
          settle(replica.child());
        }
      }
    } else if (!rsc.children().isEmpty()) {
      rsc.children().forEach(Settlement::settle);
    } else {
      settleSingle(rsc);
    }
  }

  private static void settleSingle(Resource rsc) {
    var next = rsc.assigned() == null ? null : rsc.assigned().node();
    var current = rsc.active().isEmpty() ? null : rsc.currentNode();
    if (current != null && rsc.role() == Role.STOPPED) {
      rsc.setRole(Role.STARTED);
    }
    if (!rsc.is(ResourceFlag.MANAGED) || current == null && next == null) {
      return;
    }
    // Looking for an action on a node gives one without a node that place.
    var starts = Actions.ofTask(rsc, TaskName.START, next);
    var startsHere = !starts.isEmpty() && starts.getFirst().is(ActionFlag.RUNNABLE);
    Actions.ofTask(rsc, TaskName.STOP, startsHere ? current : null);
    Actions.ofTask(rsc, TaskName.PROMOTE, next);
    Actions.ofTask(rsc, TaskName.DEMOTE, next);
    if (rsc.role() == rsc.nextRole()) {
      Actions.ofTask(rsc, TaskName.MIGRATE_FROM, next);
    }
  }
}
