package org.systole.scheduler.graph;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.operation.TaskName;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.Synapse;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.Numbers;
import org.systole.scheduler.actions.Notifications;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.RelatedAction;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.BundleAddresses;
import org.systole.scheduler.orderings.ActionState;
import org.systole.scheduler.orderings.GraphRules;

/// Makes the transition graph from actions and their orderings.
public final class GraphBuilder {
  private final WorkingSet cluster;
  private final GraphXml xml;
  private final List<Synapse> synapses = new ArrayList<>();

  private GraphBuilder(WorkingSet cluster) {
    this.cluster = cluster;
    this.xml = new GraphXml(cluster);
  }

  public static TransitionGraph build(WorkingSet cluster) {
    var builder = new GraphBuilder(cluster);
    var options = builder.options();
    cluster.resources().forEach(builder::addResource);
    if (!GraphXml.maintenanceChanges(cluster).isEmpty()) {
      Actions.pseudo(cluster, TaskName.MAINTENANCE_NODES).set(ActionFlag.ALWAYS_IN_GRAPH);
    }
    cluster.actions().forEach(GraphBuilder::noteStuckShutdown);
    builder.addAll(cluster.actions());
    return new TransitionGraph(options, withoutLoops(cluster, builder.synapses));
  }

  private static List<Synapse> withoutLoops(WorkingSet cluster, List<Synapse> synapses) {
    var loops = new PlanLoops(synapses);
    if (loops.isNone()) {
      return synapses;
    }
    var opened = loops.opened();
    var left = new PlanLoops(opened);
    if (!left.isNone()) {
      cluster.logWarning(
          "Actions of the plan wait for one another and cannot run; see the ordering of: "
              + String.join(", ", left.waiting()));
    }
    return opened;
  }

  // A stop that must but cannot be keeps its node from going down.
  private static void noteStuckShutdown(Action action) {
    var rsc = action.resource();
    var node = action.node();
    if (rsc == null
        || node == null
        || !node.shutdown()
        || rsc.is(ResourceFlag.MAINTENANCE)
        || action.is(ActionFlag.OPTIONAL)
        || action.is(ActionFlag.RUNNABLE)
        || !action.task().equals(TaskName.STOP)) {
      return;
    }
    var cluster = rsc.cluster();
    if (cluster.is(ClusterFlag.QUORATE) || cluster.noQuorumPolicy() == NoQuorumPolicy.IGNORE) {
      cluster.logWarning(
          "Cannot %s %s because of %s:%s%s (%s)"
              .formatted(
                  node.unclean() ? "fence" : "shut down",
                  node.name(),
                  rsc.id(),
                  rsc.is(ResourceFlag.MANAGED) ? " blocked" : " unmanaged",
                  rsc.is(ResourceFlag.FAILED) ? " failed" : "",
                  action.key()));
    }
  }

  private Map<String, String> options() {
    var options = new LinkedHashMap<String, String>();
    options.put("cluster-delay", option("cluster-delay"));
    options.put("fencing-timeout", option("fencing-timeout"));
    options.put("failed-stop-offset", "INFINITY");
    options.put(
        "failed-start-offset", cluster.is(ClusterFlag.START_FAILURE_FATAL) ? "INFINITY" : "1");
    options.put("batch-limit", option("batch-limit"));
    options.put("transition_id", "1");
    var limit = option("migration-limit");
    if (Numbers.parse(limit, 0) > 0) {
      options.put("migration-limit", limit);
    }
    if (cluster.recheckBy() > 0) {
      options.put("recheck-by", Long.toString(cluster.recheckBy()));
    }
    return options;
  }

  private String option(String name) {
    return cluster.options().getOrDefault(name, "");
  }

  private void addResource(Resource rsc) {
    switch (rsc) {
      case Primitive _, Group _ -> addOwn(rsc);
      case Clone clone -> {
        for (var at = clone.actions().size() - 1; at >= 0; at--) {
          ActionState.flags(clone.actions().get(at), null);
        }
        Notifications.create(clone);
        clone.children().forEach(this::addResource);
        addOwn(clone);
      }
      case Bundle bundle -> {
        if (bundle.child() != null) {
          addResource(bundle.child());
        }
        bundle.replicas().forEach(this::addReplica);
      }
    }
  }

  private void addReplica(Replica replica) {
    var remote = replica.remote();
    if (remote != null) {
      var host = BundleAddresses.host(remote);
      if (host != null) {
        // What is not evaluated for a node has the address that is then put in everywhere.
        remote.parameters(null).put("addr", host);
      }
    }
    if (replica.ip() != null) {
      addResource(replica.ip());
    }
    addResource(replica.container());
    if (remote != null) {
      addResource(remote);
    }
  }

  private void addOwn(Resource rsc) {
    addAll(rsc.actions());
    rsc.children().forEach(this::addResource);
  }

  private void addAll(List<Action> actions) {
    for (var at = actions.size() - 1; at >= 0; at--) {
      add(actions.get(at));
    }
  }

  private void add(Action action) {
    if (!action.is(ActionFlag.INPUTS_DEDUPLICATED)) {
      deduplicate(action);
      action.set(ActionFlag.INPUTS_DEDUPLICATED);
    }
    if (action.is(ActionFlag.ADDED_TO_GRAPH) || !GraphRules.includes(action)) {
      return;
    }
    action.set(ActionFlag.ADDED_TO_GRAPH);
    var ofResource = action.resource() == null ? 0 : action.resource().priority();
    var priority = Math.max(action.priority(), ofResource);
    var number = synapses.size();
    var whole = GraphAction.of(xml.whole(action));
    var inputs = new ArrayList<GraphAction>();
    for (var at = action.before().size() - 1; at >= 0; at--) {
      var input = action.before().get(at);
      if (GraphRules.includes(action, input)) {
        input.setGraphed(true);
        inputs.add(GraphAction.of(xml.mention(input.action())));
      }
    }
    synapses.add(new Synapse(number, priority, List.of(whole), inputs));
  }

  // By number, the lowest last, as lists of relations are looked at from their end.
  private static void deduplicate(Action action) {
    var inputs = new ArrayList<>(action.before().reversed());
    inputs.sort(Comparator.comparingInt(input -> input.action().id()));
    var kept = new ArrayList<RelatedAction>();
    for (var input : inputs) {
      var last = kept.isEmpty() ? null : kept.getLast();
      if (last != null && last.action().id() == input.action().id()) {
        last.setRelations(last.relations().with(input.relations()));
        last.setGraphed(last.graphed() | (input.graphed()));
      } else {
        input.setGraphed(false);
        kept.add(input);
      }
    }
    action.before().clear();
    action.before().addAll(kept.reversed());
  }
}
