package org.systole.common.values;

import org.jspecify.annotations.Nullable;

/// Placement preferences in points, saturating at ±[#INFINITY], held in an `int`.
///
/// Minus infinity absorbs everything, plus infinity included: "must not" outranks "must". Sums are
/// not associative under saturation, so the order in which scores are added is part of every
/// decision.
public final class Score {
  public static final int INFINITY = 1_000_000;

  private Score() {}

  /// The sum of two scores, each taken as already within ±[#INFINITY] after clamping.
  public static int add(int a, int b) {
    if (a <= -INFINITY || b <= -INFINITY) {
      return -INFINITY;
    }
    if (a >= INFINITY || b >= INFINITY) {
      return INFINITY;
    }
    return Math.clamp((long) a + b, -INFINITY, INFINITY);
  }

  public static int clamp(long points) {
    return Math.clamp(points, -INFINITY, INFINITY);
  }

  /// The score a text stands for, or null if it is none. The health words (red, yellow, green) are
  /// not known here, since what they are worth is a cluster option.
  public static @Nullable Integer read(String text) {
    return switch (text) {
      case "INFINITY", "+INFINITY" -> INFINITY;
      case "-INFINITY" -> -INFINITY;
      default -> {
        var scan = Numbers.scan(text, 0);
        yield scan.valid() ? clamp(scan.value()) : null;
      }
    };
  }

  /// The score a text stands for, or `otherwise` if there is no text or it is no score.
  public static int parse(@Nullable String text, int otherwise) {
    var score = text == null ? null : read(text);
    return score != null ? score : clamp(otherwise);
  }

  /// As users write and read it: `INFINITY`, `-INFINITY` or the number.
  public static String format(int score) {
    if (score >= INFINITY) {
      return "INFINITY";
    }
    return score <= -INFINITY ? "-INFINITY" : Integer.toString(score);
  }
}
