package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ValuesTest {
  private static final IsoTime NOW = IsoTime.ofEpochSecond(1_600_000_000);

  private static String date(String text) {
    return IsoTime.parse(text, NOW).toString();
  }

  @Test
  void scoresSaturateAndRefuseWords() {
    assertEquals(Score.INFINITY, Score.parse("+INFINITY", 0));
    assertEquals(-Score.INFINITY, Score.parse("-99999999", 0));
    assertEquals(Score.INFINITY, Score.parse("99999999999999999999999", 0));
    assertEquals(7, Score.parse("red", 7));
    assertNull(Score.read("infinity"));
  }

  @Test
  void intervalsTakeUnitsAndIsoDurations() {
    assertEquals(10_000, Interval.parse("10"));
    assertEquals(10_000, Interval.parse(" 10 sec"));
    assertEquals(60_000, Interval.parse("1min"));
    assertEquals(20, Interval.parse("20ms"));
    assertEquals(2, Interval.parse("2500us"));
    assertEquals(300_000, Interval.parse("PT5M"));
    assertEquals(7_200_000, Interval.parse("2H"));
    assertNull(Interval.read("-5s"));
    assertNull(Interval.read("5 x"));
    assertEquals(Interval.MAX_MS, Interval.parse("9999999h"));
    assertEquals("1d1h1m1.500s", Interval.format(90_061_500));
  }

  @Test
  void datesAreReadInAllThreeForms() {
    assertEquals("2024-02-29 00:00:00Z", date("2024-060"));
    assertEquals("2006-01-08 00:00:00Z", date("2006-W01-7"));
    assertEquals("2019-12-01 16:12:11Z", date("2019-12-01T18:12:11+02:00"));
    assertEquals("2020-01-01 00:00:00Z", date("20191231 24:00:00"));
    assertEquals("1970-01-01 00:00:00Z", date("epoch"));
    assertEquals(
        "2009-W53-7 00:00:00Z", IsoTime.parse("2010-01-03", NOW).format(IsoTime.Style.WEEK, false));
  }

  @Test
  void aBadDateSaysWhatIsWrong() {
    var e = assertThrows(IsoException.class, () -> date("2019-02-29"));
    assertTrue(e.getMessage().contains("'29' is not a valid day of the month"), e.getMessage());
    assertThrows(IsoException.class, () -> date("2019-01-01 25:00:00"));
    assertThrows(IsoException.class, () -> date("yesterday"));
  }

  @Test
  void periodsAreMadeOfAnyTwoParts() {
    assertEquals(
        new IsoPeriod(IsoTime.parse("2005-02-09", NOW), IsoTime.parse("2005-02-12", NOW)),
        IsoPeriod.parse("2005-040/2005-043", NOW));
    assertEquals(
        "2013-12-31 23:30:00Z",
        IsoTime.parse("2014-01-01 00:30:00Z", NOW).plus(IsoDuration.parse("PT-1H")).toString());
    assertEquals("-3600 seconds (1 hour)", IsoDuration.parse("PT-1H").toString());
    assertThrows(IsoException.class, () -> IsoPeriod.parse("PT2S/P1M", NOW));
  }

  @Test
  void versionsCompareByNumber() {
    assertTrue(Version.compare("1.10", "1.9") > 0);
    assertEquals(0, Version.compare("3.0", "3"));
    assertTrue(Version.compare(null, "0.1") < 0);
  }
}
