package org.systole.cts.lab;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// How the rounds of one scenario went.
final class LabResults {
  /// The times every scenario with a fault has; they are the columns of the table.
  static final List<String> COLUMNS = List.of("detection", "fenced", "recovery", "whole");

  private static final int MISSES = 3;

  private final String name;
  private final int planned;
  private final List<Map<String, Double>> good = new ArrayList<>();
  private final List<String> misses = new ArrayList<>();

  LabResults(String name, int planned) {
    this.name = name;
    this.planned = planned;
  }

  /// @param times of a good round, in seconds
  void add(Map<String, Double> times) {
    good.add(times);
  }

  void miss(String why) {
    misses.add(why);
  }

  List<String> misses() {
    return misses;
  }

  /// Whether more rounds would only cost time.
  boolean isHopeless() {
    return misses.size() >= MISSES;
  }

  boolean allGood() {
    return good.size() == planned;
  }

  boolean isBegun() {
    return !good.isEmpty() || !misses.isEmpty();
  }

  /// Such as `10 of 10`; rounds that were not come to are told.
  private String count() {
    var left = planned - good.size() - misses.size();
    var text = "%d of %d".formatted(good.size(), good.size() + misses.size());
    return left == 0 ? text : text + " (%d planned)".formatted(planned);
  }

  /// Such as `kill-dc 10 of 10, median/max detection 0.3/0.4 s, recovery 1.2/1.5 s`.
  String summary() {
    var text = new StringBuilder(name + " " + count());
    var word = ", median/max ";
    var names = new LinkedHashSet<String>();
    good.forEach(it -> names.addAll(it.keySet()));
    for (var time : names) {
      text.append(word).append(time).append(' ').append(times(time)).append(" s");
      word = ", ";
    }
    return text.toString();
  }

  static String header() {
    var line = new StringBuilder("%-26s %-22s".formatted("scenario", "good rounds"));
    COLUMNS.forEach(it -> line.append("%-13s".formatted(it)));
    return line.toString().strip();
  }

  /// The scenario's line in the table: median and maximum of each time, in seconds.
  String row() {
    var line = new StringBuilder("%-26s %-22s".formatted(name, count()));
    COLUMNS.forEach(it -> line.append("%-13s".formatted(times(it))));
    return line.toString().strip();
  }

  private String times(String time) {
    var sorted =
        good.stream()
            .filter(it -> it.containsKey(time))
            .mapToDouble(it -> it.get(time))
            .sorted()
            .toArray();
    return sorted.length == 0
        ? "-"
        : String.format(Locale.ROOT, "%.1f/%.1f", median(sorted), sorted[sorted.length - 1]);
  }

  private static double median(double[] sorted) {
    var middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
