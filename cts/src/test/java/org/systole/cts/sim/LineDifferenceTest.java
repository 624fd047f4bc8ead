package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineDifferenceTest {
  @Test
  void theSameHasNoDifference() {
    assertEquals(List.of(), LineDifference.between(List.of("a", "b"), List.of("a", "b")));
  }

  @Test
  void whatDiffersIsToldWithAFewLinesAround() {
    var before = List.of("1", "2", "3", "4", "5", "6", "7", "8", "9", "x", "10");
    var after = List.of("1", "new", "2", "3", "4", "5", "6", "7", "8", "9", "y", "10");

    assertEquals(
        List.of(
            "  1", "+ new", "  2", "  3", "  4", "  ...", "  7", "  8", "  9", "- x", "+ y",
            "  10"),
        LineDifference.between(before, after));
  }
}
