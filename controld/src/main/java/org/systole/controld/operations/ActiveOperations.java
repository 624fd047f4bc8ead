package org.systole.controld.operations;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.ResourceId;

/// The operations under way on this node, and those that recur, by their keys.
final class ActiveOperations {
  private final Map<String, UnderWay> byKey = new TreeMap<>();
  private long lastCallId;

  @Nullable UnderWay get(String key) {
    return byKey.get(key);
  }

  /// Replaces an operation with the same key.
  void add(UnderWay operation) {
    byKey.put(operation.request.key(), operation);
  }

  /// @return whether this very operation was among them
  boolean remove(UnderWay operation) {
    return byKey.remove(operation.request.key(), operation);
  }

  void removeAllOf(ResourceId resource) {
    byKey.values().removeIf(it -> it.request.resource().equals(resource));
  }

  /// As they are now.
  List<UnderWay> all() {
    return List.copyOf(byKey.values());
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
