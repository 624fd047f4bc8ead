package org.systole.controld;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// How far a transition graph has been carried out. Knows neither clock nor cluster: it says what is
/// due, and is told what came of it.
///
/// A synapse fires once all its inputs are confirmed. The input from a failed action counts only for
/// synapses of priority INFINITY. After an abort only synapses of at least its priority fire; what
/// runs is waited for.
final class TransitionRun {
  private static final int INFINITY = 1_000_000;

  /// Where the whole run is.
  enum Progress {
    /// Something runs, or could be fired but for the limits.
    ACTIVE,
    /// All was done, or what was left was called off.
    COMPLETE,
    /// The rest waits for what will not come.
    STUCK
  }

  /// Where one action is.
  private enum Stage {
    WAITING,
    RUNNING,
    CONFIRMED,
    FAILED
  }

  private static final class SynapseState {
    final Graph.Synapse synapse;
    final Set<Integer> missing;
    boolean fired;
    boolean failed;

    SynapseState(Graph.Synapse synapse) {
      this.synapse = synapse;
      this.missing = new HashSet<>(synapse.inputs());
    }
  }

  private final Graph graph;
  private final List<SynapseState> synapses = new ArrayList<>();
  private final Map<Integer, Stage> stages = new HashMap<>();
  private final Map<Integer, Graph.Action> actions = new HashMap<>();
  private int abortPriority;
  private int skipped;

  TransitionRun(Graph graph) {
    this.graph = graph;
    for (var synapse : graph.synapses()) {
      synapses.add(new SynapseState(synapse));
      for (var action : synapse.actions()) {
        actions.put(action.id(), action);
        stages.put(action.id(), Stage.WAITING);
      }
    }
  }

  Graph graph() {
    return graph;
  }

  /// The actions that are due now, marked as running; pseudo actions are confirmed on the way and
  /// returned too, in the order they fell due.
  ///
  /// @param batchLimit how many may run at the same time; 0 or less for no limit
  /// @param allowed whether an action may run now, as far as its node is concerned; asked for each in
  ///     turn, so that it can count
  List<Graph.Action> take(int batchLimit, Predicate<Graph.Action> allowed) {
    var taken = new ArrayList<Graph.Action>();
    boolean more;
    do {
      more = false;
      skipped = 0;
      for (var state : synapses) {
        if (batchLimit > 0 && pending() >= batchLimit) {
          break;
        }
        if (mayFire(state, allowed)) {
          more = true;
          fire(state, taken);
        }
      }
    } while (more);
    return taken;
  }

  private boolean mayFire(SynapseState state, Predicate<Graph.Action> allowed) {
    if (state.fired || state.failed || !state.missing.isEmpty()) {
      return false;
    }
    for (var action : state.synapse.actions()) {
      if (action.kind() == Graph.Kind.PSEUDO) {
        continue;
      }
      if (state.synapse.priority() < abortPriority) {
        skipped++;
        return false;
      }
      if (!allowed.test(action)) {
        return false;
      }
    }
    return true;
  }

  private void fire(SynapseState state, List<Graph.Action> taken) {
    state.fired = true;
    for (var action : state.synapse.actions()) {
      taken.add(action);
      if (stage(action.id()) != Stage.WAITING) {
        continue;
      }
      stages.put(action.id(), Stage.RUNNING);
      if (action.kind() == Graph.Kind.PSEUDO) {
        confirm(action.id(), true);
      }
    }
  }

  /// Takes note of an action's end.
  ///
  /// @return whether this is news; an end is told once
  boolean confirm(int id, boolean succeeded) {
    var stage = stages.get(id);
    if (stage == null || stage == Stage.CONFIRMED || stage == Stage.FAILED) {
      return false;
    }
    stages.put(id, succeeded ? Stage.CONFIRMED : Stage.FAILED);
    for (var state : synapses) {
      if (!state.fired && (succeeded || state.synapse.priority() >= INFINITY)) {
        state.missing.remove(id);
      }
    }
    return true;
  }

  /// Gives up what a node that is gone was to do, running or not. Fencing is not done by its target.
  ///
  /// @param lost whether an action is one the node will not do any more
  /// @return those given up
  List<Graph.Action> giveUp(Predicate<Graph.Action> lost) {
    var given = new ArrayList<Graph.Action>();
    for (var state : synapses) {
      for (var action : state.synapse.actions()) {
        var open = stage(action.id()) == Stage.WAITING || stage(action.id()) == Stage.RUNNING;
        if (open
            && action.kind() != Graph.Kind.PSEUDO
            && !action.isFencing()
            && lost.test(action)) {
          state.failed = true;
          given.add(action);
          confirm(action.id(), false);
        }
      }
    }
    return given;
  }

  /// From now on only synapses of at least this priority fire. Aborts do not lower each other.
  void abort(int priority) {
    abortPriority = Math.max(abortPriority, priority);
  }

  boolean aborted() {
    return abortPriority > 0;
  }

  int abortPriority() {
    return abortPriority;
  }

  /// How many synapses have been fired and wait for results.
  int pending() {
    var count = 0;
    for (var state : synapses) {
      if (state.fired && !state.failed && !isDone(state)) {
        count++;
      }
    }
    return count;
  }

  private boolean isDone(SynapseState state) {
    for (var action : state.synapse.actions()) {
      if (stage(action.id()) == Stage.RUNNING || stage(action.id()) == Stage.WAITING) {
        return false;
      }
    }
    return true;
  }

  /// To be asked after [#take] with a limit that could let something pass.
  Progress progress() {
    if (pending() > 0) {
      return Progress.ACTIVE;
    }
    var open = 0;
    for (var state : synapses) {
      if (!state.fired && !state.failed) {
        open++;
      }
    }
    if (open > 0 && !aborted()) {
      return Progress.STUCK;
    }
    return Progress.COMPLETE;
  }

  int skipped() {
    return skipped;
  }

  int total() {
    return synapses.size();
  }

  int done() {
    var count = 0;
    for (var state : synapses) {
      if (state.fired && isDone(state)) {
        count++;
      }
    }
    return count;
  }

  Graph.@Nullable Action action(int id) {
    return actions.get(id);
  }

  boolean isRunning(int id) {
    return stages.get(id) == Stage.RUNNING;
  }

  boolean isOver(int id) {
    var stage = stages.get(id);
    return stage == Stage.CONFIRMED || stage == Stage.FAILED;
  }

  /// The actions under way, in the graph's order.
  List<Graph.Action> running() {
    var running = new ArrayList<Graph.Action>();
    for (var synapse : graph.synapses()) {
      for (var action : synapse.actions()) {
        if (stage(action.id()) == Stage.RUNNING) {
          running.add(action);
        }
      }
    }
    return running;
  }

  /// The first action begun, ended or not, for which `wanted` holds; null if there is none.
  Graph.@Nullable Action begun(Predicate<Graph.Action> wanted) {
    for (var synapse : graph.synapses()) {
      for (var action : synapse.actions()) {
        if (stage(action.id()) != Stage.WAITING && wanted.test(action)) {
          return action;
        }
      }
    }
    return null;
  }

  private Stage stage(int id) {
    return stages.getOrDefault(id, Stage.WAITING);
  }
}
