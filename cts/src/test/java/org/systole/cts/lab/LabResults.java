package org.systole.cts.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How the runs of one scenario went.
final class LabResults {
  private static final List<String> TIMES = List.of("detection", "recovery", "whole");

  private final String name;
  private final int planned;
  private final List<Run> good = new ArrayList<>();

  LabResults(String name, int planned) {
    this.name = name;
    this.planned = planned;
  }

  void add(@Nullable Run run) {
    if (run != null) {
      good.add(run);
    }
  }

  boolean allGood() {
    return good.size() == planned;
  }

  /// Such as `kill-dc 10/10, median detection 0.3 s, recovery 3.1 s`.
  String summary() {
    var text = new StringBuilder("%s %d/%d".formatted(name, good.size(), planned));
    var word = ", median ";
    for (var time : TIMES) {
      var sorted =
          good.stream().mapToDouble(it -> seconds(it, time)).filter(it -> it >= 0).sorted();
      var all = sorted.toArray();
      if (all.length > 0) {
        text.append(word).append(time);
        text.append(String.format(Locale.ROOT, " %.1f s", median(all)));
        word = ", ";
      }
    }
    return text.toString();
  }

  private static double seconds(Run run, String time) {
    var seconds = run.time(time);
    return seconds == null ? -1 : seconds;
  }

  private static double median(double[] sorted) {
    var middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
