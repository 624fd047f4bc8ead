package org.systole.cibd;

import java.util.ArrayList;
import java.util.List;

/// Where a copy of the CIB stands in the cluster's history.
///
/// The quorate line is the one sequence of changes that nodes with a quorum took part in: a change
/// on it is in `index`, counted through all terms. What happened without quorum since strays from
/// it.
///
/// @param term of the takeover the last change on the quorate line belongs to
/// @param index the number of that change
/// @param strayTerm the takeover the last change without quorum belongs to, 0 if there is none
/// @param stray how many changes without quorum came since
/// @param left whether one of those changed the configuration
record Line(long term, long index, long strayTerm, long stray, boolean left)
    implements Comparable<Line> {
  static final Line NONE = new Line(0, 0, 0, 0, false);

  /// The last index a term came to.
  record Span(long term, long index) {}

  private static final int SPANS_MAX = 32;

  /// After one more change.
  Line next(boolean quorate, long now, boolean configuration) {
    return quorate
        ? new Line(now, index + 1, 0, 0, false)
        : new Line(term, index, now, stray + 1, left || configuration);
  }

  /// After a takeover that chose this copy.
  Line taken(boolean quorate, long now) {
    return next(quorate, now, false);
  }

  /// The newest comes last: what quorate nodes did goes before all else, then what kept to it.
  @Override
  public int compareTo(Line other) {
    var order = Long.compare(term, other.term);
    order = order != 0 ? order : Long.compare(index, other.index);
    order = order != 0 ? order : Boolean.compare(other.left, left);
    order = order != 0 ? order : Long.compare(strayTerm, other.strayTerm);
    return order != 0 ? order : Long.compare(stray, other.stray);
  }

  /// The history with this line as its end.
  List<Span> appendTo(List<Span> history) {
    var longer = new ArrayList<>(history);
    if (!longer.isEmpty() && longer.getLast().term() == term) {
      longer.removeLast();
    }
    longer.add(new Span(term, index));
    return longer.size() > SPANS_MAX
        ? List.copyOf(longer.subList(longer.size() - SPANS_MAX, longer.size()))
        : List.copyOf(longer);
  }

  /// Whether of this line and another one has all the quorate changes of the other. If not, both
  /// sides had a quorum by themselves, as two nodes may.
  boolean isOfOneLineWith(List<Span> history, Line other, List<Span> otherHistory) {
    return isReachedBy(otherHistory) || other.isReachedBy(history);
  }

  private boolean isReachedBy(List<Span> history) {
    return new Line(term, index, 0, 0, false).isPartOf(history);
  }

  /// Whether a history has everything of this line; what is older than the history is taken as had.
  boolean isPartOf(List<Span> history) {
    if (left) {
      return false;
    }
    for (var span : history) {
      if (span.term() == term) {
        return index <= span.index();
      }
    }
    return history.isEmpty() || term < history.getFirst().term() || term == 0;
  }
}
