package org.systole.scheduler.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeSortTest {
  @Test
  void equalElementsKeepTheirOrder() {
    var words = new ArrayList<>(List.of("bb", "a", "cc", "d"));
    MergeSort.sort(words, Comparator.comparingInt(String::length));
    assertEquals(List.of("a", "d", "bb", "cc"), words);
  }

  @Test
  void theShorterHalfIsSortedFirst() {
    var asked = new ArrayList<String>();
    var numbers = new ArrayList<>(List.of(3, 2, 1));
    MergeSort.sort(
        numbers,
        (a, b) -> {
          asked.add(a + "?" + b);
          return a.compareTo(b);
        });
    assertEquals(List.of(1, 2, 3), numbers);
    assertEquals(List.of("2?1", "3?1", "3?2"), asked);
  }

  @Test
  void nodeNamesAreOrderedAsPeopleCount() {
    var names = new ArrayList<>(List.of("node10", "Node2", "node1", "node02"));
    names.sort(NodeNames.ORDER);
    assertEquals(List.of("node1", "Node2", "node02", "node10"), names);
  }

  @Test
  void anInstanceNumberIsTakenOffAnIdOnce() {
    assertEquals("r", InstanceIds.base("r:12"));
    assertEquals("r:1", InstanceIds.base("r:1:0"));
    assertEquals("r12", InstanceIds.base("r12"));
    assertEquals("r:", InstanceIds.base("r:"));
  }
}
