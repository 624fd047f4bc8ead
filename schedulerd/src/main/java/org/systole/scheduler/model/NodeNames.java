package org.systole.scheduler.model;

import java.util.Comparator;

/// The order of node names: as people count, so `node2` comes before `node10`; letters in any case.
/// Of two spellings of a number the shorter comes first.
public final class NodeNames {
  public static final Comparator<String> ORDER = NodeNames::compare;

  private NodeNames() {}

  private static int compare(String a, String b) {
    var i = 0;
    var j = 0;
    while (i < a.length() && j < b.length()) {
      if (isDigit(a.charAt(i)) && isDigit(b.charAt(j))) {
        var endA = digitsEnd(a, i);
        var endB = digitsEnd(b, j);
        var order = compareNumbers(a, i, endA, b, j, endB);
        if (order != 0) {
          return order;
        }
        i = endA;
        j = endB;
        continue;
      }
      var order =
          Integer.compare(Character.toLowerCase(a.charAt(i)), Character.toLowerCase(b.charAt(j)));
      if (order != 0) {
        return order;
      }
      i++;
      j++;
    }
    return Integer.compare(a.length() - i, b.length() - j);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static int digitsEnd(String text, int from) {
    var end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static int compareNumbers(String a, int fromA, int endA, String b, int fromB, int endB) {
    var i = withoutZeros(a, fromA, endA);
    var j = withoutZeros(b, fromB, endB);
    if (endA - i != endB - j) {
      return Integer.compare(endA - i, endB - j);
    }
    for (var at = 0; at < endA - i; at++) {
      var order = Character.compare(a.charAt(i + at), b.charAt(j + at));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(endA - fromA, endB - fromB);
  }

  /// Where the number begins after its zeros; one digit is left.
  private static int withoutZeros(String text, int from, int end) {
    var begin = from;
    while (begin < end - 1 && text.charAt(begin) == '0') {
      begin++;
    }
    return begin;
  }
}
