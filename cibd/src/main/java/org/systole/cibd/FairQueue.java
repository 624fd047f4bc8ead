package org.systole.cibd;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Requests of several users, those of one user in their order. The users take turns, however much
/// each of them asks for.
final class FairQueue<T> {
  private final int mostOfOne;
  private final int most;
  private final Map<String, ArrayDeque<T>> waiting = new LinkedHashMap<>();
  private int size;

  /// @param mostOfOne how many items of one user may wait
  /// @param most how many items of all users together
  FairQueue(int mostOfOne, int most) {
    this.mostOfOne = mostOfOne;
    this.most = most;
  }

  /// @return false if too much waits already
  boolean add(String user, T item) {
    var its = waiting.get(user);
    if (size >= most || its != null && its.size() >= mostOfOne) {
      return false;
    }
    if (its == null) {
      its = new ArrayDeque<>();
      waiting.put(user, its);
    }
    its.add(item);
    size++;
    return true;
  }

  /// Takes the next one out, null if there is none.
  @Nullable T next() {
    var first = waiting.entrySet().iterator();
    if (!first.hasNext()) {
      return null;
    }
    var turn = first.next();
    first.remove();
    var its = turn.getValue();
    var item = its.remove();
    size--;
    if (!its.isEmpty()) {
      waiting.put(turn.getKey(), its); // behind all others
    }
    return item;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    waiting.clear();
    size = 0;
  }
}
