package org.systole.controld.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.named;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ElectionClaimTest {
  private static Election.Claim claim(String features, long since, boolean leaving, String name) {
    return new Election.Claim(features, since, leaving, named(name));
  }

  @Test
  void theLongestLivedWinsAndNamesDecideTies() {
    assertTrue(claim("3.20.5", 1, false, "z").beats(claim("3.20.5", 2, false, "a")));
    assertTrue(claim("3.20.5", 1, false, "a").beats(claim("3.20.5", 1, false, "b")));
  }

  @Test
  void theLowerFeatureSetComesFirstAsANumber() {
    assertTrue(claim("3.9.0", 9, false, "z").beats(claim("3.20.5", 1, false, "a")));
  }

  @Test
  void aLeavingNodeWinsOnlyOverOthersThatLeave() {
    assertTrue(claim("3.20.5", 9, false, "z").beats(claim("3.0.0", 1, true, "a")));
    assertTrue(claim("3.20.5", 1, true, "a").beats(claim("3.20.5", 2, true, "b")));
  }

  @Test
  void ofAnyTwoExactlyOneWins() {
    var all =
        List.of(
            claim("3.20.5", 1, false, "a"),
            claim("3.20.5", 1, false, "b"),
            claim("3.19.0", 5, true, "c"),
            claim("3.20.5", 3, true, "d"));
    for (var one : all) {
      for (var other : all) {
        assertEquals(one != other, one.beats(other) != other.beats(one));
      }
    }
  }
}
