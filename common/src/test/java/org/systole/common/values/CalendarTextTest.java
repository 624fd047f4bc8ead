package org.systole.common.values;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class CalendarTextTest {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT);

  @Test
  void timesAreWrittenAsTheFormatterWouldWriteThem() {
    var time = LocalDateTime.of(2024, 1, 1, 0, 0, 0);
    for (var count = 0; count < 2000; count++) {
      assertEquals(FORMAT.format(time), CalendarText.withDayOfWeek(time));
      assertEquals(FORMAT.format(time).substring(4), CalendarText.date(time));
      time = time.plusSeconds(100_003);
    }
  }

  @Test
  void timesOfLogsAreWrittenAsTheFormatterWouldWriteThem() {
    var format = DateTimeFormatter.ofPattern("MMM dd HH:mm:ss.SSS", Locale.ROOT);
    var time = LocalDateTime.of(2024, 1, 1, 0, 0, 0);
    for (var count = 0; count < 2000; count++) {
      assertEquals(format.format(time), CalendarText.withMillis(time));
      time = time.plusNanos(100_003_007_999_999L);
    }
  }

  @Test
  void yearsOfAnyLengthAreWritten() {
    for (var year : new int[] {-44, 0, 1, 33, 999, 9999, 10_000, 300_000_000}) {
      var time = LocalDateTime.of(year, 3, 15, 11, 5, 9);
      assertEquals(FORMAT.format(time), CalendarText.withDayOfWeek(time));
      assertEquals(FORMAT.format(time).substring(4), CalendarText.date(time));
    }
  }
}
