package org.systole.scheduler.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.scheduler.graph.GraphAction;
import org.systole.scheduler.graph.Synapse;
import org.systole.scheduler.graph.TransitionGraph;

/// Executes a graph with actions that are done at once, in the order in which they become possible.
final class GraphRun {
  /// Executes one action.
  @FunctionalInterface
  interface Executor {
    Outcome execute(GraphAction action);
  }

  enum Outcome {
    DONE,
    /// Done, and what depends on it is not to be done.
    FAILED,
    /// It could not even be tried.
    REFUSED
  }

  /// How a run ended.
  enum End {
    COMPLETE("complete"),
    /// Something was left undone without a reason.
    TERMINATED("terminated"),
    /// Something was left waiting.
    PENDING("pending");

    private final String text;

    End(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private static final class Step {
    final Synapse synapse;

    /// Ids of the inputs that are not done.
    final Set<Integer> waiting = new HashSet<>();

    boolean executed;
    boolean confirmed;

    Step(Synapse synapse) {
      this.synapse = synapse;
      synapse.inputs().forEach(input -> waiting.add(input.id()));
    }

    boolean isPseudo() {
      return synapse.actions().stream()
          .allMatch(action -> action.kind() == GraphAction.Kind.PSEUDO);
    }
  }

  private final List<Step> steps = new ArrayList<>();

  /// The steps that wait for an action, by its id.
  private final Map<Integer, List<Step>> waiters = new HashMap<>();

  private final Executor executor;
  private final int limit;
  private int abortPriority;
  private int pending;

  GraphRun(TransitionGraph graph, Executor executor) {
    for (var synapse : graph.synapses()) {
      var step = new Step(synapse);
      steps.add(step);
      step.waiting.forEach(id -> waiters.computeIfAbsent(id, it -> new ArrayList<>()).add(step));
    }
    this.executor = executor;
    this.limit = Numbers.parseInt(graph.option("batch-limit"), 0);
  }

  End run() {
    while (true) {
      var fired = 0;
      var skipped = 0;
      var incomplete = 0;
      pending = 0;
      for (var step : steps) {
        if (limit > 0 && pending >= limit) {
          break;
        }
        if (step.executed) {
          pending += step.confirmed ? 0 : 1;
        } else if (!step.waiting.isEmpty()) {
          incomplete++;
        } else if (!step.isPseudo() && step.synapse.priority() < abortPriority) {
          skipped++;
          incomplete++;
        } else {
          fired++;
          fire(step);
        }
      }
      if (fired == 0) {
        if (pending > 0) {
          return End.PENDING;
        }
        var bad = incomplete > 0 && abortPriority <= 0;
        return bad ? End.TERMINATED : End.COMPLETE;
      }
    }
  }

  private void fire(Step step) {
    step.executed = true;
    for (var action : step.synapse.actions()) {
      switch (executor.execute(action)) {
        case DONE -> confirm(action.id(), false);
        case FAILED -> {
          abortPriority = Score.INFINITY;
          confirm(action.id(), true);
        }
        case REFUSED -> {
          abortPriority = Score.INFINITY;
          step.confirmed = true;
          return;
        }
      }
    }
    step.confirmed = true;
  }

  private void confirm(int id, boolean failed) {
    for (var step : waiters.getOrDefault(id, List.of())) {
      if (!step.executed && (!failed || step.synapse.priority() == Score.INFINITY)) {
        step.waiting.remove(id);
      }
    }
  }
}
