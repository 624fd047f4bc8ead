package org.systole.cibd;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.world.World;

/// Has a primary that goes on alone, of two nodes, begin later terms, and keep back what it cannot
/// promise yet.
///
/// Of two nodes that went on apart fencing settles which one is right, and that one does not know how
/// many takeovers the other had made before it was fenced. So that its changes count for the later
/// ones when the other is back, even if it has been restarted by then itself, it begins new terms:
/// once the CIB says that the other one is down, and in the first minutes: who goes on for longer has
/// the latest. The other one may have done the latter, too, just before it was fenced, and more often than
/// this one, whose controller may have been away as they parted: so the term in which it is down is later than all of those.
/// All of them are counted from the term in which both were together, which each has on its disk ([PartedFile]): a CIB manager
/// that is started anew while they are apart goes no further than the one before it.
///
/// What is asked for before that may be lost with this node, and so is not confirmed: for a moment
/// where fencing works. After 20 s it is, as people must be able to correct a faulty fence device.
/// Whether the other one may fence this one is what both had configured when they parted: what one of
/// them changes of that afterwards the other does not know.
final class Outlasting {
  private static final Duration FIRST = Duration.ofSeconds(20);
  private static final int TIMES = 5; // each after twice as long as the one before
  private static final int DOWN = 2 * (TIMES + 1); // steps; one of an older build may have begun its own twice

  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final BooleanSupplier isInOffice;
  private final LongConsumer renewal;
  private boolean together;
  private boolean downBefore; // the CIB still says of the other one what it said before that came
  private boolean fencing; // when they parted
  private boolean begun;
  private boolean settled; // the later term is about to begin
  private boolean renewed;
  private boolean outlived; // renewed since the other one is down
  private boolean told;
  private int times;
  private World.@Nullable Timer timer;

  /// @param isInOffice whether this node is the primary, with quorum
  /// @param renewal begins a term that is so many steps later than when both were together; what waits to be confirmed is asked for again in it
  Outlasting(Node node, BooleanSupplier isInOffice, LongConsumer renewal) {
    this.world = node.world();
    this.peers = node.peers();
    this.copy = node.copy();
    this.isInOffice = isInOffice;
    this.renewal = renewal;
  }

  /// Something has changed that tells whether this node is alone.
  void changed() {
    if (together == peers.isAlone()) {
      together = !together;
      downBefore = together ? isOtherDown() : downBefore;
    }
    if (together) {
      begun = false;
      settled = false;
      renewed = false;
      outlived = false;
      told = false;
      times = 0;
      if (timer != null) {
        timer.cancel();
        timer = null;
      }
    } else if (!begun && isAlone()) {
      fencing = isFencing();
      begun = true;
      wait(FIRST);
    }
    settle();
  }

  /// Whether a change of the configuration that was made here cannot be lost to the other of two
  /// nodes any more, as far as that can be known.
  boolean mayPromise() {
    var may = renewed || !isAlone() || !fencing && !isFencing();
    if (!may && !told) {
      told = true;
      world
          .log()
          .notice(
              "Changes of the configuration are confirmed once %s has been fenced, at the latest in %d s"
                  .formatted(peers.otherName(), FIRST.toSeconds()));
    }
    return may;
  }

  /// The CIB was changed.
  void settle() {
    if (downBefore && !isOtherDown()) {
      downBefore = false;
    }
    if (begun && !settled && !outlived && isAlone() && !downBefore && isOtherDown()) {
      settled = true;
      world.post(
          () -> {
            if (settled && isAlone()) {
              renewed = true;
              outlived = true;
              renewal.accept(DOWN);
            }
            settled = false;
          });
    }
  }

  private boolean isAlone() {
    return isInOffice.getAsBoolean() && peers.mayPart() && peers.isAlone();
  }

  private boolean isFencing() {
    return ClusterOptions.read(copy.cib(), world.now(), world.zone()).fencing();
  }

  /// Whether the DC has recorded that the other one was fenced or has left.
  private boolean isOtherDown() {
    var other = peers.otherOfTwo();
    var status = copy.cib().first("status");
    var state = status == null || other == null ? null : status.first("node_state", other.toString());
    return state != null
        && "down".equals(state.get("expected"))
        && "0".equals(state.get("in_ccm"));
  }

  private void wait(Duration time) {
    timer =
        world.after(
            time,
            () -> {
              timer = null;
              if (isAlone()) {
                renewed = true;
                renewal.accept(times + 1);
              }
              if (++times < TIMES) {
                wait(time.multipliedBy(2));
              }
            });
  }
}
