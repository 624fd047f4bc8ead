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
        var order = compareNumbers(a.substring(i, endA), b.substring(j, endB));
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

  private static int compareNumbers(String a, String b) {
    var x = a.replaceFirst("^0+(?=.)", "");
    var y = b.replaceFirst("^0+(?=.)", "");
    if (x.length() != y.length()) {
      return Integer.compare(x.length(), y.length());
    }
    var order = x.compareTo(y);
    return order != 0 ? order : Integer.compare(a.length(), b.length());
  }
}
