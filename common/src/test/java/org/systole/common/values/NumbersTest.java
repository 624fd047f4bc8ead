package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class NumbersTest {
  @Test
  void aNumberIsReadUpToWhatIsNoDigit() {
    assertEquals(0, Numbers.parse("0", 7));
    assertEquals(42, Numbers.parse("42", 7));
    assertEquals(42, Numbers.parse(" +42s", 7));
    assertEquals(-42, Numbers.parse("-42", 7));
    assertEquals(7, Numbers.parse("", 7));
    assertEquals(7, Numbers.parse("x1", 7));
    assertEquals(7, Numbers.parse(null, 7));
  }

  @Test
  void whatDoesNotFitBecomesTheNearestBound() {
    assertEquals(999_999_999_999_999_999L, Numbers.parse("999999999999999999", 7));
    assertEquals(Long.MAX_VALUE, Numbers.parse("9223372036854775807", 7));
    assertEquals(Long.MAX_VALUE, Numbers.parse("9223372036854775808", 7));
    assertEquals(Long.MIN_VALUE, Numbers.parse("-9223372036854775809", 7));
    assertEquals(1, Numbers.parse("00000000000000000000001", 7));
  }

  @Test
  void aWholeNumberThatDoesNotFitIsNone() {
    assertEquals(12, Numbers.whole("12", 7));
    assertEquals(7, Numbers.whole("9223372036854775808", 7));
    assertEquals(7, Numbers.integer("2147483648", 7));
    assertTrue(Numbers.isNumber("9223372036854775807"));
    assertFalse(Numbers.isNumber("9223372036854775808"));
  }
}
