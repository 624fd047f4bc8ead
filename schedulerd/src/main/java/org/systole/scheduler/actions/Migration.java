package org.systole.scheduler.actions;

import org.systole.common.operation.TaskName;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.operations.Actions;

/// Live migration instead of stop and start.
final class Migration {
  private Migration() {}

  static boolean isPossible(Primitive rsc, Node current) {
    return rsc.is(ResourceFlag.MIGRATABLE)
        && rsc.is(ResourceFlag.MANAGED)
        && !rsc.is(ResourceFlag.FAILED)
        && !rsc.is(ResourceFlag.START_PENDING)
        && !current.unclean()
        && rsc.assigned() != null
        && !rsc.assigned().node().unclean();
  }

  static void create(Primitive rsc, Node current) {
    if (rsc.assigned() == null) {
      return;
    }
    var target = rsc.assigned().node();
    var partial = rsc.partialMigrationTarget() != null;
    var start = Actions.start(rsc, target, true);
    var stop = Actions.stop(rsc, current, true);
    var to = partial ? null : Actions.of(rsc, TaskName.MIGRATE_TO, current, true);
    var from = Actions.of(rsc, TaskName.MIGRATE_FROM, target, true);
    start.set(ActionFlag.MIGRATABLE);
    stop.set(ActionFlag.MIGRATABLE);
    start.set(ActionFlag.PSEUDO);
    from.set(ActionFlag.MIGRATABLE);
    if (to != null) {
      to.set(ActionFlag.MIGRATABLE);
      to.setNeeds(start.needs());
      Orderings.between(rsc, TaskName.MONITOR, rsc, TaskName.MIGRATE_TO, Relation.ORDERED);
      Orderings.between(
          rsc,
          TaskName.MIGRATE_TO,
          rsc,
          TaskName.MIGRATE_FROM,
          Relations.of(Relation.ORDERED, Relation.UNMIGRATABLE_THEN_BLOCKS));
    } else {
      from.setNeeds(start.needs());
      Orderings.between(rsc, TaskName.MONITOR, rsc, TaskName.MIGRATE_FROM, Relation.ORDERED);
    }
    Orderings.between(
        rsc,
        TaskName.MIGRATE_FROM,
        rsc,
        TaskName.STOP,
        Relations.of(Relation.ORDERED, Relation.UNMIGRATABLE_THEN_BLOCKS));
    Orderings.between(
        rsc,
        TaskName.MIGRATE_FROM,
        rsc,
        TaskName.START,
        Relations.of(
            Relation.ORDERED, Relation.UNMIGRATABLE_THEN_BLOCKS, Relation.FIRST_ELSE_THEN));
    if (to != null) {
      addNodes(to, current, target);
      if (!rsc.is(ResourceFlag.REMOTE_CONNECTION)) {
        // The source may be lost while it is under way.
        to.meta().put("record-pending", "true");
      }
    }
    addNodes(from, current, target);
  }

  private static void addNodes(Action action, Node source, Node target) {
    action.meta().put("migrate_source", source.name());
    action.meta().put("migrate_target", target.name());
  }
}
