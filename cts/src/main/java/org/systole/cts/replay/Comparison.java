package org.systole.cts.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Whether what ran in a cluster is what a case expects: the same actions on the same nodes, each once and
/// with success, in an order that its graph allows. What comes after the last of them is another plan's.
public final class Comparison {
  private final ExpectedActions expected;
  private final Part part;
  private final List<LiveAction> live;

  /// @param live in the order of their begin, from the event on
  public Comparison(ExpectedActions expected, Part part, List<LiveAction> live) {
    this.expected = expected;
    this.part = part;
    this.live = List.copyOf(live);
  }

  /// What the case expects, and has not ended with success yet. A try that failed may be followed by
  /// another, where the part says that it may.
  public Set<String> missing() {
    var left = new LinkedHashSet<>(expected.actions());
    left.removeIf(part::needsNot);
    live.stream()
        .filter(it -> it.hasEnded() && it.failure().isEmpty())
        .forEach(it -> left.remove(it.action()));
    return left;
  }

  /// Everything that differs, in a line each; nothing if it is as expected.
  public List<String> complaints() {
    var found = new ArrayList<String>();
    missing().forEach(it -> found.add(it + " is expected, and did not happen"));
    var first = chosen();
    var last = first.values().stream().mapToLong(LiveAction::end).max().orElse(Long.MAX_VALUE);
    for (var action : live) {
      var isChosen = action.equals(first.get(action.action()));
      if (!isChosen && action.begin() <= last && !part.mayHave(action.action())) {
        found.add(action.action() + surplus(action, first.containsKey(action.action())));
      }
    }
    first.values().forEach(it -> checkOrder(it, first, found));
    return found;
  }

  private static String surplus(LiveAction action, boolean again) {
    var failed = action.failure().isEmpty() ? "" : " (%s)".formatted(action.failure());
    return (again ? " happened again" : " happened, and is not expected") + failed;
  }

  /// For each expected action the first that ended with success.
  private Map<String, LiveAction> chosen() {
    var first = new LinkedHashMap<String, LiveAction>();
    for (var action : live) {
      if (expected.actions().contains(action.action())
          && action.hasEnded()
          && action.failure().isEmpty()) {
        first.putIfAbsent(action.action(), action);
      }
    }
    return first;
  }

  private void checkOrder(
      LiveAction action, Map<String, LiveAction> first, List<String> complaints) {
    for (var name : expected.before(action.action())) {
      var earlier = first.get(name);
      if (earlier != null && earlier.end() > action.begin()) {
        complaints.add(
            "%s began %.3f s before the end of %s"
                .formatted(action.action(), (earlier.end() - action.begin()) / 1e9, name));
      }
    }
  }
}
