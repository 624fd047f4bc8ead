package org.systole.cts.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Collects the samples, tells them as they come, and makes the table.
final class Report {
  private final long begun = System.nanoTime();
  private final Map<Figure, List<Double>> ours = new EnumMap<>(Figure.class);
  private final Map<Figure, List<Double>> reference = new EnumMap<>(Figure.class);

  /// One line on what goes on.
  void progress(String text, Object... values) {
    System.out.printf(
        Locale.ROOT, "# %6.1f s  %s%n", (System.nanoTime() - begun) / 1e9, text.formatted(values));
    System.out.flush();
  }

  void sample(Figure figure, double value) {
    add("systole", ours, figure, value);
  }

  void referenceSample(Figure figure, double value) {
    add("reference", reference, figure, value);
  }

  private void add(String whose, Map<Figure, List<Double>> all, Figure figure, double value) {
    all.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    System.out.printf(Locale.ROOT, "raw %s %s %.3f%n", whose, figure, value);
    System.out.flush();
  }

  /// A row per figure that was measured: target, median, least, most, number of samples.
  String table() {
    var text = new StringBuilder();
    row(text, "figure", "recorded", "reference", "target", "median", "min", "max", "n", "");
    row(text, "---", "---", "---", "---", "---", "---", "---", "---", "---");
    for (var figure : Figure.values()) {
      if (ours.containsKey(figure) || reference.containsKey(figure)) {
        row(text, figure);
      }
    }
    return text.toString();
  }

  private void row(StringBuilder text, Figure figure) {
    var theirs = sorted(reference, figure);
    var mine = sorted(ours, figure);
    var target = figure.target();
    row(
        text,
        figure.text(),
        figure.recorded(),
        theirs.isEmpty() ? "-" : number(median(theirs)),
        target == null ? "-" : number(target),
        mine.isEmpty() ? "-" : number(median(mine)),
        mine.isEmpty() ? "-" : number(mine.getFirst()),
        mine.isEmpty() ? "-" : number(mine.getLast()),
        Integer.toString(mine.size()),
        mine.isEmpty() || target == null
            ? ""
            : figure.isReached(median(mine)) ? "reached" : "MISSED");
  }

  private static void row(StringBuilder text, String... cells) {
    text.append(
        "| %-56s | %10s | %10s | %8s | %8s | %8s | %8s | %3s | %-7s |%n"
            .formatted((Object[]) cells));
  }

  private static List<Double> sorted(Map<Figure, List<Double>> all, Figure figure) {
    return all.getOrDefault(figure, List.of()).stream().sorted().toList();
  }

  private static double median(List<Double> sorted) {
    var middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static String number(double value) {
    var digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
