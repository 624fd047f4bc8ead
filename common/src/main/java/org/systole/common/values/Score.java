package org.systole.common.values;

/// Placement preferences in points, saturating at ±[#INFINITY], held in an `int`.
///
/// Minus infinity absorbs everything, plus infinity included: "must not" outranks "must". Sums are not
/// associative under saturation, so the order in which scores are added is part of every decision.
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

  /// As users write and read it: `INFINITY`, `-INFINITY` or the number.
  public static String format(int score) {
    if (score >= INFINITY) {
      return "INFINITY";
    }
    return score <= -INFINITY ? "-INFINITY" : Integer.toString(score);
  }
}
