package org.systole.controld.transition;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.TransitionGraph;
import org.systole.controld.operations.History;

/// A failure to be counted against a resource on a node.
///
/// @param value the new failcount, `value++` or INFINITY
record FailureCount(OperationKey operation, String value) {
  private static final String ONE_MORE = "value++";
  private static final String INFINITY = "INFINITY";

  /// @param rc the result, a degraded one given as the full one
  /// @param key the transition key of the result
  /// @return null if it is no failure, or none that counts
  static @Nullable FailureCount of(
      HistoryEntry record, int rc, TransitionKey key, TransitionGraph graph) {
    var neverBegun = record.status() == ExecStatus.CANCELLED; // its resource was forgotten before
    if (rc == key.expectedRc() || neverBegun || History.ORIGIN.equals(record.origin())) {
      return null;
    }
    var operation = OperationKey.parse(record.key());
    if (operation == null) {
      return null;
    }
    return switch (Task.of(operation.operation())) {
      case START -> new FailureCount(operation, configured(graph.failedStart()));
      case STOP -> new FailureCount(operation, configured(graph.failedStop()));
      case PROMOTE, DEMOTE -> new FailureCount(operation, ONE_MORE);
      case null, default ->
          // an unexpected result of a probe is a finding, not a failure
          operation.intervalMillis() == 0 && key.isPlanned()
              ? null
              : new FailureCount(operation, ONE_MORE);
    };
  }

  private static String configured(@Nullable String value) {
    return value == null || value.equals(INFINITY) ? INFINITY : ONE_MORE;
  }
}
