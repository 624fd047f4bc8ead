package org.systole.execd;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage;

/// An operation as asked for, and how far it is. A recurring one is one operation through all its
/// runs.
final class Operation {
  private final ExecMessage.Execute request;
  private final Runner runner;
  private long callId;
  private String userData;

  long queuedNanos;
  long startedNanos;
  long lastRunSeconds;
  long lastChangeSeconds;

  /// What was last told to the clients; null if nothing yet, or if the next result is to be told
  /// anyway.
  @Nullable Outcome reported;

  /// The last run's outcome, null before the first has ended.
  @Nullable Outcome last;

  /// The run under way, if there is one.
  Runner.@Nullable Run run;

  /// What brings it into the queue: the start delay or the interval.
  World.@Nullable Timer timer;

  boolean cancelled;
  boolean forgotten;

  Operation(ExecMessage.Execute request, Runner runner, long callId) {
    this.request = request;
    this.runner = runner;
    this.callId = callId;
    this.userData = request.userData();
  }

  /// Makes this operation answer for a later request of the same kind.
  void take(Operation other) {
    callId = other.callId;
    userData = other.userData;
    reported = null;
  }

  Runner runner() {
    return runner;
  }

  long callId() {
    return callId;
  }

  String userData() {
    return userData;
  }

  String resource() {
    return request.resource();
  }

  AgentName agent() {
    return request.agent();
  }

  String name() {
    return request.operation();
  }

  Map<String, String> parameters() {
    return request.parameters();
  }

  long intervalMillis() {
    return request.intervalMillis();
  }

  boolean recurs() {
    return request.intervalMillis() > 0;
  }

  Duration startDelay() {
    return Duration.ofMillis(request.startDelayMillis());
  }

  Duration interval() {
    return Duration.ofMillis(request.intervalMillis());
  }

  long timeoutMillis() {
    return request.timeoutMillis();
  }

  /// Null for no limit.
  @Nullable Duration timeout() {
    return request.timeoutMillis() > 0 ? Duration.ofMillis(request.timeoutMillis()) : null;
  }

  boolean onlyChanges() {
    return request.onlyChanges();
  }

  boolean is(String name, long intervalMillis) {
    return request.operation().equals(name) && request.intervalMillis() == intervalMillis;
  }

  /// As the CIB names it: `RESOURCE_OPERATION_INTERVAL`.
  String key() {
    return resource() + "_" + name() + "_" + intervalMillis();
  }

  ExecMessage.Operation toMessage() {
    return new ExecMessage.Operation(
        callId, name(), intervalMillis(), userData, request.parameters());
  }

  ExecMessage.Result result(Outcome outcome, Duration ran) {
    return new ExecMessage.Result(
        callId,
        resource(),
        agent(),
        name(),
        intervalMillis(),
        timeoutMillis(),
        outcome.rc(),
        outcome.status(),
        outcome.reason(),
        outcome.output(),
        ran.toMillis(),
        Duration.ofNanos(Math.max(0, startedNanos - queuedNanos)).toMillis(),
        lastRunSeconds,
        lastChangeSeconds,
        parameters(),
        userData,
        forgotten);
  }
}
