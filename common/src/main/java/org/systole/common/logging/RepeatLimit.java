package org.systole.common.logging;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Log.Level;

/// Keeps who is not of the cluster from filling the log: of a line that comes again and again a few
/// are kept in each span of time, then one that says how many more there were; and parts that speak
/// of strangers may say only so much, whatever they say.
///
/// Debugging messages are not limited. Safe for use by several threads.
final class RepeatLimit {
  static final Duration SPAN = Duration.ofSeconds(10);
  static final int SAME_MAX = 5;
  static final int STRANGERS_MAX = 30;
  private static final int REMEMBERED = 256;

  /// Compared by its own code: what the compiler has the JVM make at run time for a record would cost
  /// every daemon its first line.
  private record Key(String part, String text) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key it && it.part.equals(part) && it.text.equals(text);
    }

    @Override
    public int hashCode() {
      return 31 * part.hashCode() + text.hashCode();
    }
  }

  private static final class Count {
    final long sinceMillis;
    final Level level;
    int seen;

    Count(long sinceMillis, Level level) {
      this.sinceMillis = sinceMillis;
      this.level = level;
    }
  }

  // In each the oldest span comes first.
  private final LinkedHashMap<Key, Count> sameLines = new LinkedHashMap<>();
  private final LinkedHashMap<Key, Count> strangers = new LinkedHashMap<>(); // one a part, no text

  /// What of a line, and of those left out before it, is to be written.
  ///
  /// @param ofStranger whether the part reports what anybody on the network can cause
  synchronized List<LogLine> admit(LogLine line, boolean ofStranger) {
    if (line.level() == Level.DEBUG) {
      return List.of(line);
    }
    var admitted = new ArrayList<LogLine>(ended(line.millis()));
    var kept = !ofStranger || count(strangers, "", line) <= STRANGERS_MAX;
    if (kept && count(sameLines, line.text(), line) <= SAME_MAX) {
      admitted.add(line);
    }
    return admitted;
  }

  private static int count(Map<Key, Count> counts, String text, LogLine line) {
    var key = new Key(line.part(), text);
    return ++counts.computeIfAbsent(key, _ -> new Count(line.millis(), line.level())).seen;
  }

  /// What is to be said of spans that are over.
  synchronized List<LogLine> ended(long nowMillis) {
    return ended(nowMillis, SPAN.toMillis());
  }

  /// What is to be said of all spans: nothing comes any more.
  synchronized List<LogLine> endedAll(long nowMillis) {
    return ended(nowMillis, 0);
  }

  private List<LogLine> ended(long nowMillis, long spanMillis) {
    var said = new ArrayList<LogLine>();
    end(sameLines, nowMillis, spanMillis, said);
    end(strangers, nowMillis, spanMillis, said);
    return said;
  }

  private static void end(
      Map<Key, Count> counts, long nowMillis, long spanMillis, List<LogLine> said) {
    var all = counts.entrySet().iterator();
    while (all.hasNext()) {
      var next = all.next();
      var count = next.getValue();
      var age = nowMillis - count.sinceMillis;
      if (age >= 0 && age < spanMillis && counts.size() <= REMEMBERED) {
        break; // a clock that was set back must not keep anything silent
      }
      all.remove();
      summary(next.getKey(), count, nowMillis).forEach(said::add);
    }
  }

  private static int leftOut(Key key, Count count) {
    return count.seen - (key.text().isEmpty() ? STRANGERS_MAX : SAME_MAX);
  }

  private static List<LogLine> summary(Key key, Count count, long nowMillis) {
    var more = leftOut(key, count);
    if (more <= 0) {
      return List.of();
    }
    var text =
        key.text().isEmpty()
            ? "%d more lines of this part were left out".formatted(more)
            : "%s (%d times more)".formatted(key.text(), more);
    return List.of(LogLine.of(nowMillis, count.level, key.part(), text));
  }
}
