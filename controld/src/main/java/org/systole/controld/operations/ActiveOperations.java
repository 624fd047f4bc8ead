package org.systole.controld.operations;

import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.values.ResourceId;

/// The operations under way on this node, and those that recur, by their keys and in the order in
/// which they were begun.
final class ActiveOperations {
  private final LinkedHashMap<String, UnderWay> byKey = new LinkedHashMap<>();
  private long lastCallId;

  @Nullable UnderWay get(String key) {
    return byKey.get(key);
  }

  /// Replaces an operation with the same key.
  void add(UnderWay operation) {
    var before = byKey.putLast(operation.request.key(), operation);
    if (before != null && before != operation) {
      operation.whenOver.addAll(before.whenOver);
    }
  }

  /// @return whether this very operation was among them
  boolean remove(UnderWay operation) {
    var removed = byKey.remove(operation.request.key(), operation);
    if (removed) {
      operation.whenOver.forEach(Runnable::run);
    }
    return removed;
  }

  /// As they are now, of one resource.
  List<UnderWay> allOf(ResourceId resource) {
    return byKey.values().stream().filter(it -> it.request.resource().equals(resource)).toList();
  }

  /// Whether an operation is under way that will be recorded as what was done to a resource last.
  boolean isBusy(ResourceId resource) {
    return allOf(resource).stream().anyMatch(it -> !it.request.recurs() && it.request.isRecordable());
  }

  boolean isMovedLive(ResourceId resource) {
    return allOf(resource).stream().anyMatch(UnderWay::isLiveMove);
  }

  /// The live migration of a resource that goes on while a later plan, which knows nothing of its target, asks for another one; null if
  /// none does.
  @Nullable UnderWay migrationBefore(OperationRequest asked) {
    var before = asked.is(Task.MIGRATE_TO) ? byKey.get(asked.key()) : null;
    return before == null || before.request.transitionKey().equals(asked.transitionKey()) ? null : before;
  }

  /// Why an operation must not be begun as long as others are under way, null if it may. What recurs and
  /// is asked for while an earlier DC's stop goes on would find what its plan did not know of, and count as a failure.
  @Nullable String objection(OperationRequest asked) {
    for (var it : byKey.values()) {
      if (asked.recurs() && ends(it.request) && it.request.resource().equals(asked.resource())) {
        return it.request.operation() + " is still under way";
      }
    }
    return null;
  }

  private static boolean ends(OperationRequest it) {
    return it.is(Task.STOP) || it.is(Task.DEMOTE) || it.is(Task.MIGRATE_TO);
  }

  /// As they are now, the one begun first first: what is done anew is done in the order asked for.
  List<UnderWay> all() {
    return List.copyOf(byKey.values());
  }

  /// The executor has taken an operation.
  void accepted(UnderWay operation, long callId) {
    operation.accepted = true;
    called(callId);
  }

  /// The executor has given a number to a call.
  void called(long callId) {
    lastCallId = Math.max(lastCallId, callId);
  }

  /// The highest number that an executor has given to a call; 0 if none is known.
  long lastCallId() {
    return lastCallId;
  }
}
