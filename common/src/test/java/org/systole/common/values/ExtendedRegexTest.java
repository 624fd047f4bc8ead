package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtendedRegexTest {
  private static boolean finds(String pattern, String text) {
    var regex = ExtendedRegex.compile(pattern);
    assertNotNull(regex, pattern);
    return regex.isIn(text);
  }

  @Test
  void aPartOfTheTextIsEnoughUnlessAnchorsSayElse() {
    assertTrue(finds("b+", "abbc"));
    assertFalse(finds("^b", "abbc"));
    assertTrue(finds("^a.*c$", "abbc"));
    assertFalse(finds("c$", "abc\n"));
    assertTrue(finds("a.c", "a\nc"));
    assertFalse(finds("a^", "a"));
  }

  @Test
  void bracketsAreReadAsPosixHasThem() {
    assertTrue(finds("^[[:digit:][:upper:]_-]+$", "A-1_"));
    assertFalse(finds("^[[:digit:]]+$", "1a"));
    assertTrue(finds("^[]a]+$", "]a"));
    assertTrue(finds("^[^]a]+$", "b"));
    assertTrue(finds("^[\\d]+$", "\\d"));
    assertFalse(finds("^[\\d]+$", "1"));
    assertTrue(finds("^[a&&b]+$", "&"));
    assertTrue(finds("^[[.-.]x]+$", "-x"));
    assertTrue(finds("^[[:punct:]]+$", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"));
  }

  @Test
  void escapesAreThoseOfTheCLibrary() {
    assertTrue(finds("^a\\.b$", "a.b"));
    assertFalse(finds("^a\\.b$", "axb"));
    assertTrue(finds("^\\d$", "d"));
    assertTrue(finds("^\\w+\\s\\W$", "a_1 -"));
    assertTrue(finds("^\\Qa$", "Qa"));
  }

  @Test
  void repetitionsMayFollowEachOther() {
    assertTrue(finds("^a+?$", ""));
    assertTrue(finds("^(ab){2,3}$", "ababab"));
    assertFalse(finds("^(ab){2,3}$", "ab"));
    assertTrue(finds("^a{,2}$", "aa"));
    assertTrue(finds("^a**$", "aaa"));
  }

  @Test
  void whatIsNoExpressionIsNone() {
    for (var pattern : List.of("(", "[", "[[:none:]]", "*a", "a|*", "^*", "a{2", "a{3,1}", "a\\")) {
      assertNull(ExtendedRegex.compile(pattern), pattern);
    }
    assertNull(ExtendedRegex.compile("(a)\\1"), "a reference back");
    assertTrue(finds("a)b", "a)b"), "a parenthesis that closes nothing is one");
  }

  @Test
  void groupsAreThoseOfTheLongestMatch() {
    var regex = ExtendedRegex.compile("(a|ab)(c|bcd)?(x)?");
    assertNotNull(regex);
    assertEquals(List.of("abcd", "a", "bcd", ""), regex.groups("abcd"));
    assertNull(regex.groups("-"));
  }

  @Test
  void caseCountsUnlessToldOtherwise() {
    assertFalse(finds("^NODE", "node1"));
    var regex = ExtendedRegex.compileIgnoringCase("^NODE[0-9]$");
    assertNotNull(regex);
    assertTrue(regex.isIn("Node1"));
  }

  @Test
  void aPatternThatMakesOthersTryForeverIsDoneAtOnce() {
    var hostile = "^((.|.|.|.|.|.|.|.|.|.)+)+=$";
    assertTimeoutPreemptively(
        Duration.ofSeconds(1), () -> assertFalse(finds(hostile, "fencing-n1")));
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertTrue(finds("^(a|b)*$", "ab".repeat(10_000))));
  }

  @Test
  void patternsBeyondTheLimitsAreNone() {
    assertNull(ExtendedRegex.compile("a".repeat(ExtendedRegex.MAX_CHARS + 1)));
    assertNull(ExtendedRegex.compile("((a{1000}){1000}){1000}"));
    assertNull(ExtendedRegex.compile("a{1001}"));
    assertNull(ExtendedRegex.compile("(".repeat(4_000) + ")".repeat(4_000)));
    assertTrue(finds("a|".repeat(4_000) + "a", "a"));
  }
}
