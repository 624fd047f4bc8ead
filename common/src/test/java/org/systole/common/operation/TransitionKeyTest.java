package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TransitionKeyTest {
  private static final String ENGINE = "be2e97d9-05e2-439d-863e-48f7aecab2aa";

  @Test
  void aKeyIsReadAsItIsWritten() {
    var key = new TransitionKey(12, 3, 7, ENGINE);

    assertEquals("12:3:7:" + ENGINE, key.toString());
    assertEquals(key, TransitionKey.parse(key.toString()));
  }

  @Test
  void aShortEngineIsFilledUpWithSpaces() {
    var text = new TransitionKey(1, 2, 0, "short").toString();

    assertEquals("1:2:0:short" + " ".repeat(31), text);
    assertEquals(new TransitionKey(1, 2, 0, "short"), TransitionKey.parse(text));
  }

  @Test
  void theEngineEndsAfter36CharactersOrAtASpace() {
    assertEquals(
        new TransitionKey(1, 2, 0, ENGINE), TransitionKey.parse("1:2:0:" + ENGINE + "-more"));
    assertEquals(new TransitionKey(1, 2, 0, "a"), TransitionKey.parse("1: 2: 0: a b"));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "1:2:3", "1:2:3:", "a:2:3:uuid", "1;2;3;uuid", "1:2::uuid"})
  void whatIsNoKeyIsNotTakenForOne(String text) {
    assertEquals(null, TransitionKey.parse(text));
  }

  @Test
  void theMagicHoldsTheKeyBehindStatusAndResult() {
    var key = TransitionKey.unplanned(5, 0);
    var magic = TransitionKey.magic(ExecStatus.DONE, 7, key.toString());

    assertEquals("0:7;" + key, magic);
    assertEquals(key, TransitionKey.ofMagic(magic));
    assertEquals(null, TransitionKey.ofMagic("0:7"));
    assertFalse(key.isPlanned());
  }

  @Test
  void withoutAKeySuccessIsExpectedAndWithABadOneNothing() {
    assertEquals(0, TransitionKey.expectedRc(null));
    assertEquals(0, TransitionKey.expectedRc(""));
    assertEquals(7, TransitionKey.expectedRc("1:2:7:" + ENGINE));
    assertEquals(TransitionKey.NOT_KNOWN, TransitionKey.expectedRc("nonsense"));
  }
}
