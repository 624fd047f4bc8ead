package org.systole.common.transition;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.ResourceId;

/// What was due in a plan that ended early, and found no room on its node. The next plan begins with it, what more plans have
/// left out before what fewer have: if what comes first in each plan is a resource that fails again and again, it ends each of
/// them, and nothing else on a busy node would ever have its turn.
final class LeftOut {
  static final LeftOut NOTHING = new LeftOut(Map.of());

  private static final int TIMES_MAX = 100; // so that places are numbers; long before that it has its turn

  private final Map<ResourceId, Integer> times;

  private LeftOut(Map<ResourceId, Integer> times) {
    this.times = times;
  }

  /// How many plans in turn have left it out.
  int times(Synapse synapse) {
    var most = 0;
    for (var action : synapse.actions()) {
      most = Math.max(most, times(action.resource()));
    }
    return most;
  }

  private int times(@Nullable ResourceId resource) {
    return resource == null ? 0 : times.getOrDefault(resource, 0);
  }

  /// @param needed what the plan had to do something with
  /// @param noRoom what of that was due and found no room
  /// @param begun what it has begun something with
  LeftOut after(Set<ResourceId> needed, Set<ResourceId> noRoom, Set<ResourceId> begun) {
    var after = new HashMap<ResourceId, Integer>();
    for (var resource : needed) {
      var before = times(resource);
      if (!begun.contains(resource) && (before > 0 || noRoom.contains(resource))) {
        after.put(resource, Math.min(TIMES_MAX, before + 1));
      }
    }
    return new LeftOut(after);
  }
}
