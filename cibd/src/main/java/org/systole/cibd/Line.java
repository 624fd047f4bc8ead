package org.systole.cibd;

import java.util.ArrayList;
import java.util.List;

/// Where a copy of the CIB stands in the cluster's history.
///
/// The quorate line is the one sequence of changes in which nodes with a quorum took part; `index`
/// counts them through all terms. Changes made without quorum since then stray from it.
///
/// @param term of the takeover the last change on the quorate line belongs to
/// @param index the number of that change
/// @param strayTerm the takeover the last change without quorum belongs to, 0 if there is none
/// @param stray how many changes without quorum have been made since
/// @param left whether one of those changed the configuration
record Line(long term, long index, long strayTerm, long stray, boolean left)
    implements Comparable<Line> {
  static final Line NONE = new Line(0, 0, 0, 0, false);

  /// The last index of a term.
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

  /// The part of it in which nodes with a quorum took part.
  Line quorate() {
    return new Line(term, index, 0, 0, false);
  }

  /// The newest comes last: quorate changes count most, then whether the copy has kept to the
  /// quorate line.
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

  /// Whether one of the two lines has all quorate changes of the other. If not, each side has had a
  /// quorum by itself, as each of two nodes may.
  boolean sharesLineWith(List<Span> history, Line other, List<Span> otherHistory) {
    return isReachedBy(otherHistory) || other.isReachedBy(history);
  }

  private boolean isReachedBy(List<Span> history) {
    return quorate().isPartOf(history);
  }

  /// Whether a history has every change of this line; terms older than the history count as
  /// contained.
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

  /// As [#isPartOf], but a term that is older than the history does not count as contained: nobody knows where it ended.
  boolean isKnownPartOf(List<Span> history) {
    return isPartOf(history) && history.stream().anyMatch(it -> it.term() == term);
  }
}
