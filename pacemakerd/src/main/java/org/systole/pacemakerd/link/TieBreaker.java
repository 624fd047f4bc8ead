package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.TieBreak;

/// Which node of the list in `auto_tie_breaker_node` decides between two halves: the first that was
/// a member of the last membership with quorum. One before it in the list cannot have gone on with
/// the other half, as it was in neither.
///
/// It is kept on disk: a node that is started anew between two splits must not think of an earlier
/// membership. Who knows of the latest membership is believed.
final class TieBreaker {
  static final String FILE = "tie-breaker";

  private final World world;
  private List<NodeId> list;
  private @Nullable TieBreak last;

  /// @param list the option's, in its order; one or none is always the same
  TieBreaker(World world, List<NodeId> list) {
    this.world = world;
    this.list = list;
  }

  /// Another list is in force.
  void use(List<NodeId> changed) {
    if (!changed.equals(list)) {
      list = changed;
      last = null; // the membership with which it comes in force says it anew
    }
  }

  void start() {
    last = list.size() < 2 ? null : read();
  }

  /// As of the last membership with quorum this node was in; null if that is not known or does not
  /// matter.
  @Nullable TieBreak last() {
    return last;
  }

  /// This node is in a membership that has the quorum.
  void quorate(long membership, Set<NodeId> members) {
    if (list.size() < 2 || last != null && last.membership() >= membership) {
      return;
    }
    var first = list.stream().filter(members::contains).findFirst().orElse(null);
    last = new TieBreak(membership, first);
    var content = (membership + " " + (first == null ? "none" : first) + "\n");
    world
        .store()
        .change(
            List.of(new Store.Change.Write(FILE, content.getBytes(StandardCharsets.UTF_8))),
            problem -> {
              if (problem != null) {
                world.log().error("Cannot keep which node decides between halves: " + problem);
              }
            });
  }

  private @Nullable TieBreak read() {
    try {
      var bytes = world.store().read(FILE);
      if (bytes == null) {
        return null;
      }
      var words = new String(bytes, StandardCharsets.UTF_8).strip().split(" ");
      var known = words.length == 2 && words[0].matches("\\d{1,18}");
      var node = known ? NodeId.of(words[1]) : null;
      if (!known || node == null && !words[1].equals("none")) {
        throw new Store.StoreException(FILE + " is damaged");
      }
      return new TieBreak(Long.parseLong(words[0]), node);
    } catch (Store.StoreException e) {
      world
          .log()
          .warning(
              "Which node decides between halves is lost, the first of auto_tie_breaker_node does: "
                  + e.getMessage());
      return null;
    }
  }
}
