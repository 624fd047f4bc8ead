package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class OneLineTest {
  @Test
  void whatControlsATerminalIsABlank() {
    assertEquals("red [31m alert, now", OneLine.of("\tred\u001b[31m\r\n\u009balert,\u2028now\n", 100));
    assertEquals("gone exe.txt", OneLine.of("gone\u202eexe.txt", 100));
    assertEquals("", OneLine.of("\n\n", 100));
  }

  @Test
  void itIsCutBetweenCharacters() {
    var face = "\uD83D\uDE00";

    assertEquals("ab" + face, OneLine.of("ab" + face + face, 4));
    assertEquals("ab" + face, OneLine.of("ab" + face + face, 5));
    assertEquals("ab", OneLine.of("ab" + face, 3));
    assertEquals(300, OneLine.of("x".repeat(1_000_000), 300).length());
  }

  @Test
  void halfOfAPairIsNoCharacter() {
    assertEquals("a\uFFFDb\uFFFD", OneLine.of("a\uDE00b\uD83D", 100));
  }
}
