package org.systole.scheduler.orderings;

import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.constraints.Orderings;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Relations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Fencing;

/// What is ordered around the unfencing of a node.
public final class UnfencingOrderings {
  private UnfencingOrderings() {}

  public static boolean isUnfenced(Node node) {
    var time = node.attributes().get("#node-unfenced");
    return time != null && !time.equals("0");
  }

  /// Has a node unfenced before an action of a resource that needs it there.
  public static void orderAfterUnfencing(
      Resource rsc, Node node, Action action, Relations relations) {
    var cluster = rsc.cluster();
    if (!(rsc.is(ResourceFlag.FENCE_DEVICE) && cluster.is(ClusterFlag.ENABLE_UNFENCING))
        && !rsc.is(ResourceFlag.NEEDS_UNFENCING)) {
      return;
    }
    // Optional, or any new resource would have all others stopped for it.
    var unfence = Fencing.fenceAction(cluster, node, TaskName.ON, true, null, false);
    Actions.order(unfence, action, relations);
    if (!isUnfenced(node)) {
      Fencing.triggerUnfencing(
          cluster, null, node, "required by %s %s".formatted(rsc.id(), action.task()), null);
    }
  }

  /// Has a resource stopped before and started after its node is unfenced.
  static void orderRestartAroundUnfencing(Resource rsc, Node node) {
    var unfence = Fencing.fenceAction(rsc.cluster(), node, TaskName.ON, true, null, false);
    Orderings.add(
        rsc.cluster(),
        rsc,
        OperationKey.text(rsc.id(), TaskName.STOP),
        null,
        null,
        unfence.key(),
        unfence,
        Relations.of(Relation.ORDERED, Relation.IF_ON_SAME_NODE));
    Orderings.add(
        rsc.cluster(),
        null,
        unfence.key(),
        unfence,
        rsc,
        OperationKey.text(rsc.id(), TaskName.START),
        null,
        Relations.of(Relation.FIRST_IMPLIES_SAME_NODE_THEN, Relation.IF_ON_SAME_NODE));
  }
}
