package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.Numbers;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// Has one of two nodes wait for the other, where that was here and is lost before this one has read its CIB.
///
/// Each of two nodes may have quorum alone, so what the other one has confirmed while it was alone is with nobody else.
/// A node that has just been started waits until it has seen the other one (`wait_for_all`); that it was seen is not
/// enough. The wait has an end, as the other one may be lost for good.
///
/// While both are members neither confirms anything without the other. So what was read in one stay of the other one
/// counts until that has left, whatever becomes of its CIB manager, or of its office.
///
/// The other one may have been seen before this process was there: the membership is another one than that in which this
/// node's stay began. In which membership there was nothing to wait for any more is kept on disk, so that a CIB manager that is
/// started again goes on at once.
final class UnreadOther {
  static final String FILE = "other-read";

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final World world;
  private final Peers peers;
  private final Durable durable;
  private final BooleanSupplier isInOffice;
  private final Runnable goOn;
  private boolean begun; // it knows the membership
  private boolean member; // the other one
  private boolean read = true; // what it had when it came; what was never seen is for wait_for_all
  private long kept; // the last membership in which that held
  private @Nullable Long until; // it waits
  private World.@Nullable Timer timer;

  /// @param isInOffice whether this node is the primary with quorum, so that the other one follows it
  /// @param goOn called when this node is not to wait any longer
  UnreadOther(Node node, BooleanSupplier isInOffice, Runnable goOn) {
    this.world = node.world();
    this.peers = node.peers();
    this.durable = node.durable();
    this.isInOffice = isInOffice;
    this.goOn = goOn;
    this.kept = kept();
  }

  /// The membership is another one, or the link is lost.
  void membership() {
    var number = peers.membershipNumber();
    var now = peers.otherOfTwo() != null && peers.memberNames().size() > 1;
    var known = !begun && kept == number; // by the process before
    if (now && !member && !known) {
      read = isInOffice.getAsBoolean();
      stop();
    } else if (!begun && !known && peers.hasLost()) {
      read = false; // it may have been here before this process was
    }
    begun = number != 0;
    member = now;
    keep();
  }

  /// This node has the CIB of the other one, which is the primary.
  void isRead() {
    read = true;
    stop();
    keep();
  }

  /// A takeover has chosen the newest CIB of these nodes.
  void isRead(Collection<NodeId> answered) {
    var other = peers.otherOfTwo();
    if (other != null && answered.contains(other)) {
      isRead();
    }
  }

  /// Whether this node is not to take over with quorum yet.
  boolean holds() {
    if (read || !peers.isQuorate() || !peers.isAlone() || !peers.mayPart()) {
      return false;
    }
    var now = world.nanoTime();
    if (until == null) {
      until = now + PATIENCE.toNanos();
      world
          .log()
          .notice(
              "Waiting up to %d s for %s, which may have confirmed changes of the configuration that are not known here"
                  .formatted(PATIENCE.toSeconds(), peers.otherName()));
    }
    var left = until - now;
    if (left <= 0) {
      giveUp();
      return false;
    }
    if (timer == null) {
      timer =
          world.after(
              Duration.ofNanos(left),
              () -> {
                timer = null;
                goOn.run();
              });
    }
    return true;
  }

  private void giveUp() {
    isRead();
    world
        .log()
        .warning(
            "Going on with the configuration of this node; what was changed on %s last may be lost"
                .formatted(peers.otherName()));
  }

  private void stop() {
    until = null;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private long kept() {
    try {
      var bytes = world.store().read(FILE);
      return bytes == null ? 0 : Numbers.parse(new String(bytes, StandardCharsets.UTF_8).strip(), 0);
    } catch (Store.StoreException e) {
      world.log().warning("Whether the other node's CIB was read is not known: " + e.getMessage());
      return 0;
    }
  }

  /// Keeps that there is nothing to wait for though the other one was here, once what was read is on disk, too.
  private void keep() {
    var number = peers.membershipNumber();
    if (read && number != kept && peers.otherOfTwo() != null && (member || peers.hasLost())) {
      durable.save(
          () -> {
            if (read && number == peers.membershipNumber() && number != kept) {
              keep(number);
            }
          });
    }
  }

  private void keep(long number) {
    kept = number;
    var content = (number + "\n").getBytes(StandardCharsets.UTF_8);
    world
        .store()
        .change(
            List.of(new Store.Change.Write(FILE, content)),
            problem -> {
              if (problem != null) {
                world.log().warning("Cannot keep that the other node's CIB was read: " + problem);
              }
            });
  }
}
