package org.systole.cibd;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;

/// What a takeover does where the newest copy of the CIB has no roles because they could not be read from disk:
/// "none" is no newer than what another node has.
final class RolesLost {
  static final String WHY =
      "the cluster's roles are lost: their file could not be used on the members that are here, see"
          + " roles-unusable-N.xml beside their CIB. A member that is away may have them: start it."
          + " If none has, crm_role --begin-anew goes on without them";

  private final Node node;
  private CibPeerMessage.@Nullable Position chosen;
  private @Nullable Line line;

  RolesLost(Node node) {
    this.node = node;
  }

  /// The node whose copy is the newest.
  ///
  /// @param own is the best of equals
  static @Nullable NodeId newest(
      Map<NodeId, CibPeerMessage.Position> positions,
      @Nullable NodeId own,
      boolean mayPart,
      Predicate<CibPeerMessage.Position> which) {
    var mine = own == null ? null : positions.get(own);
    var best = mine == null || !which.test(mine) ? null : own;
    for (var entry : positions.entrySet()) {
      var known = best == null ? null : positions.get(best);
      if (which.test(entry.getValue())
          && (known == null || entry.getValue().isNewerThan(known, mayPart))) {
        best = entry.getKey();
      }
    }
    return best;
  }

  /// @param its the CIB at this position goes on
  void chosen(CibPeerMessage.Position its) {
    chosen = its;
    line = null;
  }

  /// Where the CIB goes on whose roles are fetched from elsewhere; null while nothing is.
  @Nullable Line line() {
    return line;
  }

  /// Whether this copy's roles come from elsewhere than its CIB, which it has by now. It notes whether they
  /// are lost.
  ///
  /// @param at where the CIB goes on
  /// @return the node that has them; null if there is nothing to fetch
  @Nullable NodeId elsewhere(Map<NodeId, CibPeerMessage.Position> positions, Line at) {
    var copy = node.copy();
    var own = node.peers().localId();
    var lost = chosen != null && Boolean.FALSE.equals(chosen.roles());
    var other = lost ? newest(positions, own, node.peers().mayPart(), it -> Boolean.TRUE.equals(it.roles())) : null;
    if (other != null && !other.equals(own)) {
      node.world().log().notice("The newest roles are those of " + node.peers().name(other) + "; fetching them");
      line = at;
      return other;
    }
    var before = copy.rolesLost();
    copy.rolesLost(lost);
    if (copy.rolesLost() && !before) {
      node.world().log().critical("Roles: " + WHY);
    }
    return null;
  }
}
