package org.systole.common.transition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.Task;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.ResourceId;
import org.systole.common.values.Score;

/// How far a transition graph has been carried out. Knows neither clock nor cluster: it says what
/// is due, and is told what came of it.
///
/// A synapse fires once all its inputs are confirmed. The input from a failed action counts only
/// for synapses of priority INFINITY. After an abort only synapses of at least its priority fire;
/// what runs is waited for. A live migration that has begun is carried to its end all the same: the plan that asked
/// for it has the parameters with which it began, the next one may have others. So is the move of a connection to a remote node from one
/// member to another: where the other one is to leave as well by then, the next plan would find nobody to connect to the node, and have it
/// fenced for what it runs, though it is well.
public final class GraphRun {
  /// Where the whole run is.
  public enum Progress {
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

  /// Whether an action may run now.
  public enum Verdict {
    YES,
    NO,
    /// Neither it nor another one of its kind on its executor, until what runs has ended: what finds out
    /// about remote nodes is of one kind, and all else is.
    EXECUTOR_FULL
  }

  private final TransitionGraph graph;
  private final List<SynapseState> synapses = new ArrayList<>();
  private final Map<Integer, Stage> stages = new HashMap<>();
  private final Map<Integer, GraphAction> actions = new HashMap<>();
  private final Map<Integer, SynapseState> owners = new HashMap<>();
  private final Map<Integer, List<SynapseState>> waiting = new HashMap<>();
  private final Map<Integer, GraphAction> underWay = new LinkedHashMap<>();

  /// Those whose inputs are all confirmed and that have not fired, in their order, by the member
  /// that does them. Behind a member that is full there may be thousands, which nobody needs to look at.
  private final TreeMap<String, TreeMap<Integer, SynapseState>> ready = new TreeMap<>();

  /// Those of them that fence.
  private final TreeMap<Integer, SynapseState> readyToFence = new TreeMap<>();

  /// Probes that have not ended, by what they look for.
  private final Map<ResourceId, Integer> probes = new HashMap<>();

  /// The same by the node that is asked.
  private final Map<CibNodeId, Integer> probesOn = new HashMap<>();

  /// What brings a resource away from where it is. Of hundreds of connections each may be asked for in each round.
  private final Map<ResourceId, List<GraphAction>> leaving = new HashMap<>();

  private final List<SynapseState> fencing = new ArrayList<>(); // that has nodes brought down
  private final LeftOut before;
  private final Map<String, Integer> fullAt = new HashMap<>(); // the last round in which a lane had no room
  private int allFullAt = -1;
  private int rounds; // of beginning what is due
  private int firedCount;
  private int failedCount;
  private int doneCount;
  private int pendingCount;
  private int abortPriority;
  private boolean brokenOff;
  private int skipped;

  public GraphRun(TransitionGraph graph) {
    this(graph, LeftOut.NOTHING);
  }

  private GraphRun(TransitionGraph graph, LeftOut before) {
    this.graph = graph;
    this.before = before;
    for (var synapse : graph.synapses()) {
      var place = synapses.size() - before.times(synapse) * graph.synapses().size();
      var state = new SynapseState(place, synapse);
      synapses.add(state);
      for (var action : synapse.actions()) {
        actions.put(action.id(), action);
        owners.put(action.id(), state);
        stages.put(action.id(), Stage.WAITING);
        countProbe(action, 1);
        var resource = action.resource();
        if (resource != null && (action.is(Task.MIGRATE_TO) || action.is(Task.STOP))) {
          leaving.computeIfAbsent(resource, _ -> new ArrayList<>()).add(action);
        }
        if (action.isFencing() && !Task.ON.text().equals(action.meta("stonith_action"))) {
          fencing.add(state);
        }
      }
      for (var input : synapse.inputIds()) {
        waiting.computeIfAbsent(input, _ -> new ArrayList<>()).add(state);
      }
      if (state.missing.isEmpty()) {
        becameReady(state);
      }
    }
  }

  /// The run of the plan that takes the place of this one's, see [LeftOut].
  public GraphRun next(TransitionGraph graph) {
    var needed = new HashSet<ResourceId>();
    var noRoom = new HashSet<ResourceId>();
    var begun = new HashSet<ResourceId>();
    for (var state : synapses) {
      for (var action : state.synapse.actions()) {
        var resource = action.isPseudo() ? null : action.resource();
        if (resource != null) {
          (state.fired ? begun : foundNoRoom(state) ? noRoom : needed).add(resource);
        }
      }
    }
    needed.addAll(noRoom);
    return new GraphRun(graph, before.after(needed, noRoom, begun));
  }

  private boolean foundNoRoom(SynapseState state) {
    return state.missing.isEmpty()
        && !state.failed
        && state.readySince <= Math.max(allFullAt, fullAt.getOrDefault(state.lane, -1));
  }

  private void countProbe(GraphAction action, int more) {
    if (!action.isProbe()) {
      return;
    }
    var resource = action.resource();
    if (resource != null) {
      probes.merge(resource, more, Integer::sum);
    }
    var node = action.nodeId();
    if (node != null) {
      probesOn.merge(node, more, Integer::sum);
    }
  }

  public TransitionGraph graph() {
    return graph;
  }

  /// The actions that are due now, marked as running; pseudo actions are confirmed on the way and
  /// returned too, in the order they fell due.
  ///
  /// @param batchLimit how many may run at the same time; 0 or less for no limit. Fencing does not
  ///     wait for others to end: on a busy cluster what ran on a lost node would be down the longer
  /// @param allowed whether an action may run now, as far as its node is concerned; asked for each
  ///     in turn, so that it can count
  public List<GraphAction> take(int batchLimit, Function<GraphAction, Verdict> allowed) {
    var taken = new ArrayList<GraphAction>();
    fire(batchLimit, allowed, taken::add);
    return taken;
  }

  /// Begins the actions that are due now. Whoever begins one may end it at once; what becomes due
  /// by that is begun too.
  ///
  /// @param batchLimit as for [#take]
  /// @param allowed as for [#take]
  /// @param begin told of each action as it is marked as running; may call [#confirm], [#refuse]
  ///     and [#abort]
  public void fire(
      int batchLimit, Function<GraphAction, Verdict> allowed, Consumer<GraphAction> begin) {
    rounds++;
    var closed = new HashSet<String>(); // lanes of members that are full
    boolean more;
    do {
      more = false;
      var full = false;
      skipped = 0;
      // what ends at once makes others ready on the way
      for (var at = next(Integer.MIN_VALUE, closed); at != null; at = next(at.place, closed)) {
        if (batchLimit > 0 && pendingCount >= batchLimit) {
          full = true;
          allFullAt = aborted() ? allFullAt : rounds;
          break;
        }
        var verdict = verdict(at, allowed);
        if (verdict == Verdict.YES) {
          more = true;
          fire(at, begin);
        } else if (verdict == Verdict.EXECUTOR_FULL && !at.lane.isEmpty()) {
          closed.add(at.lane);
          fullAt.put(at.lane, rounds);
        }
      }
      // only then, for the order of what fits is the graph's
      for (var state : full ? List.copyOf(readyToFence.values()) : List.<SynapseState>of()) {
        if (!state.fired && !state.failed && verdict(state, allowed) == Verdict.YES) {
          more = true;
          fire(state, begin);
        }
      }
    } while (more);
  }

  /// The first that is ready behind a place, null if there is none.
  private @Nullable SynapseState next(int place, Set<String> closed) {
    SynapseState first = null;
    for (var lane : ready.entrySet()) {
      if (closed.contains(lane.getKey())) {
        continue;
      }
      var found = lane.getValue().higherEntry(place);
      if (found != null && (first == null || found.getKey() < first.place)) {
        first = found.getValue();
      }
    }
    return first;
  }

  private void becameReady(SynapseState state) {
    state.readySince = rounds;
    ready.computeIfAbsent(state.lane, _ -> new TreeMap<>()).put(state.place, state);
    if (state.synapse.actions().stream().anyMatch(GraphAction::isFencing)) {
      readyToFence.put(state.place, state);
    }
  }

  /// Whether there is more to find out about remote nodes, but for the limits.
  public boolean canFindOut() {
    return ready.entrySet().stream()
        .anyMatch(it -> it.getKey().endsWith(SynapseState.FINDS_OUT) && !it.getValue().isEmpty());
  }

  private void notReady(SynapseState state) {
    var lane = ready.get(state.lane);
    if (lane != null) {
      lane.remove(state.place);
    }
    readyToFence.remove(state.place);
  }

  private Verdict verdict(SynapseState state, Function<GraphAction, Verdict> allowed) {
    for (var action : state.synapse.actions()) {
      if (action.isPseudo()) {
        continue;
      }
      if (state.synapse.priority() < abortPriority && !endsMove(action)) {
        skipped++;
        return Verdict.NO;
      }
      var verdict = allowed.apply(action);
      if (verdict != Verdict.YES) {
        return verdict;
      }
    }
    return Verdict.YES;
  }

  private boolean endsMove(GraphAction action) {
    var first = action.is(Task.MIGRATE_FROM) ? Task.MIGRATE_TO : action.connects() ? Task.STOP : null;
    var resource = first == null || brokenOff ? null : action.resource();
    return resource != null
        && leaving.getOrDefault(resource, List.of()).stream()
            .anyMatch(it -> it.is(first) && stage(it.id()) == Stage.CONFIRMED);
  }

  private void fire(SynapseState state, Consumer<GraphAction> begin) {
    state.fired = true;
    notReady(state);
    firedCount++;
    pendingCount++;
    if (state.open == 0) {
      pendingCount--;
      doneCount++;
    }
    for (var action : state.synapse.actions()) {
      var ended = stage(action.id()) != Stage.WAITING;
      if (!ended) {
        stages.put(action.id(), Stage.RUNNING);
        underWay.put(action.id(), action);
      }
      begin.accept(action);
      if (!ended && action.isPseudo()) {
        confirm(action.id(), true);
      }
      if (state.failed) {
        return;
      }
    }
  }

  /// Takes note of an action's end.
  ///
  /// @return whether this is news; an end is told once
  public boolean confirm(int id, boolean succeeded) {
    var stage = stages.get(id);
    if (stage == null || stage == Stage.CONFIRMED || stage == Stage.FAILED) {
      return false;
    }
    stages.put(id, succeeded ? Stage.CONFIRMED : Stage.FAILED);
    underWay.remove(id);
    var ended = actions.get(id);
    if (ended != null) {
      countProbe(ended, -1);
    }
    closed(owners.get(id));
    for (var state : waiting.getOrDefault(id, List.of())) {
      if (!state.fired && (succeeded || state.synapse.priority() >= Score.INFINITY)) {
        state.missing.remove(id);
        if (state.missing.isEmpty() && !state.failed) {
          becameReady(state);
        }
      }
    }
    return true;
  }

  private void closed(@Nullable SynapseState owner) {
    if (owner == null || --owner.open > 0 || !owner.fired) {
      return;
    }
    doneCount++;
    if (!owner.failed) {
      pendingCount--;
    }
  }

  /// An action could not even be begun: what waits for it will not be done, nor the rest of its
  /// synapse.
  public void refuse(int id) {
    var owner = owners.get(id);
    if (owner != null) {
      stages.put(id, Stage.FAILED);
      underWay.remove(id);
      markFailed(owner);
    }
  }

  private void markFailed(SynapseState state) {
    if (state.failed) {
      return;
    }
    state.failed = true;
    notReady(state);
    if (!state.fired) {
      failedCount++;
    } else if (state.open > 0) {
      pendingCount--;
    }
  }

  /// Gives up what a node that is gone was to do, running or not. Fencing is not done by its
  /// target.
  ///
  /// @param lost whether an action is one the node will not do any more
  /// @return those given up
  public List<GraphAction> giveUp(Predicate<GraphAction> lost) {
    var given = new ArrayList<GraphAction>();
    for (var state : synapses) {
      for (var action : state.synapse.actions()) {
        var open = stage(action.id()) == Stage.WAITING || stage(action.id()) == Stage.RUNNING;
        if (open && !action.isPseudo() && !action.isFencing() && lost.test(action)) {
          markFailed(state);
          given.add(action);
          confirm(action.id(), false);
        }
      }
    }
    return given;
  }

  /// From now on only synapses of at least this priority fire. Aborts do not lower each other.
  public void abort(int priority) {
    abortPriority = Math.max(abortPriority, priority);
  }

  /// From now on moves are not carried to their end after an abort either.
  public void breakOff() {
    brokenOff = true;
  }

  public boolean aborted() {
    return abortPriority > 0;
  }

  public int abortPriority() {
    return abortPriority;
  }

  /// How many synapses have been fired and wait for results.
  public int pending() {
    return pendingCount;
  }

  /// To be asked after [#take] with a limit that could let something pass.
  public Progress progress() {
    if (pendingCount > 0) {
      return Progress.ACTIVE;
    }
    var open = synapses.size() - firedCount - failedCount;
    return open > 0 && !aborted() ? Progress.STUCK : Progress.COMPLETE;
  }

  public int skipped() {
    return skipped;
  }

  public int total() {
    return synapses.size();
  }

  public int done() {
    return doneCount;
  }

  public @Nullable GraphAction action(int id) {
    return actions.get(id);
  }

  public boolean isRunning(int id) {
    return stages.get(id) == Stage.RUNNING;
  }

  public boolean isOver(int id) {
    var stage = stages.get(id);
    return stage == Stage.CONFIRMED || stage == Stage.FAILED;
  }

  /// The actions under way, in the order they were begun.
  public List<GraphAction> running() {
    return List.copyOf(underWay.values());
  }

  /// The nodes' fencing that goes on, or waits for nothing but other fencing.
  public List<GraphAction> fencing() {
    return fencing.stream()
        .filter(it -> !it.failed && it.missing.stream().map(actions::get).allMatch(first -> first != null && first.isFencing()))
        .flatMap(it -> it.synapse.actions().stream())
        .filter(it -> it.isFencing() && !isOver(it.id()))
        .toList();
  }

  /// The priority of the synapse an action is part of.
  public int priority(int id) {
    var owner = owners.get(id);
    return owner == null ? 0 : owner.synapse.priority();
  }

  /// Whether it is still being looked for somewhere: a node may have come back with it promoted.
  public boolean isProbing(ResourceId resource) {
    return probes.getOrDefault(resource, 0) > 0;
  }

  /// Whether a node has not told yet what runs there.
  public boolean isProbed(CibNodeId node) {
    return probesOn.getOrDefault(node, 0) > 0;
  }

  /// The first action begun, ended or not, for which `wanted` holds; null if there is none.
  public @Nullable GraphAction begun(Predicate<GraphAction> wanted) {
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
