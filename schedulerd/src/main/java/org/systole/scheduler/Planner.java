package org.systole.scheduler;

import java.util.List;
import java.util.Map;
import org.systole.common.transition.TransitionGraph;
import org.systole.scheduler.actions.ConfigChanges;
import org.systole.scheduler.actions.FencingPlan;
import org.systole.scheduler.actions.ForgottenGuests;
import org.systole.scheduler.actions.ResourceActions;
import org.systole.scheduler.actions.Settlement;
import org.systole.scheduler.assignment.Assignment;
import org.systole.scheduler.constraints.ConstraintReader;
import org.systole.scheduler.constraints.FrozenHosts;
import org.systole.scheduler.constraints.JoinGate;
import org.systole.scheduler.constraints.MigrationsUnderWay;
import org.systole.scheduler.constraints.NodeCriteria;
import org.systole.scheduler.graph.GraphBuilder;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.orderings.InternalConstraints;
import org.systole.scheduler.orderings.OrderingApplication;
import org.systole.scheduler.orderings.RemoteOrderings;

/// Runs the passes in order.
public final class Planner {
  private Planner() {}

  /// Reads the constraints without deciding anything from them.
  public static void readConstraints(WorkingSet cluster) {
    ConstraintReader.readAll(cluster);
  }

  /// Plans what is to be done. Afterwards the working set holds all decisions and their reasons.
  ///
  /// @param cluster a set that has been read, see [org.systole.scheduler.unpack.Status]
  public static TransitionGraph plan(WorkingSet cluster) {
    place(cluster);
    if (cluster.is(ClusterFlag.VALIDATE_ONLY) || cluster.is(ClusterFlag.LOCATION_ONLY)) {
      return new TransitionGraph(Map.of(), List.of());
    }
    InternalConstraints.add(cluster);
    ConfigChanges.handle(cluster);
    Assignment.assignAll(cluster);
    ResourceActions.createAll(cluster);
    RemoteOrderings.add(cluster);
    FencingPlan.schedule(cluster);
    ForgottenGuests.hold(cluster);
    OrderingApplication.apply(cluster);
    Settlement.apply(cluster);
    return GraphBuilder.build(cluster);
  }

  // Constraints and scores, as far as they depend on no other resource.
  private static void place(WorkingSet cluster) {
    NodeCriteria.applyHealth(cluster);
    JoinGate.apply(cluster);
    FrozenHosts.apply(cluster);
    MigrationsUnderWay.hold(cluster.resources());
    ConstraintReader.readAll(cluster);
    if (!cluster.is(ClusterFlag.VALIDATE_ONLY)) {
      NodeCriteria.apply(cluster);
    }
  }
}
