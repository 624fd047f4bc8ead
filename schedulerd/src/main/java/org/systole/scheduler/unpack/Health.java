package org.systole.scheduler.unpack;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.WorkingSet;

/// Node health: what the words red, yellow and green are worth, and how healthy a node is.
public final class Health {
  /// How healthy a node is shown to be.
  public enum Color {
    RED,
    YELLOW,
    GREEN
  }

  private Health() {}

  static void readScores(WorkingSet ws) {
    switch (strategy(ws)) {
      case "none" -> scores(ws, 0, 0, 0);
      case "migrate-on-red" -> scores(ws, -Score.INFINITY, 0, 0);
      case "only-green" -> scores(ws, -Score.INFINITY, -Score.INFINITY, 0);
      default ->
          scores(
              ws,
              score(ws, "node-health-red"),
              score(ws, "node-health-yellow"),
              score(ws, "node-health-green"));
    }
  }

  /// The configured strategy, in lower case.
  public static String strategy(WorkingSet ws) {
    return ws.options().getOrDefault("node-health-strategy", "none").toLowerCase(Locale.ROOT);
  }

  private static void scores(WorkingSet ws, int red, int yellow, int green) {
    ws.setHealthRed(red);
    ws.setHealthYellow(yellow);
    ws.setHealthGreen(green);
  }

  /// The value of a health option that is a score.
  public static int score(WorkingSet ws, String option) {
    return Score.parse(ws.options().get(option), 0);
  }

  /// The score a text stands for, health words included; null if it is none.
  public static @Nullable Integer read(WorkingSet ws, String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "red" -> ws.healthRed();
      case "yellow" -> ws.healthYellow();
      case "green" -> ws.healthGreen();
      default -> Score.read(text);
    };
  }

  /// The sum of a node's health attributes, added to a base.
  public static int sum(WorkingSet ws, Node node, int base) {
    var sum = base;
    for (var attribute : node.attributes().entrySet()) {
      if (attribute.getKey().startsWith("#health")) {
        var score = read(ws, attribute.getValue());
        if (score != null) {
          sum = Score.add(score, sum);
        }
      }
    }
    return sum;
  }

  /// How healthy a node is, from its worst health attribute.
  public static Color color(WorkingSet ws, Node node) {
    var color = Color.GREEN;
    if (strategy(ws).equals("none")) {
      return color;
    }
    for (var attribute : node.attributes().entrySet()) {
      if (attribute.getKey().startsWith("#health")) {
        switch (color(ws, attribute.getValue())) {
          case RED -> {
            return Color.RED;
          }
          case YELLOW -> color = Color.YELLOW;
          case GREEN -> {}
        }
      }
    }
    return color;
  }

  /// Whether the health of a node, by itself, keeps every resource away from it. Of the strategies
  /// that come to scores, which combine with other scores, this cannot be said.
  public static boolean keepsAll(WorkingSet ws, Node node) {
    return switch (strategy(ws)) {
      case "migrate-on-red" -> color(ws, node) == Color.RED;
      case "only-green" -> color(ws, node) != Color.GREEN;
      default -> false;
    };
  }

  // The words are compared before the numbers since two colors may be worth the same.
  private static Color color(WorkingSet ws, String value) {
    if (value.equalsIgnoreCase("red")) {
      return Color.RED;
    }
    if (value.equalsIgnoreCase("yellow")) {
      return Color.YELLOW;
    }
    var score = read(ws, value);
    if (score == null) {
      return Color.GREEN;
    }
    if (score <= ws.healthRed()) {
      return Color.RED;
    }
    return score <= ws.healthYellow() && ws.healthYellow() != ws.healthGreen()
        ? Color.YELLOW
        : Color.GREEN;
  }
}
