package org.systole.tools.status;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.systole.scheduler.status.Parts;
import org.systole.scheduler.status.Show;

/// What the keys of the screen do: the letters of the options, each of which switches its part of the
/// display on or off.
final class ScreenKeys {
  private static final Set<Parts> SUMMARY =
      EnumSet.of(Parts.STACK, Parts.DC, Parts.TIMES, Parts.COUNTS, Parts.MAINTENANCE);
  private static final List<Parts> FENCING =
      List.of(Parts.FENCING_FAILED, Parts.FENCING_PENDING, Parts.FENCING_SUCCEEDED);
  static final Set<Show> DETAILS =
      EnumSet.of(
          Show.CLONE_DETAIL,
          Show.NODE_ID,
          Show.IMPLICIT,
          Show.FAILED_DETAIL,
          Show.FEATURE_SET,
          Show.DESCRIPTION);

  /// What is to be done after a key.
  enum Effect {
    REDRAW,
    NEXT_PAGE,
    QUIT
  }

  private final Set<Parts> parts;
  private final Set<Show> show;
  private boolean helping;
  private int fencing;

  /// @param parts changed by keys
  /// @param show the same
  ScreenKeys(Set<Parts> parts, Set<Show> show) {
    this.parts = parts;
    this.show = show;
    this.fencing = parts.contains(Parts.FENCING_SUCCEEDED) ? 2 : parts.contains(Parts.FENCING_FAILED) ? 1 : 0;
  }

  /// Whether the keys are explained instead of the status shown.
  boolean helping() {
    return helping;
  }

  /// Any other key redraws, and ends the explanation.
  Effect press(int key) {
    switch (key) {
      case 'c' -> toggle(parts, Parts.TICKETS);
      case 'f' -> toggle(parts, Parts.FAILCOUNTS);
      case 'n' -> toggle(show, Show.BY_NODE);
      case 'j' -> toggle(show, Show.PENDING);
      case 'r' -> toggle(show, Show.INACTIVE);
      case 'b' -> toggle(show, Show.BRIEF);
      case 'A' -> toggle(parts, Parts.ATTRIBUTES);
      case 'L' -> toggle(parts, Parts.BANS);
      case 'm' -> fenceHistory();
      case 'o' -> operations();
      case 't' -> timing();
      case 'D' -> all(parts, SUMMARY, parts.stream().noneMatch(SUMMARY::contains));
      case 'R' -> all(show, DETAILS, show.stream().noneMatch(DETAILS::contains));
      case '?' -> helping = true;
      case 'q' -> {
        return Effect.QUIT;
      }
      case ' ' -> {
        return Effect.NEXT_PAGE;
      }
      default -> helping = false;
    }
    return Effect.REDRAW;
  }

  private static <T> void toggle(Set<T> set, T what) {
    if (!set.remove(what)) {
      set.add(what);
    }
  }

  private static <T> void all(Set<T> set, Set<T> which, boolean on) {
    if (on) {
      set.addAll(which);
    } else {
      set.removeAll(which);
    }
  }

  private void operations() {
    toggle(parts, Parts.OPERATIONS);
    if (!parts.contains(Parts.OPERATIONS)) {
      show.remove(Show.TIMING);
    }
  }

  private void timing() {
    toggle(show, Show.TIMING);
    if (show.contains(Show.TIMING)) {
      parts.add(Parts.OPERATIONS);
    }
  }

  /// Off, failures and what is under way, successes too, and again.
  private void fenceHistory() {
    fencing = (fencing + 1) % 3;
    FENCING.forEach(parts::remove);
    parts.addAll(fencing == 0 ? List.of() : fencing == 1 ? FENCING.subList(0, 2) : FENCING);
  }

  /// The keys, and which of their parts are shown.
  String help() {
    return "Keys: a letter switches what it names on or off (* is on), any other key goes back\n\n"
        + line('c', parts.contains(Parts.TICKETS), "tickets")
        + line('f', parts.contains(Parts.FAILCOUNTS), "fail counts")
        + line('n', show.contains(Show.BY_NODE), "resources below their nodes")
        + line('o', parts.contains(Parts.OPERATIONS), "history of operations")
        + line('r', show.contains(Show.INACTIVE), "inactive resources")
        + line('t', show.contains(Show.TIMING), "history with times")
        + line('A', parts.contains(Parts.ATTRIBUTES), "node attributes")
        + line('L', parts.contains(Parts.BANS), "bans (negative location constraints)")
        + line('D', parts.stream().noneMatch(SUMMARY::contains), "no summary at the top")
        + line('R', show.stream().anyMatch(DETAILS::contains), "details: ids, instances of clones")
        + line('b', show.contains(Show.BRIEF), "resources counted instead of listed")
        + line('j', show.contains(Show.PENDING), "operations under way")
        + "%d m  fence history: 0 none, 1 failures, 2 successes too\n".formatted(fencing)
        + "  space  next page\n  q  quit\n";
  }

  private static String line(char key, boolean on, String what) {
    return "%s %s  %s%n".formatted(on ? "*" : " ", key, what);
  }
}
