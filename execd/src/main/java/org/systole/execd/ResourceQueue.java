package org.systole.execd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Affair;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// The operations of one resource: one runs, the others wait for their turn or for their time.
final class ResourceQueue {
  /// The limit of operations of one resource that wait; more are refused.
  static final int WAITING_MAX = 100;

  private final World world;
  private final ResourceId resource;
  private final Consumer<OperationResult> report;
  private final Deque<Operation> pending = new ArrayDeque<>();

  /// Recurring operations whose timer runs.
  private final List<Operation> sleeping = new ArrayList<>();

  private final Map<String, OperationResult> results = new LinkedHashMap<>();
  private @Nullable Operation active;

  /// The run of an operation that changes the state, was killed and still runs.
  private Runner.@Nullable Run hung;

  private AgentName agent;

  /// @param report called with every result that clients should get
  ResourceQueue(
      World world, ResourceId resource, AgentName agent, Consumer<OperationResult> report) {
    this.world = world;
    this.resource = resource;
    this.agent = agent;
    this.report = report;
  }

  boolean isFull() {
    return pending.size() + sleeping.size() >= WAITING_MAX;
  }

  /// Whether an operation runs or is about to.
  boolean isBusy() {
    return active != null || !pending.isEmpty();
  }

  /// Has the next result of each recurring operation reported in any case.
  void reportAnew() {
    for (var operation : all()) {
      operation.reported = null;
    }
  }

  /// Whether nothing runs, waits or is remembered.
  boolean isEmpty() {
    return active == null
        && hung == null
        && pending.isEmpty()
        && sleeping.isEmpty()
        && results.isEmpty();
  }

  /// What another client has asked for already, and this one asks for as nobody knows whether that has arrived. What has
  /// ended is told again.
  ///
  /// @return the number of that call; 0 if it is asked for the first time, or recurs
  long askedBefore(OperationRequest request) {
    var key = TransitionKey.parse(request.transitionKey());
    if (request.recurs() || key == null || !key.isPlanned()) {
      return 0; // what recurs is merged
    }
    for (var operation : all()) {
      if (operation.request().equals(request) && !operation.cancelled && !operation.forgotten) {
        return operation.callId();
      }
    }
    var result = results.get(request.kind());
    if (result == null || !result.request().equals(request)) {
      return 0;
    }
    world.post(() -> report.accept(result));
    return result.callId();
  }

  void add(Operation operation) {
    agent = operation.request().agent();
    if (operation.recurs() && merge(operation)) {
      return;
    }
    if (changesState(operation.request().task())) {
      cancelRecurring(); // they would find a state they do not expect
    }
    if (operation.recurs()) {
      if (operation.startDelay().isPositive()) {
        sleep(operation, operation.startDelay());
      } else {
        enqueue(operation);
      }
      return;
    }
    pending.forEach(ResourceQueue::endDelay);
    if (operation.startDelay().isPositive()) {
      delay(operation);
    }
    enqueue(operation);
  }

  /// It keeps its place in the order: a start that is delayed must not come after a stop that was
  /// asked for later.
  private void delay(Operation operation) {
    operation.timer =
        world.after(
            operation.startDelay(),
            () -> {
              endDelay(operation);
              operation.queuedNanos = world.nanoTime();
              next();
            });
  }

  /// What comes after it cannot wait, for its own time limit runs.
  private static void endDelay(Operation operation) {
    if (operation.timer != null) {
      operation.timer.cancel();
      operation.timer = null;
    }
  }

  /// Merges a recurring operation that is requested again into the one that recurs; its next result
  /// is reported in any case.
  private boolean merge(Operation later) {
    var asked = later.request();
    var before = find(asked.operation(), asked.intervalMillis());
    if (before == null || before.cancelled || before.forgotten) {
      return false;
    }
    world
        .log()
        .info(
            "%s: %s every %d ms was under way already; call %d takes it over"
                .formatted(resource, asked.operation(), asked.intervalMillis(), later.callId()));
    before.take(later);
    if (sleeping.contains(before)) {
      wake(before);
    }
    return true;
  }

  /// Whether a task changes its resource's state or parameters.
  private static boolean changesState(@Nullable Task task) {
    return switch (task) {
      case START, STOP, PROMOTE, DEMOTE, MIGRATE_TO, MIGRATE_FROM, RELOAD, RELOAD_AGENT -> true;
      case null, default -> false;
    };
  }

  private void sleep(Operation operation, Duration time) {
    sleeping.add(operation);
    operation.timer = world.after(time, () -> wake(operation));
  }

  private void wake(Operation operation) {
    undoSleep(operation);
    enqueue(operation);
  }

  private void undoSleep(Operation operation) {
    sleeping.remove(operation);
    endDelay(operation);
  }

  private void enqueue(Operation operation) {
    operation.queuedNanos = world.nanoTime();
    pending.add(operation);
    next();
  }

  private void next() {
    var operation = active == null && hung == null ? pending.peek() : null;
    if (operation == null || operation.timer != null) {
      return;
    }
    pending.remove();
    active = operation;
    operation.hurried = false;
    operation.begins();
    operation.startedNanos = world.nanoTime();
    operation.lastRunSeconds = world.now().getEpochSecond();
    var message = "Running " + operation.request().key() + " (call " + operation.callId() + ")";
    log(operation.request(), message);
    if (hangs(operation)) {
      ended(operation, AgentProgram.timedOut(Objects.requireNonNull(operation.timeout())));
      return;
    }
    operation.run = operation.runner().start(operation, outcome -> ended(operation, outcome));
  }

  private void ended(Operation operation, Outcome outcome) {
    active = null;
    if (operation.run != null && operation.run.leftBehind() != 0) {
      remains(operation, operation.run);
    }
    watch(operation, outcome);
    operation.run = null;
    tell(operation, operation.cancelled ? Outcome.cancelled() : outcome);
    if (operation.recurs() && !operation.cancelled && !operation.forgotten) {
      sleep(operation, operation.hurried ? untilAnotherSecond(operation) : operation.interval());
    }
    next();
  }

  /// Has a recurring operation done at once when what it has found running may have ceased to run.
  private void watch(Operation operation, Outcome outcome) {
    var before = operation.watch;
    var run = operation.run;
    var runs = operation.recurs() && outcome.isSuccess() && run != null;
    operation.watch =
        runs && !operation.cancelled && !operation.forgotten
            ? run.watch(() -> hurry(operation))
            : null;
    if (before != null) {
      before.cancel();
    }
  }

  private void hurry(Operation operation) {
    if (operation == active) {
      operation.hurried = true;
    } else if (sleeping.contains(operation)) {
      undoSleep(operation);
      var rest = untilAnotherSecond(operation);
      if (rest.isZero()) {
        enqueue(operation);
      } else {
        sleep(operation, rest);
      }
    }
  }

  /// How long to wait so that another result comes in a later second: the history has whole seconds, and of two results of one
  /// operation in the same one plans take the success for the later.
  private Duration untilAnotherSecond(Operation operation) {
    var now = world.now();
    return now.getEpochSecond() > operation.lastChangeSeconds
        ? Duration.ZERO
        : Duration.ofNanos(Duration.ofSeconds(1).toNanos() - now.getNano());
  }

  /// An agent could not be killed. If its operation changes the resource's state, it may still do
  /// so: nothing else is done with the resource until it is gone, so that no stop is reported as
  /// done while it still runs; a stop fails by its timeout instead. A monitor changes nothing, and
  /// keeps only its own next run from starting.
  private void remains(Operation operation, Runner.Run run) {
    world
        .log()
        .warning(
            "%s: the agent was killed at its timeout and is still there: process %d, or one that it"
                    .formatted(operation.request().key(), run.leftBehind())
                + " started, hangs in the kernel, which waits for a device or a server that does"
                + " not answer");
    if (operation.request().is(Task.MONITOR)) {
      operation.before = run;
      return;
    }
    hung = run;
    run.whenGone(
        () -> {
          hung = null;
          next();
        });
  }

  /// Whether the previous run of a recurring operation still hangs. Another run would hang as well,
  /// and soon there would be many.
  private static boolean hangs(Operation operation) {
    var before = operation.before;
    return before != null && before.leftBehind() != 0;
  }

  private void tell(Operation operation, Outcome outcome) {
    var before = operation.last;
    if (before == null || before.code() != outcome.code()) {
      operation.lastChangeSeconds =
          before == null ? operation.lastRunSeconds : world.now().getEpochSecond();
    }
    operation.last = outcome;
    var ran =
        outcome.status() == ExecStatus.CANCELLED ? 0 : world.nanoTime() - operation.startedNanos;
    var result = operation.result(outcome, Duration.ofNanos(ran));
    log(result);
    if (!operation.forgotten && outcome.status() != ExecStatus.CANCELLED) {
      results.remove(operation.request().kind());
      results.put(operation.request().kind(), result);
    } else if (!operation.forgotten && operation.recurs()) {
      results.remove(operation.request().kind());
    }
    if (operation.onlyChanges() && operation.recurs() && isSame(operation.reported, outcome)) {
      return;
    }
    operation.reported = outcome;
    report.accept(result);
  }

  private static boolean isSame(@Nullable Outcome before, Outcome now) {
    return before != null && before.code() == now.code() && before.status() == now.status();
  }

  private void log(OperationResult result) {
    var what =
        switch (result.status()) {
          case DONE -> "exited with " + result.rc();
          case CANCELLED -> "was cancelled";
          default -> "could not be carried out: " + result.status().text();
        };
    var message =
        "%s (call %d) %s%s after %d ms"
            .formatted(
                result.request().key(),
                result.callId(),
                what,
                result.reasonInBrackets(),
                result.execMillis());
    log(result.request(), message);
  }

  private void log(OperationRequest request, String message) {
    var log = world.log().about(Affair.ofTransitionKey(request.transitionKey()));
    if (request.is(Task.MONITOR)) {
      log.debug(message);
    } else {
      log.info(message);
    }
  }

  /// Cancels one operation.
  ExecMessage.Cancelled cancel(OperationName name, long intervalMillis) {
    var operation = find(name, intervalMillis);
    if (operation == null || operation.cancelled) {
      return new ExecMessage.Cancelled(false, false);
    }
    if (operation != active) {
      drop(operation);
      next(); // it may have been waiting for its delay
      return new ExecMessage.Cancelled(true, false);
    }
    if (!operation.recurs()) {
      return new ExecMessage.Cancelled(false, true);
    }
    operation.cancelled = true;
    if (operation.run != null) {
      operation.run.kill();
    }
    return new ExecMessage.Cancelled(true, true);
  }

  /// Ends all that recurs.
  void cancelRecurring() {
    for (var operation : all()) {
      if (operation.recurs()) {
        cancel(operation.request().operation(), operation.request().intervalMillis());
      }
    }
  }

  /// Removes an operation that does not run.
  private void drop(Operation operation) {
    undoSleep(operation);
    pending.remove(operation);
    if (operation.watch != null) {
      operation.watch.cancel();
      operation.watch = null;
    }
    operation.cancelled = true;
    tell(operation, Outcome.cancelled());
  }

  /// Forgets everything; an operation that runs is left to finish.
  void forget() {
    for (var operation : all()) {
      operation.forgotten = true;
      if (operation == active) {
        if (operation.recurs()) {
          cancel(operation.request().operation(), operation.request().intervalMillis());
        }
      } else {
        drop(operation);
      }
    }
    results.clear();
  }

  /// Remembers a result of an earlier executor.
  ///
  /// @return whether no result of the same kind was known
  boolean remember(OperationResult result) {
    return results.putIfAbsent(result.request().kind(), result) == null;
  }

  ExecMessage.ResourceState state() {
    var recurring = new ArrayList<ExecMessage.Queued>();
    for (var operation : all()) {
      if (operation.recurs() && !operation.cancelled) {
        recurring.add(operation.toMessage());
      }
    }
    var waiting = new ArrayList<ExecMessage.Queued>();
    if (active != null) {
      waiting.add(active.toMessage());
    }
    pending.forEach(operation -> waiting.add(operation.toMessage()));
    return new ExecMessage.ResourceState(
        resource, agent, List.copyOf(results.values()), recurring, waiting);
  }

  private @Nullable Operation find(OperationName name, long intervalMillis) {
    for (var operation : all()) {
      if (operation.request().is(name, intervalMillis) && !operation.cancelled) {
        return operation;
      }
    }
    return null;
  }

  private List<Operation> all() {
    var all = new ArrayList<Operation>();
    if (active != null) {
      all.add(active);
    }
    all.addAll(pending);
    all.addAll(sleeping);
    return all;
  }
}
