package org.systole.scheduler.explain;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.explain.Answer.Planned;
import org.systole.scheduler.explain.Explanation.Step;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// Why actions are required, and why some cannot be executed.
final class Steps {
  private final WorkingSet cluster;

  Steps(WorkingSet cluster) {
    this.cluster = cluster;
  }

  List<Step> of(Resource rsc, @Nullable Node asked) {
    var found = new ArrayList<Step>();
    for (var action : rsc.actions()) {
      if (!action.is(ActionFlag.OPTIONAL) && about(action, asked)) {
        found.add(step(action, rsc));
      }
    }
    var waitedFor = DueFencing.of(rsc, asked).keySet();
    for (var action : cluster.actions()) {
      var node = action.node();
      if (action.task().equals(TaskName.FENCE)
          && !action.is(ActionFlag.OPTIONAL)
          && node != null
          && (node == asked || rsc.active().contains(node) || waitedFor.contains(action))) {
        found.add(step(action, rsc));
      }
    }
    return found;
  }

  /// What is done to a node itself.
  List<Step> of(Node node) {
    var found = new ArrayList<Step>();
    for (var action : cluster.actions()) {
      if (action.node() == node
          && action.resource() == null
          && !action.is(ActionFlag.OPTIONAL)
          && !action.is(ActionFlag.PSEUDO)) {
        found.add(step(action));
      }
    }
    return found;
  }

  /// The actions with a key.
  List<Planned> named(String key, @Nullable Node at) {
    var found = new ArrayList<Planned>();
    for (var action : cluster.actions()) {
      if (action.key().equals(key) && about(action, at)) {
        found.add(planned(action));
      }
    }
    return found;
  }

  private Planned planned(Action action) {
    var step = step(action);
    var idle = action.is(ActionFlag.OPTIONAL);
    return new Planned(
        step.action(),
        step.node(),
        idle ? "optional" : step.state(),
        idle ? "nothing calls for it" : step.reason(),
        needed(action.before()),
        needed(action.after()));
  }

  private static List<String> needed(List<RelatedAction> related) {
    var names = new LinkedHashSet<String>();
    for (var each : related) {
      if (!each.relations().isNone() && !each.action().is(ActionFlag.OPTIONAL)) {
        names.add(each.action().toString());
      }
    }
    return List.copyOf(names);
  }

  private Step step(Action action) {
    var rsc = action.resource();
    if (rsc != null) {
      return step(action, rsc);
    }
    var runnable = action.is(ActionFlag.RUNNABLE);
    var node = action.node();
    var reason = action.reason();
    if (reason == null) {
      reason = runnable ? "another action needs it" : "something it needs cannot be executed";
      if (action.task().equals(TaskName.FENCE) && node != null && node.unclean()) {
        reason = "the node is unclean: what runs there is not known";
      }
    }
    return new Step(
        action.key(), node == null ? null : node.name(), runnable ? "required" : "blocked", reason);
  }

  private static boolean about(Action action, @Nullable Node asked) {
    return asked == null || action.node() == asked;
  }

  private Step step(Action action, Resource rsc) {
    var runnable = action.is(ActionFlag.RUNNABLE);
    return new Step(
        action.key(),
        action.node() == null ? null : action.node().name(),
        runnable ? "required" : "blocked",
        runnable ? why(action, rsc) : whyNot(action, rsc));
  }

  private static String why(Action action, Resource rsc) {
    if (action.reason() != null) {
      return action.reason();
    }
    var target = rsc.assigned() == null ? null : rsc.assigned().node();
    return switch (action.task()) {
      case TaskName.START -> rsc.active().isEmpty() ? "it is not active anywhere" : "it moves here";
      case TaskName.STOP -> {
        if (target == null || rsc.nextRole() == Role.STOPPED) {
          yield "it is to be stopped";
        }
        yield target == action.node() ? "it is restarted" : "it moves to " + target.name();
      }
      case TaskName.PROMOTE -> "it is chosen for promotion";
      case TaskName.DEMOTE ->
          rsc.nextRole() == Role.PROMOTED
              ? "it is restarted or promoted elsewhere"
              : "it is no more to be promoted";
      case TaskName.MONITOR ->
          action.key().endsWith("_monitor_0")
              ? "its state there is not known"
              : "it is to be watched there";
      case TaskName.DELETE -> "its history is of no more use";
      default -> "another action needs it";
    };
  }

  private static String whyNot(Action action, Resource rsc) {
    if (action.reason() != null) {
      return action.reason();
    }
    if (!rsc.is(ResourceFlag.MANAGED)) {
      return "the resource is not managed";
    }
    if (action.node() == null) {
      return "there is no node for it";
    }
    if (!Explainer.available(action.node())) {
      return action.node().name() + " is not available";
    }
    for (var input : action.before()) {
      var first = input.action();
      if (!first.is(ActionFlag.RUNNABLE) && !first.is(ActionFlag.OPTIONAL)) {
        return "waits for " + first + ", which cannot be executed";
      }
    }
    return "something it needs cannot be executed";
  }
}
