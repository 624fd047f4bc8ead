package org.systole.pacemakerd.link;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Side;

/// Links of builds that have no level in common: they are never in one membership, and of two that
/// meet one ends, with an explanation in both logs.
final class Misfits {
  private static final int STAY_DOWN = 100; // nothing changes before another build is installed
  private static final NodeName UNTOLD = new NodeName("(untold)");

  private final World world;
  private final LinkCore.Ending ending;
  private final LinkWire wire;
  private final NodeName name;
  private final Levels levels;
  private final Map<Address, Levels> met = new TreeMap<>();

  /// @param ending told when this link is the one that ends
  /// @param name of this node
  /// @param levels of this build
  Misfits(World world, LinkCore.Ending ending, LinkWire wire, NodeName name, Levels levels) {
    this.world = world;
    this.ending = ending;
    this.wire = wire;
    this.name = name;
    this.levels = levels;
  }

  Levels levels() {
    return levels;
  }

  /// @param epoch the membership this link is in
  Side side(@Nullable Epoch epoch) {
    return new Side(name, levels, epoch != null && epoch.quorum().quorate());
  }

  /// Whether this process can be in no membership with this one.
  boolean has(Address process) {
    return met.containsKey(process);
  }

  /// Whether a process that wants to lead can be understood. If not, it is told so, or this process
  /// ends.
  ///
  /// @param theirs null from a build that does not tell levels
  boolean fits(Address from, @Nullable Side theirs, Side mine) {
    if (!levels.with(theirs == null ? Levels.UNTOLD : theirs.levels()).isNone()) {
      return true;
    }
    // one that tells no levels does not end, so this one does if it has no quorum
    refuse(from, theirs == null ? new Side(UNTOLD, Levels.UNTOLD, !mine.quorate()) : theirs, mine);
    return false;
  }

  /// Notes a link with no level in common, and tells it so.
  void refuse(Address from, Side theirs, Side mine) {
    wire.send(from, new LinkPeerMessage.Misfit(mine));
    meet(from, theirs, mine);
  }

  /// Notes a link with no level in common.
  void meet(Address from, Side theirs, Side mine) {
    var news = met.put(from, theirs.levels()) == null;
    if (levels.with(theirs.levels()).isNone() && mine.yieldsTo(theirs)) {
      ending.end(
          STAY_DOWN,
          "this node cannot be in the cluster: node %s, and this one %s; install a build here that speaks what the cluster speaks (the documentation of upgrades has a table)"
              .formatted(theirs, mine.levels()));
    } else if (news) {
      world
          .log()
          .error(
              "Leaving out node %s, and this cluster %s; install a build there that speaks what this cluster speaks"
                  .formatted(theirs, mine.levels()));
    }
  }

  /// Only these processes are there. One that was left out for the sake of another member is tried
  /// again: that one may be gone.
  void present(List<Address> members) {
    met.keySet().retainAll(members);
    met.values().removeIf(theirs -> !levels.with(theirs).isNone());
  }

  /// Logs a change of the level, so that an administrator who upgrades node by node sees when the
  /// last node is done.
  void tellLevel(@Nullable Epoch before, LinkPeerMessage.Install it) {
    var level = it.level() == null ? Levels.UNTOLD.newest() : it.level();
    var newest = levels.newest();
    if (before == null ? level < newest : level != before.level()) {
      world
          .log()
          .notice(
              level < newest
                  ? "The members speak level %d, until no build older than this one is left: it speaks level %d"
                      .formatted(level, newest)
                  : "All members speak level %d".formatted(level));
    }
  }
}
