package org.systole.controld.transition;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.transition.GraphRun.Verdict;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Score;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// Carries out transition graphs: starts what is due, matches results to actions, and stops early
/// when something happens that the plan did not foresee.
///
/// One transition at a time. An abort lets running actions finish; the next plan is requested after that.
public final class TransitionEngine {
  public static final int INFINITY = Score.INFINITY;

  /// What follows when nothing runs any more. Of several requested, the one listed last here counts.
  public enum Completion {
    DONE,
    /// Do not plan again: the result would be the same.
    WAIT,
    /// Ask the scheduler again.
    RESTART,
    /// This node is to leave.
    SHUTDOWN
  }

  /// What the engine needs of the controller.
  interface Host extends Results.Elsewhere {
    State state();

    void offer(Input input);

    /// Nothing runs any more, and the state machine is not waiting for it.
    void quiet();

    int batchLimit(int configured);

    int jobLimit(NodeName node);

    boolean isLocal(NodeName node);

    /// Starts an action; its end comes through [TransitionEngine#ended] or the CIB.
    void start(GraphAction action, TransitionKey key);

    /// A point of the plan is reached that may say something of remote nodes.
    void note(GraphAction pseudo);

    /// Why an action must not be begun though it is planned, null if it may. It holds for the whole transition, or until a fencing ends.
    @Nullable String objection(GraphAction action, GraphRun run);

    /// Whether an action is carried out by a member.
    boolean isDoneBy(GraphAction action, NodeName member);

    /// Counts a failure.
    ///
    /// @param value the new failcount, `value++` or INFINITY; null to note only the time
    void countFailure(CibNodeId node, OperationKey operation, @Nullable String value);
  }

  private final World world;
  private final Host host;
  private final Map<Integer, World.Timer> timers = new HashMap<>();
  /// Actions that are not begun, though they may be due.
  private final Set<Integer> heldBack = new HashSet<>();

  private final TransitionNames names;
  private final Results results;
  private final NodeJobs jobs;
  private final Replanning replanning;
  private final Connecting connecting;
  private GraphRun run = new GraphRun(TransitionGraph.EMPTY);
  private Completion completion = Completion.DONE;
  private String reason = "";
  private String inputFile = "";
  private boolean over = true;
  private boolean failed; // an action of this transition
  private long begun;
  private boolean pumping;
  private boolean pumpComing;

  public TransitionEngine(World world, Host host) {
    this.world = world;
    this.host = host;
    this.names = new TransitionNames(world);
    this.results = new Results(names, new Underway(), host::countFailure, host);
    this.replanning = new Replanning(world, host::offer);
    this.jobs = new NodeJobs(host::jobLimit);
    this.connecting = new Connecting(world, why -> abort(Score.INFINITY, Completion.RESTART, why));
  }

  /// A new term as DC: results of earlier ones are foreign from now on.
  public void newTerm() {
    drop();
    names.newTerm();
    results.newTerm();
  }

  /// @param duration how long to wait after an abort before the scheduler is asked again
  public void transitionDelay(Duration duration) {
    replanning.delay(duration);
  }

  public boolean busy() {
    return !over;
  }

  public TransitionNames names() {
    return names;
  }

  public TransitionGraph graph() {
    return run.graph();
  }

  /// The actions under way, for display.
  public List<String> running() {
    return run.running().stream().filter(it -> !it.isPseudo()).map(TransitionEngine::shown).toList();
  }

  /// How far the transition is, for display.
  public CtlMessage.Transition progress() {
    return new CtlMessage.Transition(names.number(), run.done(), run.total());
  }

  private static String shown(GraphAction action) {
    var node = action.node();
    return node == null ? action.key() : action.key() + " on " + node;
  }

  /// @param inputFile the file with the plan's input, for the log; may be empty
  public void begin(TransitionGraph graph, String inputFile) {
    drop();
    run = run.next(graph);
    heldBack.clear();
    names.begin();
    begun = world.nanoTime();
    failed = false;
    over = false;
    completion = Completion.DONE;
    reason = "";
    this.inputFile = inputFile;
    names.log().info("Transition %d begins: %d synapses".formatted(names.number(), run.total()));
    pump();
  }

  /// Forgets the transition; results still to come count as late.
  public void drop() {
    timers.values().forEach(World.Timer::cancel);
    timers.clear();
    connecting.stop();
    over = true;
    replanning.cancel();
  }

  private void launchWhatIsDue(Function<GraphAction, Verdict> allowed) {
    List<GraphAction> due;
    do {
      var configured = run.graph().batchLimit();
      due = run.take(jobs.batchLimit(configured, host.batchLimit(configured)), allowed);
      due.forEach(this::launch);
    } while (due.stream().anyMatch(NodeJobs::leavesRoom));
  }

  /// Starts whatever is due and allowed now.
  public void pump() {
    if (over || pumping) {
      return;
    }
    pumping = true;
    jobs.count(run);
    launchWhatIsDue(this::allowed);
    if (run.pending() == 0 && !run.aborted()) {
      // nothing runs, so promotions and shutdowns do not wait for probes that cannot run yet
      launchWhatIsDue(this::possible);
    }
    pumping = false;
    if (pumpComing) {
      return; // actions that are over at once may have made others due
    }
    if (connecting.ends(run)) {
      return; // another plan is asked for
    }
    switch (run.progress()) {
      case ACTIVE -> {}
      case COMPLETE -> {
        if (run.aborted() || run.done() == run.total()) {
          finish(run.skipped() > 0 ? "stopped" : "complete");
        }
      }
      case STUCK -> {
        if (timers.isEmpty()) {
          finish(
              heldBack.isEmpty()
                  ? "terminated: the rest waits for what failed"
                  : "terminated: the rest is held back");
        }
      }
    }
  }

  private void launch(GraphAction action) {
    if (action.isPseudo()) {
      host.note(action);
      return;
    }
    var executor = action.executor();
    if (action.is(Task.SHUTDOWN) && executor != null && host.isLocal(executor)) {
      // everything else first
      completion = Completion.SHUTDOWN;
      reason = "local shutdown";
      run.confirm(action.id(), true);
      again();
      return;
    }
    var key = key(action);
    var objection = action.is(Task.MIGRATE_TO) ? host.objection(action, run) : null;
    if (objection != null) {
      refuse(action, key, objection);
      return;
    }
    names.log().info("Initiating " + action);
    host.start(action, key);
    if (action.noWait()) {
      run.confirm(action.id(), true);
      again();
      return;
    }
    if (!action.isFencing()) {
      var clusterDelay = run.graph().clusterDelay();
      var timeout = action.timeout().isZero() ? clusterDelay : action.timeout();
      timers.put(action.id(), world.after(timeout.plus(clusterDelay), () -> timedOut(action, key)));
    }
  }

  /// Refuses a migration and records it as failed: the resource has to leave its node, and after a failed migration the
  /// scheduler has it stopped.
  private void refuse(GraphAction action, TransitionKey key, String why) {
    names.log().warning("Not doing %s: %s".formatted(action, why));
    host.recordFailure(action, key, ExecStatus.ERROR, why);
    run.confirm(action.id(), false);
    abort(INFINITY, Completion.RESTART, "Migration refused");
  }

  private void again() {
    pumpComing = true;
    world.post(
        () -> {
          pumpComing = false;
          pump();
        });
  }

  private TransitionKey key(GraphAction action) {
    return names.key(action.id(), action.expectedRc());
  }

  /// An action is over, as reported by what carried it out.
  public void ended(int number, int id, boolean succeeded) {
    if (number != names.number() || over) {
      return;
    }
    stopTimer(id);
    failed |= !succeeded;
    if (run.confirm(id, succeeded)) {
      pump();
    }
  }

  private void timedOut(GraphAction action, TransitionKey key) {
    timers.remove(action.id());
    if (!run.isRunning(action.id())) {
      return;
    }
    var executor = action.executor();
    var why =
        "No result of %s%s in time"
            .formatted(action.key(), executor == null ? "" : " from " + executor);
    names.log().error(why);
    if (action.kind() == GraphAction.Kind.RESOURCE
        && !action.is(Task.CANCEL)
        && !action.is(Task.DELETE)
        && !action.is(Task.NOTIFY)) {
      host.recordFailure(action, key, ExecStatus.TIMEOUT, why);
    }
    run.confirm(action.id(), false);
    abort(INFINITY, Completion.RESTART, "Action lost");
  }

  private void stopTimer(int id) {
    var timer = timers.remove(id);
    if (timer != null) {
      timer.cancel();
    }
  }

  /// Aborts the transition: something happened that the plan did not foresee.
  public void abort(int priority, Completion then, String why) {
    connecting.stop();
    if (!over) {
      if (!run.aborted()) {
        names.log().notice("Transition %d aborted: %s".formatted(names.number(), why));
      }
      run.abort(priority);
      if (then != Completion.RESTART) {
        run.breakOff();
      }
      if (then.compareTo(completion) > 0) {
        completion = then;
        reason = why;
      }
      again();
      if (host.state() != State.POLICY_ENGINE) {
        return;
      }
    }
    if (then == Completion.RESTART) {
      switch (host.state()) {
        case IDLE, POLICY_ENGINE, TRANSITION_ENGINE -> replanning.ask(why);
        case STARTING,
            PENDING,
            ELECTION,
            NOT_DC,
            INTEGRATION,
            FINALIZE_JOIN,
            RELEASE_DC,
            RECOVERY,
            STOPPING,
            TERMINATE -> {}
      }
    }
  }

  /// Aborts the transition, and what it has begun to migrate is not ended either: another side may have the word now.
  public void breakOff(String why) {
    run.breakOff();
    abort(INFINITY, Completion.RESTART, why);
  }

  private void finish(String how) {
    over = true;
    timers.values().forEach(World.Timer::cancel);
    timers.clear();
    var plan = inputFile.isEmpty() ? "" : " of the plan from " + inputFile;
    var why = reason.isEmpty() ? "" : ": " + reason;
    names.log().notice("Transition %d %s (%d of %d synapses done)%s%s".formatted(names.number(), how, run.done(), run.total(), plan, why));
    if (host.state() != State.TRANSITION_ENGINE) {
      host.quiet();
      return;
    }
    switch (completion) {
      case DONE, WAIT -> {
        replanning.progress();
        host.offer(new Input.TransitionDone());
      }
      case RESTART -> {
        if (failed) {
          replanning.askAfterFailure(Duration.ofNanos(world.nanoTime() - begun), reason);
        } else {
          replanning.ask(reason);
        }
      }
      case SHUTDOWN -> host.offer(new Input.StopNow("the cluster lets this node go"));
    }
  }

  /// A node is gone: actions it had to carry out are given up.
  public void nodeLost(NodeId node, NodeName name) {
    if (over) {
      return;
    }
    var id = CibNodeId.of(node);
    Predicate<GraphAction> lost = it -> id.equals(it.nodeId()) || host.isDoneBy(it, name);
    run.breakOff();
    var given = run.giveUp(lost);
    for (var action : given) {
      stopTimer(action.id());
      names.log().info("Given up because %s is gone: %s".formatted(name, action));
    }
    if (!given.isEmpty()) {
      abort(INFINITY, Completion.RESTART, "Node failure");
    }
    results.lost(node);
  }

  /// See [Results#hurry].
  public void hurry() {
    results.hurry();
  }

  /// The action of this transition that was to bring a node down, null if there was none.
  public @Nullable GraphAction downing(CibNodeId node) {
    return names.number() == 0 ? null : run.begun(it -> it.downs(node));
  }

  /// A change of the CIB.
  public void changed(List<CibChange> changes) {
    results.changed(changes);
  }

  /// Matches a record of an operation, or a direct acknowledgement, to what was asked for.
  public void operation(CibNodeId node, HistoryEntry record) {
    results.operation(node, record);
  }

  /// The running transition as [Results] sees it.
  private final class Underway implements Results.Transition {
    @Override
    public GraphRun run() {
      return run;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public @Nullable GraphAction downing(CibNodeId node) {
      return TransitionEngine.this.downing(node);
    }

    @Override
    public boolean conclude(int action, boolean succeeded) {
      stopTimer(action);
      failed |= !succeeded;
      return run.confirm(action, succeeded);
    }

    @Override
    public void abort(int priority, String why) {
      TransitionEngine.this.abort(priority, Completion.RESTART, why);
    }

    @Override
    public void connected(String why) {
      if (over || run.aborted() || !connecting.begin(run, why)) {
        abort(Score.INFINITY, why);
      }
    }

    @Override
    public void goOn() {
      pump();
    }
  }

  private Verdict allowed(GraphAction action) {
    var node = action.nodeId();
    return switch (action.task()) {
      case PROMOTE -> {
        var resource = action.resource();
        yield resource == null || !run.isProbing(resource) ? possible(action) : Verdict.NO;
      }
      // a node that left before its probes have ended would leave resources running unnoticed
      case SHUTDOWN -> node == null || !run.isProbed(node) ? possible(action) : Verdict.NO;
      case null, default -> possible(action);
    };
  }

  private Verdict possible(GraphAction action) {
    if (connecting.isOn() && !action.findsOut() && !action.isFencing()) {
      return Verdict.EXECUTOR_FULL;
    }
    return isHeldBack(action) ? Verdict.NO : jobs.take(action);
  }

  /// An action that is held back does not fail: no failure is counted, and no plan is requested until something changes.
  private boolean isHeldBack(GraphAction action) {
    var why = action.is(Task.MIGRATE_TO) ? null : host.objection(action, run);
    if (why == null) {
      return false;
    }
    if (heldBack.add(action.id())) {
      names.log().warning("Holding back %s: %s".formatted(action, why));
    }
    return true;
  }
}
