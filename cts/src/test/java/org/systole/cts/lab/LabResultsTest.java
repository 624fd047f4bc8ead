package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LabResultsTest {
  @Test
  void aScenariosLineHasMedianAndMaximumOfEachTime() {
    var results = new LabResults("kill-dc", 3);
    results.add(times("detection", 0.3, "whole", 5.0));
    results.add(times("detection", 0.5, "whole", 9.0));
    results.add(times("detection", 0.1, "whole", 6.0));
    assertEquals(
        "kill-dc 3 of 3, median/max detection 0.3/0.5 s, whole 6.0/9.0 s", results.summary());
    assertTrue(results.row().matches("kill-dc +3 of 3 +0.3/0.5 +- +- +6.0/9.0"), results.row());
    assertTrue(results.allGood());
  }

  @Test
  void missesAndRoundsThatWereNotComeToAreTold() {
    var results = new LabResults("kill-dc", 10);
    results.add(times("detection", 0.2, "whole", 4.0));
    results.miss("round 2: no node answers");
    assertEquals(
        "kill-dc 1 of 2 (10 planned), median/max detection 0.2/0.2 s, whole 4.0/4.0 s",
        results.summary());
    assertFalse(results.allGood());
  }

  @Test
  void aScenarioIsGivenUpAfterThreeMisses() {
    var results = new LabResults("kill-dc", 10);
    results.miss("one");
    results.miss("two");
    assertFalse(results.isHopeless());
    results.miss("three");
    assertTrue(results.isHopeless());
  }

  private static Map<String, Double> times(String one, double first, String two, double second) {
    var times = new LinkedHashMap<String, Double>();
    times.put(one, first);
    times.put(two, second);
    return times;
  }
}
