package org.systole.scheduler.actions;

import java.util.List;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Bool;
import org.systole.common.values.Score;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.unpack.FailCounts;

/// Creates the actions of all resources, and the milestones of those that hold others.
public final class ResourceActions {
  private ResourceActions() {}

  public static void createAll(WorkingSet cluster) {
    ConfigChanges.checkDeferred(cluster);
    Probes.schedule(cluster);
    if (cluster.is(ClusterFlag.STOP_REMOVED_RESOURCES)) {
      cluster.resources().forEach(ResourceActions::forgetFailures);
    }
    cluster.resources().forEach(ResourceActions::create);
  }

  private static void forgetFailures(Resource rsc) {
    if (!rsc.is(ResourceFlag.REMOVED)) {
      return;
    }
    for (var node : rsc.cluster().nodes()) {
      if (node.online() && FailCounts.effective(node, rsc, false).count() != 0) {
        var clear = FailCounts.clear(rsc, node, "it is removed");
        Orderings.add(
            rsc.cluster(),
            clear.resource(),
            null,
            clear,
            rsc,
            OperationKey.text(rsc.id(), TaskName.STOP),
            null,
            Relation.ORDERED);
      }
    }
  }

  static void create(Resource rsc) {
    switch (rsc) {
      case Primitive primitive -> PrimitiveActions.create(primitive);
      case Group group -> ofGroup(group);
      case Clone clone -> ofClone(clone);
      case Bundle bundle -> ofBundle(bundle);
    }
  }

  private static void ofGroup(Group group) {
    group.children().forEach(ResourceActions::create);
    for (var task : List.of(TaskName.START, TaskName.RUNNING, TaskName.STOP, TaskName.STOPPED)) {
      Actions.pseudo(group, task, true, true);
    }
    if (Bool.isTrue(group.meta().get("promotable"))) {
      for (var task :
          List.of(TaskName.DEMOTE, TaskName.DEMOTED, TaskName.PROMOTE, TaskName.PROMOTED)) {
        Actions.pseudo(group, task, true, true);
      }
    }
  }

  private static void ofClone(Clone clone) {
    ofInstances(clone, clone.children());
    if (!clone.is(ResourceFlag.PROMOTABLE)) {
      return;
    }
    var changes = new RoleChanges();
    for (var instance : clone.children()) {
      create(instance);
      changes.look(instance);
    }
    var promote = Actions.pseudo(clone, TaskName.PROMOTE, !changes.promoting, true);
    var promoted = milestone(clone, TaskName.PROMOTED, !changes.promoting);
    Notifications.aroundPromotion(clone, promote, promoted);
    var demote = Actions.pseudo(clone, TaskName.DEMOTE, !changes.demoting, true);
    var demoted = milestone(clone, TaskName.DEMOTED, !changes.demoting);
    Notifications.aroundDemotion(clone, demote, demoted);
    // The priority was borrowed to choose roles.
    clone.children().forEach(instance -> instance.setPriority(clone.priority()));
  }

  private static Action milestone(Resource rsc, String task, boolean optional) {
    var action = Actions.pseudo(rsc, task, optional, true);
    action.setPriority(Score.INFINITY);
    return action;
  }

  private static void ofBundle(Bundle bundle) {
    for (var replica : bundle.replicas()) {
      if (replica.ip() != null) {
        create(replica.ip());
      }
      create(replica.container());
      if (replica.remote() != null) {
        create(replica.remote());
      }
    }
    ofInstances(bundle, Assignment.containers(bundle));
    var child = bundle.child();
    if (child != null) {
      create(child);
      if (child.is(ResourceFlag.PROMOTABLE)) {
        Actions.pseudo(bundle, TaskName.PROMOTE, true, true);
        milestone(bundle, TaskName.PROMOTED, true);
        Actions.pseudo(bundle, TaskName.DEMOTE, true, true);
        milestone(bundle, TaskName.DEMOTED, true);
      }
    }
  }

  private static void ofInstances(Resource collective, List<Resource> instances) {
    var changes = new InstanceChanges();
    for (var instance : instances) {
      create(instance);
      changes.look(instance);
    }
    var start = Actions.pseudo(collective, TaskName.START, !changes.starting, true);
    var started = Actions.pseudo(collective, TaskName.RUNNING, !changes.starting, false);
    started.setPriority(Score.INFINITY);
    if (changes.active || changes.starting) {
      started.set(ActionFlag.RUNNABLE);
    }
    var stop = Actions.pseudo(collective, TaskName.STOP, !changes.stopping, true);
    var stopped = milestone(collective, TaskName.STOPPED, !changes.stopping);
    if (!changes.restarting) {
      stop.set(ActionFlag.MIGRATABLE);
    }
    if (collective instanceof Clone clone) {
      Notifications.aroundStartAndStop(clone, start, started, stop, stopped);
    }
  }

  /// Whether any instance is promoted or demoted.
  private static final class RoleChanges {
    boolean promoting;
    boolean demoting;

    void look(Resource rsc) {
      if (!rsc.children().isEmpty()) {
        rsc.children().forEach(this::look);
        return;
      }
      for (var action : rsc.actions()) {
        if (!action.is(ActionFlag.OPTIONAL)) {
          demoting |= action.task().equals(TaskName.DEMOTE);
          promoting |= action.task().equals(TaskName.PROMOTE);
        }
      }
    }
  }

  /// What happens to any of the instances.
  private static final class InstanceChanges {
    boolean starting;
    boolean stopping;
    boolean restarting;
    boolean active;

    void look(Resource rsc) {
      if (!(rsc instanceof Primitive)) {
        rsc.children().forEach(this::look);
        return;
      }
      active |= !rsc.active().isEmpty();
      var starts = false;
      var stops = false;
      for (var action : rsc.actions()) {
        if (action.is(ActionFlag.OPTIONAL)) {
          continue;
        }
        if (action.task().equals(TaskName.START)) {
          starts |= action.is(ActionFlag.RUNNABLE);
        } else if (action.task().equals(TaskName.STOP)) {
          stops |= action.is(ActionFlag.PSEUDO) || action.is(ActionFlag.RUNNABLE);
        }
      }
      starting |= starts;
      stopping |= stops;
      restarting |= starts && stops;
    }
  }
}
