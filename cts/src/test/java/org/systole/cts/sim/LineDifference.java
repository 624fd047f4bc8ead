package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;

/// Two texts compared line by line, told as a person reads it: `-` what only the first has, `+` what
/// only the second has, with a few lines around.
final class LineDifference {
  private static final int AROUND = 3;

  private LineDifference() {}

  /// Empty if they are the same.
  static List<String> between(List<String> first, List<String> second) {
    if (first.equals(second)) {
      return List.of();
    }
    var marked = marked(first, second, common(first, second));
    var told = new ArrayList<String>();
    var last = -1;
    for (var i = 0; i < marked.size(); i++) {
      if (isNear(marked, i)) {
        if (last >= 0 && last < i - 1) {
          told.add("  ...");
        }
        told.add(marked.get(i));
        last = i;
      }
    }
    return told;
  }

  private static boolean isNear(List<String> marked, int at) {
    var to = Math.min(marked.size(), at + AROUND + 1);
    return marked.subList(Math.max(0, at - AROUND), to).stream()
        .anyMatch(it -> !it.startsWith(" "));
  }

  /// How many lines the rests of both share, from each pair of lines on.
  private static int[][] common(List<String> first, List<String> second) {
    var common = new int[first.size() + 1][second.size() + 1];
    for (var i = first.size() - 1; i >= 0; i--) {
      for (var j = second.size() - 1; j >= 0; j--) {
        common[i][j] =
            first.get(i).equals(second.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }

  private static List<String> marked(List<String> first, List<String> second, int[][] common) {
    var marked = new ArrayList<String>();
    var i = 0;
    var j = 0;
    while (i < first.size() || j < second.size()) {
      if (i < first.size() && j < second.size() && first.get(i).equals(second.get(j))) {
        marked.add("  " + first.get(i++));
        j++;
      } else if (j == second.size() || i < first.size() && common[i + 1][j] >= common[i][j + 1]) {
        marked.add("- " + first.get(i++));
      } else {
        marked.add("+ " + second.get(j++));
      }
    }
    return marked;
  }
}
