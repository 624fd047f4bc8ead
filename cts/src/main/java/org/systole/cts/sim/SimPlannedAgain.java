package org.systole.cts.sim;

import java.time.ZoneOffset;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.resource.PendingActions;

/// A DC that has carried out its plan is idle, also where each further plan has a monitor begun that runs already: whatever waits
/// until there is nothing left to do waits without end then.
final class SimPlannedAgain {
  private SimPlannedAgain() {}

  /// Of a cluster at rest: plans for its CIB anew.
  static void check(SimCluster cluster) {
    check(cluster, false);
  }

  /// The same, and that no failure is cleared that was cleared before. One that has expired meanwhile is cleared with the next plan, which is none
  /// of the cluster's haste: this is for scripts, which know when they ask.
  static void checkAll(SimCluster cluster) {
    check(cluster, true);
  }

  private static void check(SimCluster cluster, boolean clears) {
    var node = cluster.nodes().getFirst();
    var cib = node.cib();
    if (cib == null) {
      return;
    }
    var status = Status.of(cib, SimWorld.BEGINNING.plusNanos(cluster.queue().now()), ZoneOffset.UTC, Set.of());
    var actions = PendingActions.of(status).actions(); // as crm_resource --wait does
    var changed = actions.stream().filter(it -> !recurs(it)).map(SimPlannedAgain::resource).collect(Collectors.toSet());
    var recurring = actions.stream().filter(it -> recurs(it) && !changed.contains(resource(it)));
    var clearing = status.actions().stream().filter(it -> clears && it.task().equals(TaskName.CLEAR_FAILCOUNT));
    var again = Stream.concat(recurring, clearing).map(SimPlannedAgain::told).toList();
    if (!again.isEmpty()) {
      cluster.fail(SimCheck.PLANNED_AGAIN, "at rest, a new plan of %s's CIB has %s".formatted(node.name(), again));
    }
  }

  // What a plan moves the next one may move on, where nothing keeps it (as with Pacemaker): that is for placement to say.
  private static boolean recurs(Action action) {
    return action.task().equals(TaskName.MONITOR) && !action.key().endsWith("_0"); // a probe does not recur
  }

  private static String resource(Action action) {
    return action.resource() == null ? "" : action.resource().id();
  }

  private static String told(Action action) {
    return action.key() + (action.node() == null ? "" : " on " + action.node().name());
  }
}
