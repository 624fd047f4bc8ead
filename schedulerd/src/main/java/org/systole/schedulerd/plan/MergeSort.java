package org.systole.schedulerd.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A stable sort that puts up with comparators that contradict themselves.
///
/// Comparing instances by what is colocated with them is not always transitive. The halves are cut so
/// that the outcome is the known one even then.
final class MergeSort {
  private MergeSort() {}

  static <T> void sort(List<T> list, Comparator<? super T> order) {
    if (list.size() > 1) {
      var sorted = sorted(List.copyOf(list), order);
      for (var at = 0; at < sorted.size(); at++) {
        list.set(at, sorted.get(at));
      }
    }
  }

  private static <T> List<T> sorted(List<T> list, Comparator<? super T> order) {
    if (list.size() < 2) {
      return list;
    }
    var middle = list.size() / 2;
    var left = sorted(list.subList(0, middle), order);
    var right = sorted(list.subList(middle, list.size()), order);
    var merged = new ArrayList<T>(list.size());
    var i = 0;
    var j = 0;
    while (i < left.size() && j < right.size()) {
      merged.add(
          order.compare(left.get(i), right.get(j)) <= 0 ? left.get(i++) : right.get(j++));
    }
    merged.addAll(left.subList(i, left.size()));
    merged.addAll(right.subList(j, right.size()));
    return merged;
  }
}
