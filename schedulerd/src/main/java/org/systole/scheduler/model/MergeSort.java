package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A stable merge sort with a fixed sequence of comparisons.
///
/// Some orders of the cluster (operations by age, instances) are no strict orders: what comes out
/// then depends on which elements are compared. All members of a cluster must come to the same
/// result, so the sequence is part of the decision: the shorter half first, each half sorted, then
/// merged.
public final class MergeSort {
  private MergeSort() {}

  /// Sorts a list in place.
  public static <T> void sort(List<T> list, Comparator<? super T> order) {
    if (list.size() > 1) {
      var sorted = sorted(new ArrayList<>(list), order);
      for (var at = 0; at < sorted.size(); at++) {
        list.set(at, sorted.get(at));
      }
    }
  }

  private static <T> List<T> sorted(List<T> list, Comparator<? super T> order) {
    if (list.size() < 2) {
      return list;
    }
    var half = list.size() / 2;
    var left = sorted(list.subList(0, half), order);
    var right = sorted(list.subList(half, list.size()), order);
    var merged = new ArrayList<T>(list.size());
    var i = 0;
    var j = 0;
    while (i < left.size() && j < right.size()) {
      merged.add(order.compare(left.get(i), right.get(j)) <= 0 ? left.get(i++) : right.get(j++));
    }
    merged.addAll(left.subList(i, left.size()));
    merged.addAll(right.subList(j, right.size()));
    return merged;
  }
}
