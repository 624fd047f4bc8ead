package org.systole.cts.sim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/// How often the faults of a life struck what they are about: a fault that only happens beside it shows
/// nothing, and nobody would see that.
final class SimBites {
  /// How often it was tried, and how often it struck.
  record Count(int tried, int struck) {
    Count plus(Count more) {
      return new Count(tried + more.tried, struck + more.struck);
    }

    @Override
    public String toString() {
      return struck + " of " + tried;
    }
  }

  private final SimCluster cluster;
  private final Map<String, Count> counts = new TreeMap<>();
  private final Map<String, BiPredicate<String, String>> awaited = new LinkedHashMap<>();

  SimBites(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// A fault of that kind happens, and strikes or not.
  void count(String kind, boolean strikes) {
    counts.merge(kind, new Count(1, strikes ? 1 : 0), Count::plus);
    cluster.note((strikes ? "strikes: " : "misses: ") + kind);
  }

  /// A fault of that kind happens, and strikes once something is said; until [#judge].
  ///
  /// @param said is given the name of the node that says it, and what
  void await(String kind, BiPredicate<String, String> said) {
    awaited.put(kind, said);
    cluster.trace().listen(this::said);
  }

  private void said(String node, String text) {
    var struck = awaited.entrySet().stream().filter(it -> it.getValue().test(node, text)).map(Map.Entry::getKey).toList();
    for (var kind : struck) {
      awaited.remove(kind);
      count(kind, true);
    }
  }

  /// What was awaited and has not come by now has missed.
  void judge() {
    var missed = awaited.keySet().stream().toList();
    awaited.clear();
    missed.forEach(it -> count(it, false));
  }

  Map<String, Count> counts() {
    return new TreeMap<>(counts);
  }
}
