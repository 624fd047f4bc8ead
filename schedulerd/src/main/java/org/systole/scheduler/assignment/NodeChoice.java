package org.systole.scheduler.assignment;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Places;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoredNode;

/// Picks the best node for one resource.
final class NodeChoice {
  private NodeChoice() {}

  static void assignBest(Resource rsc, @Nullable Node prefer, boolean stopIfFail) {
    var mostFree = Utilization.banInsufficient(rsc);
    if (!rsc.is(ResourceFlag.UNASSIGNED)) {
      return;
    }
    var nodes = NodeRanking.sorted(rsc.cluster(), rsc.allowed(), rsc.currentNode());
    var wanted = prefer == null ? mostFree : prefer;
    ScoredNode chosen = null;
    if (wanted != null && !nodes.isEmpty()) {
      chosen = rsc.allowed().get(wanted);
      if (chosen != null
          && (chosen.score() < nodes.getFirst().score() || !Places.availableFor(chosen))) {
        chosen = null;
      }
    }
    if (chosen == null && !nodes.isEmpty()) {
      chosen = best(rsc, nodes);
    }
    Assignment.place(rsc, chosen, false, stopIfFail);
  }

  // Of nodes with the best score the one where it runs already. Not so for unique instances: those
  // that were to stay have their nodes, and the others should not crowd there.
  private static ScoredNode best(Resource rsc, List<ScoredNode> nodes) {
    var best = nodes.getFirst();
    if (Places.isUniqueClone(rsc.parent()) || best.score() <= 0 || !Places.available(best.node())) {
      return best;
    }
    var running = rsc.currentNode();
    if (running == null || !Places.available(running) || running.score() < 0) {
      return best;
    }
    var chosen = best;
    var count = 1;
    for (var entry : nodes.subList(1, nodes.size())) {
      if (entry.score() != best.score()) {
        break;
      }
      count++;
      chosen = entry.node() == running ? entry : chosen;
    }
    if (count > 1 && chosen.score() >= Score.INFINITY) {
      rsc.cluster()
          .logWarning(
              "assign_best_node",
              "Chose %s for %s from %d nodes with score INFINITY"
                  .formatted(chosen.node().name(), rsc.id(), count),
              "");
    }
    return chosen;
  }
}
