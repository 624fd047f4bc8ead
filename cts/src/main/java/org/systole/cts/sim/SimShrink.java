package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds the few deeds of a random life that a failure needs: leaves out parts of the story, large
/// ones first, as long as the same check still fires.
final class SimShrink {
  private static final int TRIES_MAX = 400;

  /// What came of it.
  ///
  /// @param check the one that fires
  /// @param deeds what is left of the story
  /// @param of how many deeds it had
  /// @param script what is left, as a scenario
  /// @param cib the configuration to it
  record Shrunk(SimCheck check, List<SimStory.Deed> deeds, int of, List<String> script, String cib) {}

  /// How a run is made, so that a test can plant a mistake in it.
  interface Runs {
    SimRun of(List<SimStory.Deed> deeds);
  }

  private final Runs runs;
  private final SimCheck check;
  private int tries;

  private SimShrink(Runs runs, SimCheck check) {
    this.runs = runs;
    this.check = check;
  }

  /// @param failed a random life that has been lived and has failed
  /// @return null if telling the story again does not fire the same check
  static @Nullable Shrunk shrink(SimRun failed, Runs runs) {
    var check = failed.cluster().checksFailed().iterator().next();
    var shrink = new SimShrink(runs, check);
    var all = failed.cluster().story().deeds();
    if (!shrink.fires(all)) {
      return null;
    }
    var left = shrink.without(all);
    return new Shrunk(check, left, all.size(), failed.script(left), failed.cib());
  }

  private List<SimStory.Deed> without(List<SimStory.Deed> all) {
    var left = all;
    for (var size = Math.max(1, all.size() / 2); size >= 1; size /= 2) {
      var before = left.size();
      left = withoutParts(left, size);
      if (size == 1 && left.size() < before) {
        size = 2; // once more: what was needed may no longer be
      }
    }
    return left;
  }

  private List<SimStory.Deed> withoutParts(List<SimStory.Deed> from, int size) {
    var left = from;
    for (var at = Math.max(0, left.size() - size); at >= 0 && !left.isEmpty(); ) {
      var fewer = new ArrayList<>(left.subList(0, at));
      fewer.addAll(left.subList(Math.min(left.size(), at + size), left.size()));
      if (tries < TRIES_MAX && fires(fewer)) {
        left = fewer;
      }
      if (at == 0) {
        break;
      }
      at = Math.max(0, at - size);
    }
    return left;
  }

  private boolean fires(List<SimStory.Deed> deeds) {
    tries++;
    var run = runs.of(deeds);
    run.cluster().trace().keep(16);
    run.carryOut();
    return run.cluster().checksFailed().contains(check);
  }
}
