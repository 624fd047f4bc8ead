package org.systole.hostha.replay;

import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.hostha.fsm.HostState;

/// Holds what a script expects against what has happened so far.
final class Expected {
  private static final List<String> ACTIONS =
      List.of(
          "abandon",
          "activity",
          "eligibility",
          "explain",
          "fence",
          "health",
          "maintenance",
          "power",
          "recover",
          "write");

  private final Stage stage;
  private final int line;

  Expected(Stage stage, int line) {
    this.stage = stage;
    this.line = line;
  }

  /// A word that no action begins with would be expected in vain, or be met always.
  ///
  /// @return what is wrong with it, null if nothing
  static @Nullable String noAction(String word) {
    return ACTIONS.contains(word)
        ? null
        : "there is no action %s; there are %s".formatted(word, String.join(", ", ACTIONS));
  }

  void state(NodeName host, HostState expected) {
    var decider = stage.inOffice();
    var view = decider == null ? null : decider.view(host);
    if (view == null) {
      fail("there is no host " + host);
    } else if (view.state() != expected) {
      fail("%s is %s, not %s".formatted(host, view.state(), expected));
    }
  }

  void states(HostState state, int expected) {
    var decider = stage.inOffice();
    var count = decider == null ? 0 : decider.count(state);
    if (count != expected) {
      fail("%d hosts are %s, not %d".formatted(count, state, expected));
    }
  }

  void told(String text, boolean expected) {
    var told =
        stage.entries().stream().anyMatch(it -> it instanceof Entry.Told t && t.text().contains(text));
    if (told != expected) {
      fail(expected ? "nobody was told: " + text : "somebody was told: " + text);
    }
  }

  /// @param action what it begins with, such as `recover`
  void actions(String action, NodeName host, int expected) {
    var count =
        stage.entries().stream()
            .filter(it -> it instanceof Entry.Action a && a.host().equals(host))
            .filter(it -> ((Entry.Action) it).action().startsWith(action))
            .count();
    if (count != expected) {
      fail("%d actions '%s' for %s, not %d".formatted(count, action, host, expected));
    }
  }

  /// How often a host came into a state.
  void moved(NodeName host, HostState to, int expected) {
    var count =
        stage.entries().stream()
            .filter(it -> it instanceof Entry.Moved m && m.what().host().equals(host))
            .filter(it -> ((Entry.Moved) it).what().to() == to)
            .count();
    if (count != expected) {
      fail("%s came into %s %d times, not %d".formatted(host, to, count, expected));
    }
  }

  /// How many actions of a kind there were at the same time, at most.
  void atMost(String action, int expected) {
    var counts = new TreeMap<Long, Integer>();
    for (var entry : stage.entries()) {
      if (entry instanceof Entry.Action it && it.action().startsWith(action)) {
        counts.merge(it.at(), 1, Integer::sum);
      }
    }
    var most = counts.values().stream().mapToInt(it -> it).max().orElse(0);
    if (most > expected) {
      fail("%d actions '%s' at a time, more than %d".formatted(most, action, expected));
    }
  }

  private void fail(String text) {
    stage.note(new Entry.Unexpected(stage.now(), line, text));
  }
}
