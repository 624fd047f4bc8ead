package org.systole.scheduler.sim;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.WorkingSet;

/// Executes a transition as if everything went as planned, but for failures that are asked for.
final class SimulatedTransition {
  private enum Outcome {
    DONE,
    /// Done, and what depends on it is not to be done.
    FAILED,
    /// It could not even be tried.
    REFUSED
  }

  private static final Pattern CODE = Pattern.compile("[^=]+=\\s*([+-]?\\d+)");

  private final Output out;
  private final WorkingSet cluster;
  private final TransitionGraph graph;
  private final GraphRun graphRun;
  private final SimulatedCib cib;
  private final List<String> failures;
  private final long now;

  SimulatedTransition(
      Output out,
      WorkingSet cluster,
      TransitionGraph graph,
      SimulatedCib cib,
      List<String> failures,
      long now) {
    this.out = out;
    this.cluster = cluster;
    this.graph = graph;
    this.graphRun = new GraphRun(graph);
    this.cib = cib;
    this.failures = failures;
    this.now = now;
  }

  /// @return whether the transition could be executed to its end
  boolean run() {
    if (!out.isQuiet()) {
      out.begin("Executing Cluster Transition");
    }
    graphRun.fire(graph.batchLimit(), _ -> GraphRun.Verdict.YES, this::begin);
    var end = graphRun.progress();
    if (end != GraphRun.Progress.COMPLETE) {
      out.error(
          "Transition failed: " + (end == GraphRun.Progress.STUCK ? "terminated" : "pending"));
      out.error("An invalid transition was produced");
    }
    if (!out.isQuiet()) {
      out.end();
    }
    return end == GraphRun.Progress.COMPLETE;
  }

  /// Executes an action, which ends at once. After a failure only the rest of what the failed ones
  /// belong to is done, as in a cluster.
  private void begin(GraphAction action) {
    var outcome =
        switch (action.kind()) {
          case PSEUDO -> pseudo(action);
          case CLUSTER -> action.isFencing() ? fence(action) : cluster(action);
          case RESOURCE -> resource(action);
        };
    switch (outcome) {
      case DONE -> graphRun.confirm(action.id(), true);
      case FAILED -> {
        graphRun.abort(Score.INFINITY);
        graphRun.confirm(action.id(), false);
      }
      case REFUSED -> {
        graphRun.abort(Score.INFINITY);
        graphRun.refuse(action.id());
      }
    }
  }

  private Outcome pseudo(GraphAction action) {
    var node = action.node();
    if (!out.isQuiet()) {
      switch (out) {
        case TextOutput text ->
            text.item("Pseudo action:   " + action.key() + (node == null ? "" : " on " + node));
        case XmlOutput xml -> xml.add("pseudo_action", "task", action.key()).attr("node", node == null ? null : node.text());
      }
    }
    return Outcome.DONE;
  }

  private Outcome cluster(GraphAction action) {
    var rsc = action.primitive();
    var node = action.node();
    if (!out.isQuiet()) {
      switch (out) {
        case TextOutput text ->
            text.item(
                "Cluster action:  "
                    + action.operation()
                    + (rsc == null ? "" : " for " + rsc.id())
                    + " on "
                    + node);
        case XmlOutput xml ->
            xml.add("cluster_action", "task", action.operation())
                .attr("node", node == null ? null : node.text())
                .attr("id", rsc == null ? null : rsc.id());
      }
    }
    return Outcome.DONE;
  }

  private Outcome fence(GraphAction action) {
    var operation = action.meta("stonith_action");
    var target = action.node();
    if (target == null) {
      return Outcome.REFUSED;
    }
    if (!out.isQuiet()) {
      switch (out) {
        case TextOutput text -> text.item("Fencing " + target + " (" + operation + ")");
        case XmlOutput xml -> xml.add("fencing_action", "target", target.text()).attr("op", operation);
      }
    }
    if (!"on".equalsIgnoreCase(operation)) {
      cib.setMember(target.text(), false);
      cib.clearNode(target.text());
    }
    return Outcome.DONE;
  }

  private Outcome resource(GraphAction action) {
    var task = action.operation();
    if (task.equals("probe_complete") || task.equals("reprobe")) {
      return Outcome.DONE;
    }
    var rsc = action.primitive();
    var request = action.request("");
    var configured = action.resource();
    var node = action.node();
    if (rsc == null || request == null || configured == null || node == null) {
      return Outcome.REFUSED;
    }
    var name = name(rsc, configured);
    if (action.is(Task.DELETE) || action.is(Task.META_DATA)) {
      show(name, task, node, 0);
      return Outcome.DONE;
    }
    var agent =
        new NodeHistory.Agent(configured.text(), rsc.get("class"), rsc.get("provider"), rsc.get("type"));
    var id = action.isRouted() ? CibNodeId.ofRemote(node) : action.nodeId();
    if (!canRecord(node, id, name, agent)) {
      return Outcome.REFUSED;
    }
    show(name, task, node, action.intervalMillis());
    var expected = action.expectedRc();
    var failure = failure(action, name, configured, task, node);
    var code = failure == null ? expected : failure.code();
    var result =
        new HistoryEntries.Result(request, true, code, expected, "User-injected result", node, now);
    cib.changeNode(node.text(), text(id), state -> change(state, name, agent, result, failure));
    return failure == null ? Outcome.DONE : Outcome.FAILED;
  }

  private static @Nullable String text(@Nullable CibNodeId id) {
    return id == null ? null : id.text();
  }

  private boolean canRecord(
      NodeName node, @Nullable CibNodeId id, ResourceId name, NodeHistory.Agent agent) {
    var fit = new AtomicBoolean();
    cib.changeNode(
        node.text(),
        text(id),
        state -> {
          fit.set(NodeHistory.isFit(out, state, name.text(), agent));
          return state;
        });
    return fit.get();
  }

  /// The id by which the resource is known here: that of the instance where the action names one.
  private ResourceId name(Element rsc, ResourceId configured) {
    var instance = ResourceId.of(rsc.get("long-id"));
    return cluster.resource(configured.text()) == null
            && instance != null
            && cluster.resource(instance.text()) != null
        ? instance
        : configured;
  }

  private void show(ResourceId name, String task, NodeName node, long intervalMs) {
    if (out.isQuiet()) {
      return;
    }
    switch (out) {
      case TextOutput text ->
          text.item(
              String.format(
                  Locale.ROOT,
                  "Resource action: %-15s %s%s on %s",
                  name,
                  task,
                  intervalMs == 0 ? "" : "=" + intervalMs,
                  node));
      case XmlOutput xml -> {
        var item =
            xml.add("rsc_action", "resource", name.text(), "op", task, "node", node.text());
        if (intervalMs != 0) {
          item.attr("interval", intervalMs);
        }
      }
    }
  }

  /// A failure that was asked for.
  ///
  /// @param resource the id it was asked for by
  private record Failure(ResourceId resource, int code) {}

  private @Nullable Failure failure(
      GraphAction action, ResourceId name, ResourceId configured, String task, NodeName node) {
    for (var spec : failures) {
      ResourceId matched = null;
      for (var id : List.of(name, configured)) {
        var key = OperationKey.text(id.text(), task, action.intervalMillis()) + "@" + node + "=";
        if (matched == null && spec.regionMatches(true, 0, key, 0, key.length())) {
          matched = id;
        }
      }
      if (matched == null) {
        continue;
      }
      var code = CODE.matcher(spec);
      if (!code.lookingAt()) {
        out.error("Invalid failed operation '" + spec + "' (result code must be integer)");
        continue;
      }
      var value = Numbers.parseInt(code.group(1), 0);
      out.info("Pretending action " + action.id() + " failed with rc=" + value);
      return new Failure(matched, value);
    }
    return null;
  }

  private Element change(
      Element state,
      ResourceId name,
      NodeHistory.Agent agent,
      HistoryEntries.Result result,
      @Nullable Failure failure) {
    var counted = state;
    if (failure != null) {
      var infinite =
          switch (result.request().task()) {
            case START -> isInfinite(graph.failedStart());
            case STOP -> isInfinite(graph.failedStop());
            case null, default -> false;
          };
      counted =
          FailCounter.count(
              out,
              state,
              failure.resource(),
              result.request().operation().text(),
              result.request().intervalMillis(),
              failure.code(),
              infinite,
              now);
    }
    var changed =
        NodeHistory.change(
            out, counted, name.text(), agent, history -> HistoryEntries.add(history, result));
    return changed == null ? counted : changed;
  }

  private static boolean isInfinite(@Nullable String offset) {
    return offset == null || Score.parse(offset, 0) >= Score.INFINITY;
  }
}
