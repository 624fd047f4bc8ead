package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineTest {
  private static final Line BASE = new Line(5, 10, 0, 0, false);

  @Test
  void aQuorateChangeIsNewerThanAnyNumberWithoutQuorum() {
    var alone = BASE.next(false, 9, true).next(false, 9, true);
    assertTrue(BASE.next(true, 5, true).compareTo(alone) > 0);
    assertTrue(
        BASE.compareTo(alone) > 0,
        "of two with equal positions the one that did not leave the line is newer");
  }

  @Test
  void aStatusChangeWithoutQuorumDoesNotLeaveTheLine() {
    var status = BASE.next(false, 9, false);
    assertFalse(status.left());
    assertTrue(status.compareTo(BASE) > 0);
    assertTrue(status.next(false, 9, true).left());
  }

  @Test
  void aHistoryHasEachTermUpToItsLastChange() {
    var history = new Line(7, 14, 0, 0, false).appendTo(BASE.appendTo(List.of()));
    assertTrue(BASE.isPartOf(history));
    assertFalse(new Line(5, 11, 0, 0, false).isPartOf(history), "never reached the others");
    assertFalse(new Line(6, 11, 0, 0, false).isPartOf(history), "a term the history does not have");
    assertTrue(new Line(3, 99, 0, 0, false).isPartOf(history), "older than the history");
    assertTrue(BASE.isKnownPartOf(history));
    assertFalse(new Line(5, 11, 0, 0, false).isKnownPartOf(history));
    assertFalse(new Line(3, 99, 0, 0, false).isKnownPartOf(history), "nobody knows");
    assertFalse(BASE.next(false, 9, true).isPartOf(history), "left the line");
  }

  @Test
  void theFileSaysTheSameWhenReadAgain() {
    var history = BASE.appendTo(List.of(new Line.Span(4, 8)));
    var meta =
        CibMeta.EMPTY
            .with(List.of(), "aa", Line.NONE, List.of(), 3)
            .with(List.of("aa"), "bb", BASE, history, 77)
            .with(List.of("", "bb"), "cc", BASE.next(false, 9, true), history, 78);
    var read = CibMeta.parse(meta.toString());
    assertEquals(78, read.promised());
    assertEquals(BASE, read.entry("bb").line());
    assertEquals(history, read.entry("bb").history());
    assertTrue(read.entry("cc").line().left());
    assertFalse(read.isKnown("aa"), "only what is there is kept");
    assertEquals(Line.NONE, read.entry("unknown").line());
  }

  @Test
  void twoSidesThatWentOnWithAQuorumEachAreNotOfOneLine() {
    var one = new Line(6, 12, 0, 0, false);
    var other = new Line(7, 11, 0, 0, false);
    var oneHistory = one.appendTo(BASE.appendTo(List.of()));
    var otherHistory = other.appendTo(BASE.appendTo(List.of()));

    assertFalse(one.sharesLineWith(oneHistory, other, otherHistory));
    assertTrue(BASE.sharesLineWith(List.of(), other, otherHistory));
    assertTrue(other.sharesLineWith(otherHistory, BASE.next(false, 9, true), List.of()));
  }
}
