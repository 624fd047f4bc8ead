package org.systole.common.values;

import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Comparison of version texts such as `3.0.2`.
public final class Version {
  private static final Pattern DOTTED = Pattern.compile("\\s*(\\d+(?:\\.\\d+)*)");

  private Version() {}

  /// Compares number by number, a missing one counting as 0; what follows the numbers is ignored.
  public static int compare(@Nullable String a, @Nullable String b) {
    if (a != null && a.equals(b)) {
      return 0;
    }
    var left = numbers(a);
    var right = numbers(b);
    for (var at = 0; at < Math.max(left.length, right.length); at++) {
      var order = number(left, at).compareTo(number(right, at));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static BigInteger number(String[] numbers, int at) {
    return at < numbers.length ? new BigInteger(numbers[at]) : BigInteger.ZERO;
  }

  private static String[] numbers(@Nullable String text) {
    var matcher = text == null ? null : DOTTED.matcher(text);
    return matcher != null && matcher.lookingAt() ? matcher.group(1).split("\\.") : new String[0];
  }
}
