package org.systole.execd;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.world.Delays;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;

/// An operation as requested, and its progress. A recurring one is one operation through all its
/// runs.
final class Operation {
  private final boolean onlyChanges;
  private Runner runner;
  private OperationRequest request;
  private @Nullable Operation later; // asked for since the last run began
  private long callId;

  long queuedNanos;
  long startedNanos;
  long lastRunSeconds;
  long lastChangeSeconds;

  /// The result last reported to the clients; null if there was none, or if the next one has to be
  /// reported in any case.
  @Nullable Outcome reported;

  /// The last run's outcome, null before the first has ended.
  @Nullable Outcome last;

  /// The run under way, if there is one.
  Runner.@Nullable Run run;

  /// The previous run of a recurring operation, if it could not be killed.
  Runner.@Nullable Run before;

  /// The timer that puts a recurring operation into the queue, after its start delay or interval.
  /// Of another one, which waits in the queue, the timer of its start delay. Null if none runs.
  World.@Nullable Timer timer;

  /// The look-out for the end of what the last run has found running; null for none.
  Runner.@Nullable Watch watch;

  /// Whether what runs may have ceased to since the run under way began.
  boolean hurried;

  boolean cancelled;
  boolean forgotten;

  Operation(ExecMessage.Execute asked, Runner runner, long callId) {
    this.request = asked.request();
    this.onlyChanges = asked.onlyChanges();
    this.runner = runner;
    this.callId = callId;
  }

  /// Merges a later request of the same kind into this operation, which goes by its parameters from the next run on: the
  /// configuration may have others by now, and who finds those of before recorded asks again and again.
  void take(Operation other) {
    callId = other.callId;
    request = request.under(other.request.transitionKey());
    later = other;
    reported = null;
  }

  /// A run begins.
  void begins() {
    if (later != null) {
      request = later.request;
      runner = later.runner;
      later = null;
    }
  }

  OperationRequest request() {
    return request;
  }

  Runner runner() {
    return runner;
  }

  long callId() {
    return callId;
  }

  boolean is(Task task) {
    return request.is(task);
  }

  boolean recurs() {
    return request.recurs();
  }

  Duration startDelay() {
    return Duration.ofMillis(request.startDelayMillis());
  }

  Duration interval() {
    return Duration.ofMillis(request.intervalMillis());
  }

  /// Null for no limit.
  @Nullable Duration timeout() {
    return request.timeoutMillis() > 0 ? Duration.ofMillis(request.timeoutMillis()) : null;
  }

  /// What is left of the timeout after so long; null for no limit.
  @Nullable Duration left(long passedNanos) {
    var limit = timeout();
    return limit == null ? null : Delays.left(limit, passedNanos);
  }

  boolean onlyChanges() {
    return onlyChanges;
  }

  ExecMessage.Queued toMessage() {
    return new ExecMessage.Queued(callId, request);
  }

  OperationResult result(Outcome outcome, Duration ran) {
    return new OperationResult(
        request,
        callId,
        outcome.code().number(),
        outcome.status(),
        outcome.reason(),
        outcome.output(),
        ran.toMillis(),
        Duration.ofNanos(Math.max(0, startedNanos - queuedNanos)).toMillis(),
        lastRunSeconds,
        lastChangeSeconds,
        forgotten);
  }
}
