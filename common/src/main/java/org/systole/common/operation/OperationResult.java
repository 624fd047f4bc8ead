package org.systole.common.operation;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

/// What came of an operation. Immutable.
///
/// @param callId the number under which the executor ran it; below 1 if no executor did
///     and nothing says after which of the resource's calls it came
/// @param rc the OCF exit code, [OcfCode#NONE] where there is none
/// @param exitReason the agent's own words or what went wrong, may be empty
/// @param output what the agent wrote, cut to a limit; standard error if it wrote any
/// @param execMillis how long the agent ran
/// @param queueMillis how long the operation waited for its turn
/// @param lastRunSeconds when it last began, seconds since 1970
/// @param lastChangeSeconds when its exit code last changed, seconds since 1970
/// @param forgotten the resource was forgotten meanwhile: nothing to record
public record OperationResult(
    OperationRequest request,
    long callId,
    int rc,
    ExecStatus status,
    String exitReason,
    String output,
    long execMillis,
    long queueMillis,
    long lastRunSeconds,
    long lastChangeSeconds,
    boolean forgotten) {

  /// A result of an operation that no executor ran.
  public static OperationResult made(
      OperationRequest request, int rc, ExecStatus status, String why, long nowSeconds) {
    return new OperationResult(
        request, -1, rc, status, why, "", 0, 0, nowSeconds, nowSeconds, false);
  }

  public static OperationResult made(
      OperationRequest request, OcfCode code, ExecStatus status, String why, long nowSeconds) {
    return made(request, code.number(), status, why, nowSeconds);
  }

  public OperationResult withCallId(long other) {
    return with(request, other, status, output, forgotten);
  }

  public OperationResult withStatus(ExecStatus other) {
    return with(request, callId, other, output, forgotten);
  }

  /// The same result of an operation whose resource was forgotten meanwhile.
  public OperationResult asForgotten() {
    return with(request, callId, status, output, true);
  }

  /// The same result, to be recorded although the resource was forgotten meanwhile.
  public OperationResult asRemembered() {
    return with(request, callId, status, output, false);
  }

  /// The same result of an equal request.
  public OperationResult of(OperationRequest other) {
    return with(other, callId, status, output, forgotten);
  }

  /// The same result, as done where it tells the resource's state: the scheduler decides whether the state is an error.
  public OperationResult asState() {
    return status == ExecStatus.ERROR && code() instanceof OcfCode code && code.tellsState() ? withStatus(ExecStatus.DONE) : this;
  }

  /// The same result with times that are not after this one: the clock of whoever tells it may be wrong.
  public OperationResult noLaterThan(long nowSeconds) {
    if (lastRunSeconds <= nowSeconds && lastChangeSeconds <= nowSeconds) {
      return this;
    }
    return new OperationResult(
        request,
        callId,
        rc,
        status,
        exitReason,
        output,
        execMillis,
        queueMillis,
        Math.min(lastRunSeconds, nowSeconds),
        Math.min(lastChangeSeconds, nowSeconds),
        forgotten);
  }

  /// The same result without parameters and without what the agent wrote beyond its reason.
  public OperationResult withoutSecrets() {
    return with(request.withoutParameters(), callId, status, "", forgotten);
  }

  private OperationResult with(
      OperationRequest newRequest, long newCallId, ExecStatus newStatus, String newOutput, boolean newForgotten) {
    return new OperationResult(
        newRequest,
        newCallId,
        rc,
        newStatus,
        exitReason,
        newOutput,
        execMillis,
        queueMillis,
        lastRunSeconds,
        lastChangeSeconds,
        newForgotten);
  }

  public ResourceId resource() {
    return request.resource();
  }

  public AgentName agent() {
    return request.agent();
  }

  public OperationName operation() {
    return request.operation();
  }

  public long intervalMillis() {
    return request.intervalMillis();
  }

  public Map<String, String> parameters() {
    return request.parameters();
  }

  public String transitionKey() {
    return request.transitionKey();
  }

  public boolean is(Task task) {
    return request.is(task);
  }

  public boolean is(OcfCode code) {
    return code.is(rc);
  }

  /// The exit code, null if it is none of the standard.
  public @Nullable OcfCode code() {
    return OcfCode.of(rc);
  }

  /// The exit reason as the end of a sentence, empty if there is none.
  public String reasonInBrackets() {
    return exitReason.isEmpty() ? "" : " (" + exitReason + ")";
  }

  /// Whether the agent says that nothing of the resource runs: it does not, or cannot, as what it needs is not installed.
  public boolean saysAbsent() {
    return is(OcfCode.NOT_RUNNING) || is(OcfCode.NOT_INSTALLED);
  }

  /// Whether the agent ran to its end and returned OK.
  public boolean isSuccess() {
    return status == ExecStatus.DONE && is(OcfCode.OK);
  }

  /// Whether it is another result than the one asked for.
  public boolean failed() {
    return switch (status) {
      case CANCELLED, PENDING -> false;
      case NOT_SUPPORTED, TIMEOUT, ERROR, NOT_CONNECTED, NO_FENCE_DEVICE, NO_SECRETS, INVALID ->
          true;
      case UNKNOWN, DONE, ERROR_HARD, ERROR_FATAL, NOT_INSTALLED ->
          rc != TransitionKey.expectedRc(transitionKey());
    };
  }
}
