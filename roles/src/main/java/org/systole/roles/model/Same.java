package org.systole.roles.model;

import java.util.SortedMap;

/// Whether something is what it was before, the very same objects: a look that costs next to nothing.
public final class Same {
  private Same() {}

  /// Whether two maps have equal keys and the very same values.
  public static <K, V> boolean inAll(SortedMap<K, V> one, SortedMap<K, V> other) {
    if (one.size() != other.size()) {
      return false;
    }
    var others = other.entrySet().iterator();
    for (var entry : one.entrySet()) {
      var beside = others.next();
      if (entry.getValue() != beside.getValue()
          || entry.getKey() != beside.getKey() && !entry.getKey().equals(beside.getKey())) {
        return false;
      }
    }
    return true;
  }
}
