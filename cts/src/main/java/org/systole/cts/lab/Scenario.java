package org.systole.cts.lab;

import java.io.IOException;

/// Something that happens to a cluster, and what must come of it.
///
/// @param about one line for the list
/// @param fresh whether each run begins with nodes that never ran; else with a cluster at work
record Scenario(String name, String about, Shape shape, boolean fresh, Story story) {
  /// What happens. It leaves a cluster that becomes whole by itself.
  interface Story {
    void tell(Run run) throws IOException;
  }

  static Scenario of(String name, String about, Story story) {
    return new Scenario(name, about, Shape.THREE, false, story);
  }
}
