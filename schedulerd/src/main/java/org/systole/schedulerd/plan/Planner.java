package org.systole.schedulerd.plan;

import java.util.List;
import java.util.Map;
import org.systole.schedulerd.graph.TransitionGraph;
import org.systole.schedulerd.model.ClusterFlag;
import org.systole.schedulerd.model.WorkingSet;

/// Runs the passes in order.
public final class Planner {
  private Planner() {}

  /// Reads the constraints without deciding anything from them.
  public static void readConstraints(WorkingSet cluster) {
    ConstraintReader.readAll(cluster);
  }

  /// Plans what is to be done. Afterwards the working set holds all decisions and their reasons.
  ///
  /// @param cluster a set that has been read, see [org.systole.schedulerd.unpack.Status]
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
    OrderingApplication.apply(cluster);
    Settlement.apply(cluster);
    return GraphBuilder.build(cluster);
  }

  // Constraints and scores, as far as they depend on no other resource.
  private static void place(WorkingSet cluster) {
    NodeCriteria.applyHealth(cluster);
    ConstraintReader.readAll(cluster);
    if (!cluster.is(ClusterFlag.VALIDATE_ONLY)) {
      NodeCriteria.apply(cluster);
    }
  }
}
