package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibVersion;
import org.systole.common.xml.Element;

/// What a copy knows of requests that are made. Who reads a copy from disk knows of none, so others have to tell it: a request
/// that is asked for again would be made again.
class CibCopyTest {
  private static final Element CIB = Element.of("cib");
  private static final Line LINE = new Line(7, 40, 0, 0, false);
  private static final List<Line.Span> HISTORY = List.of(new Line.Span(6, 30), new Line.Span(7, 40));

  private final CibCopy copy = new CibCopy(CIB, null, LINE, HISTORY);

  /// The copy is replaced by one that was read from disk elsewhere.
  private void replace(Line line, Line.Span... history) {
    copy.replace(CIB, line, List.of(history), List.of("theirs"), List.of("ours", "before", "alone"));
    assertTrue(copy.has("theirs"));
  }

  @Test
  void whatIsMadeIsKnownStillWhereTheOtherCopyGoesOnFromThisOne() {
    copy.note("ours");
    replace(new Line(9, 42, 0, 0, false), new Line.Span(6, 30), new Line.Span(7, 41));
    assertTrue(copy.has("ours"));
    assertEquals(List.of("ours", "theirs"), copy.done());
  }

  /// A node that was cut off for as many changes as are remembered has none to tell of that anybody waits for still.
  @Test
  void whatIsMadeLastIsKnownOfACopyThatHasManyMore() {
    IntStream.range(0, 4096).forEach(it -> copy.note("before" + it));
    var theirs = IntStream.range(0, 4096).mapToObj(it -> "since" + it).toList();
    copy.replace(CIB, new Line(9, 4200, 0, 0, false), HISTORY, theirs, copy.done());
    assertEquals(theirs, copy.done());
  }

  /// A change of the status is not in a copy that was read from disk.
  @Test
  void whatNoClientWaitsForIsNotTakenForMade() {
    copy.note("of the status");
    replace(new Line(9, 42, 0, 0, false), new Line.Span(6, 30), new Line.Span(7, 41));
    assertFalse(copy.has("of the status"));
  }

  @Test
  void whatTheOtherCopyDoesNotHaveIsNotTakenForMade() {
    copy.note("ours");
    replace(new Line(9, 41, 0, 0, false), new Line.Span(6, 30), new Line.Span(7, 39));
    assertFalse(copy.has("ours"));
  }

  @Test
  void whatIsOlderThanTheHistoryIsNotTakenForMade() {
    copy.note("ours");
    replace(new Line(99, 80, 0, 0, false), new Line.Span(50, 60));
    assertFalse(copy.has("ours"));
    copy.lead(new Line(100, 81, 0, 0, false), List.of(position(LINE, List.of("elsewhere"))));
    assertFalse(copy.has("elsewhere"));
  }

  @Test
  void whatWasMadeWithoutQuorumIsMadeOnceAQuorumHasTakenIt() {
    copy.note("before");
    copy.moveTo(LINE.next(false, 8, false));
    copy.note("alone");
    assertEquals(List.of("before"), copy.position(9, List.of("before", "alone", "never")).made());

    var taken = copy.line().taken(true, 9);
    copy.moveTo(taken);
    assertEquals(List.of("before", "alone"), copy.position(10, List.of("before", "alone", "never")).made());
    assertNull(copy.position(10, List.of("never")).made());
  }

  @Test
  void whatWasMadeWithoutQuorumIsNotKnownOfAnotherCopy() {
    copy.note("before");
    copy.moveTo(LINE.next(false, 8, false));
    copy.note("alone");
    replace(new Line(9, 42, 0, 0, false), new Line.Span(7, 41));
    assertTrue(copy.has("before"));
    assertFalse(copy.has("alone"));
  }

  @Test
  void aPrimaryLearnsWhatIsMadeFromThoseWhoTookPart() {
    copy.lead(
        new Line(9, 41, 0, 0, false),
        List.of(
            position(LINE, List.of("here")),
            position(new Line(7, 41, 0, 0, false), List.of("further than what goes on")),
            position(new Line(7, 40, 8, 3, true), List.of("apart")),
            position(LINE, null)));
    assertTrue(copy.has("here"));
    assertEquals(List.of("here"), copy.done());
  }

  private static CibPeerMessage.Position position(Line line, @Nullable List<String> made) {
    return new CibPeerMessage.Position(9, line, HISTORY, true, CibVersion.NONE, 0, null, made);
  }
}
