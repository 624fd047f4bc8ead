package org.systole.cibd;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.World;

/// Has one of two nodes wait for the other, where that was here and is lost before this one has read its CIB.
///
/// Each of two nodes may have quorum alone, so what the other one has confirmed while it was alone is with nobody else.
/// A node that has just been started waits until it has seen the other one (`wait_for_all`); that it was seen is not
/// enough. The wait has an end, as the other one may be lost for good.
final class UnreadOther {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final World world;
  private final Peers peers;
  private final BooleanSupplier isInOffice;
  private final BooleanSupplier isInStep;
  private final Runnable goOn;
  private boolean member; // the other one
  private boolean here; // its CIB manager
  private boolean read = true; // what it had when it came; what was never seen is for wait_for_all
  private World.@Nullable Timer timer;

  /// @param isInOffice whether this node is the primary with quorum, so that the other one follows it
  /// @param isInStep whether this node has the CIB of the primary
  /// @param goOn called when this node is not to wait any longer
  UnreadOther(Node node, BooleanSupplier isInOffice, BooleanSupplier isInStep, Runnable goOn) {
    this.world = node.world();
    this.peers = node.peers();
    this.isInOffice = isInOffice;
    this.isInStep = isInStep;
    this.goOn = goOn;
  }

  /// The membership is another one, and the primary has not heard of it yet.
  void membership() {
    var now = peers.otherOfTwo() != null && peers.memberNames().size() > 1;
    note(member, now);
    member = now;
  }

  /// The group is about to be another one.
  void group(List<NodeId> group) {
    var other = peers.otherOfTwo();
    var now = other != null && group.contains(other);
    note(here, now);
    here = now;
  }

  private void note(boolean before, boolean now) {
    if (now && !before) {
      read = isInOffice.getAsBoolean();
      stop();
    } else if (before && !now) {
      read |= isInOffice.getAsBoolean() || isInStep.getAsBoolean();
    }
  }

  /// Whether this node is not to take over with quorum yet.
  boolean holds() {
    if (read || !peers.isQuorate() || !peers.isAlone() || !peers.mayPart()) {
      return false;
    }
    if (timer == null) {
      world
          .log()
          .notice(
              "Waiting up to %d s for %s, which may have confirmed changes of the configuration that are not known here"
                  .formatted(PATIENCE.toSeconds(), peers.otherName()));
      timer = world.after(PATIENCE, this::giveUp);
    }
    return true;
  }

  private void giveUp() {
    timer = null;
    read = true;
    world
        .log()
        .warning(
            "Going on with the configuration of this node; what was changed on %s last may be lost"
                .formatted(peers.otherName()));
    goOn.run();
  }

  private void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
