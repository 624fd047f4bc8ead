package org.systole.scheduler.model;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A line of what `crm_simulate --show-scores` and `--show-utilization` say, noted when it was so.
public sealed interface ScoreLine {
  /// The score of a resource on a node at some step of the assignment.
  record Allocation(String step, String resource, String node, int score) implements ScoreLine {}

  /// The promotion score of an instance on the node it is assigned to, null if to none.
  record Promotion(String resource, @Nullable String node, int score) implements ScoreLine {}

  /// What a node has to give.
  record Capacity(String when, String node, Map<String, String> values) implements ScoreLine {
    public Capacity {
      values = new LinkedHashMap<>(values);
    }
  }

  /// What a resource takes from the node it is assigned to.
  record Use(String step, String resource, String node, Map<String, String> values)
      implements ScoreLine {
    public Use {
      values = new LinkedHashMap<>(values);
    }
  }

  /// Something said in the midst of scores.
  record Note(String text) implements ScoreLine {}
}
