package org.systole.pacemakerd.link;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;

/// Whether this node has what its cluster has acknowledged, as its CIB manager says, see
/// [org.systole.common.cluster.LinkMessage.InStep].
///
/// Whose votes count changes only where all members have it. A change that was acknowledged is with most of the votes that
/// counted then; of those that are to count it may be with none that the next side with quorum has. So before the votes
/// change, everything acknowledged is with everybody whose vote is to count.
final class InStep {
  private long reached;
  private long filesSince; // the membership since which all have taken the file that waits to come in force, or this node is one; 0: none waits
  private boolean told; // that it has all there
  private List<NodeId> behind = List.of();
  private @Nullable Epoch waitsIn;
  private Runnable waiting = () -> {};

  /// The CIB manager says so of a membership.
  void reached(long membership) {
    reached = membership;
    if (waitsIn != null && isAt(waitsIn)) {
      waitsIn = null;
      waiting.run();
    }
  }

  /// Whether it holds in a membership. Where a member speaks an earlier level nobody says so, and
  /// the votes change at once.
  boolean isAt(Epoch membership) {
    return membership.level() < Levels.STATE_BEFORE_VOTES || reached == membership.number();
  }

  /// A membership was installed.
  ///
  /// @param agreed whether a file waits that this node has taken, too, and that it has told of
  /// @param stays whether this node has not been away in between
  void installed(LinkPeerMessage.Install it, boolean agreed, boolean stays) {
    behind = it.behind() == null ? List.of() : it.behind();
    told &= agreed && stays;
    filesSince = !agreed ? 0 : filesSince != 0 && stays ? filesSince : it.number();
  }

  /// Another file was taken.
  void taken() {
    filesSince = 0;
    told = false;
  }

  /// Whether this node has what was acknowledged before all had taken the file that waits, and before it came itself: the
  /// primary takes the votes of that file into account since.
  boolean hasAll() {
    return filesSince != 0 && reached >= filesSince;
  }

  /// As [#hasAll], for a membership that is made.
  boolean tell() {
    told = hasAll();
    return told;
  }

  /// Whether a membership is to be made because this node has all now.
  boolean asks() {
    return !told && hasAll();
  }

  /// The members for which a file waits.
  List<NodeId> behind() {
    return behind;
  }

  /// Runs a task once it holds in a membership; the task of another call before it is dropped.
  void when(@Nullable Epoch membership, Runnable task) {
    if (membership == null) {
      return;
    }
    if (isAt(membership)) {
      task.run();
    } else {
      waitsIn = membership;
      waiting = task;
    }
  }
}
