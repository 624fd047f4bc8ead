package org.systole.scheduler.model;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.Resource.ActiveNode;

/// Chooses "the" node of a resource among those where it is active.
final class ActiveNodes {
  private ActiveNodes() {}

  static ActiveNode among(Resource resource, Collection<Node> nodes) {
    var clean = 0;
    @Nullable Node chosen = null;
    for (var node : nodes) {
      var good = node.online() && !node.unclean();
      if (good) {
        clean++;
      }
      if (resource.partialMigrationSource() != null) {
        if (node == resource.partialMigrationSource()) {
          chosen = node;
        }
      } else if (!resource.is(ResourceFlag.NEEDS_FENCING)
          && good
          && (chosen == null || !chosen.online() || chosen.unclean())) {
        chosen = node;
      }
      if (chosen == null) {
        chosen = node;
      }
    }
    return new ActiveNode(chosen, nodes.size(), clean);
  }
}
