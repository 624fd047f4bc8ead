package org.systole.cts.fuzz;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// What was tried, counted. Safe for use by several threads.
final class Figures {
  private final Map<String, Long> byListener = new TreeMap<>();
  private final Map<String, Long> byManner = new TreeMap<>();
  private final Set<String> types = new TreeSet<>();
  private long tries;
  private long answered;
  private long cutOff;

  /// A try with a message type at a listener.
  synchronized void count(String listener, String type) {
    tries++;
    byListener.merge(listener, 1L, Long::sum);
    types.add(type);
  }

  synchronized void manner(String what) {
    byManner.merge(what, 1L, Long::sum);
  }

  synchronized void answered(boolean yes) {
    if (yes) {
      answered++;
    } else {
      cutOff++;
    }
  }

  synchronized long tries() {
    return tries;
  }

  synchronized Set<String> types() {
    return new TreeSet<>(types);
  }

  synchronized Set<String> listeners() {
    return new TreeSet<>(byListener.keySet());
  }

  @Override
  public synchronized String toString() {
    return "%d tries, %d message types, %d answered, %d cut off%n  at %s%n  also %s"
        .formatted(tries, types.size(), answered, cutOff, byListener, byManner);
  }
}
