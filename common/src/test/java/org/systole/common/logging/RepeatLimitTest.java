package org.systole.common.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Log.Level;

class RepeatLimitTest {
  private final RepeatLimit limit = new RepeatLimit();
  private final List<String> said = new ArrayList<>();

  private void say(long atMillis, String text, boolean ofStranger) {
    var line = LogLine.of(atMillis, Level.WARNING, "Part", text);
    limit.admit(line, ofStranger).forEach(it -> said.add(it.text()));
  }

  @Test
  void differentLinesOfTheClusterAreNotLimited() {
    for (var i = 0; i < 1000; i++) {
      say(0, "line " + i, false);
    }
    assertEquals(1000, said.size());
  }

  @Test
  void whatIsLeftOutIsToldWhenItsSpanIsOver() {
    for (var i = 0; i < 8; i++) {
      say(i, "x", false);
    }
    assertEquals(List.of("x", "x", "x", "x", "x"), said);
    said.clear();
    say(RepeatLimit.SPAN.toMillis() - 1, "y", false);
    assertEquals(List.of("y"), said);
    say(RepeatLimit.SPAN.toMillis(), "x", false);
    assertEquals(List.of("y", "x (3 times more)", "x"), said);
  }

  @Test
  void aSpanThatIsOverIsToldWithoutAnotherLine() {
    for (var i = 0; i < 6; i++) {
      say(0, "x", false);
    }
    assertEquals(List.of(), limit.ended(RepeatLimit.SPAN.toMillis() - 1));
    var ended = limit.ended(RepeatLimit.SPAN.toMillis());
    assertEquals(List.of("x (1 times more)"), ended.stream().map(LogLine::text).toList());
    assertEquals(List.of(), limit.ended(2 * RepeatLimit.SPAN.toMillis()), "told once");
  }

  @Test
  void strangersFillNoLogWhateverTheySay() {
    for (var i = 0; i < 10_000; i++) {
      say(0, "connection from 192.0.2.1 port " + i, true);
    }
    assertEquals(RepeatLimit.STRANGERS_MAX, said.stream().filter(it -> it.contains("port")).count());
    said.clear();
    say(RepeatLimit.SPAN.toMillis(), "and again", true);
    assertEquals(
        List.of("9970 more lines of this part were left out", "and again"),
        said.stream().filter(it -> !it.contains("port")).toList());
  }

  @Test
  void debuggingIsNotLimited() {
    var line = LogLine.of(0, Level.DEBUG, "Part", "x");
    for (var i = 0; i < 100; i++) {
      assertEquals(List.of(line), limit.admit(line, true));
    }
  }

  @Test
  void aClockThatIsSetBackKeepsNothingSilentForLong() {
    for (var i = 0; i < 6; i++) {
      say(1_000_000, "x", false);
    }
    said.clear();
    say(0, "x", false);
    assertEquals(List.of("x (1 times more)", "x"), said);
  }
}
