package org.systole.pacemakerd.link;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.systole.common.values.NodeId;
import org.systole.common.world.Store;
import org.systole.common.world.World;

/// Makes the numbers of memberships. They rise, over restarts too: those that may be in use are
/// reserved on disk, many at a time.
final class MembershipCounter {
  static final String FILE = "membership";

  private static final int RESERVED = 100;
  private static final long LOST_SINCE = 1_577_836_800; // 2020, so that 31 bits last

  /// What a file may say. A node whose file is damaged would take all others with it to where no number is left, for good.
  private static final long KEPT_MAX = 1L << 30;

  /// What others may say: none that has begun below the former gets there.
  private static final long HEARD_MAX = 3L << 29;

  private final World world;
  private final NodeId localId;
  private long counter;
  private long reserved;
  private boolean warned;

  MembershipCounter(World world, NodeId localId) {
    this.world = world;
    this.localId = localId;
  }

  /// Begins above all that this node has used before.
  void start() {
    counter = read();
    reserved = counter;
    reserve();
  }

  /// A number nobody has used.
  long next() {
    counter++;
    reserve();
    return MembershipNumber.of(counter, localId);
  }

  /// A number in use elsewhere; new ones will be above it.
  void heardOf(long number) {
    var heard = MembershipNumber.counter(number);
    if (heard > HEARD_MAX) {
      if (!warned) {
        warned = true;
        world.log().error("Another node counts %d memberships, which cannot be: see to its state directory".formatted(heard));
      }
    } else if (heard > counter) {
      counter = heard;
      reserve();
    }
  }

  /// No new membership may have a number below this.
  long least() {
    return MembershipNumber.least(counter);
  }

  private long read() {
    try {
      var bytes = world.store().read(FILE);
      var kept = bytes == null ? 0 : Long.parseLong(new String(bytes, StandardCharsets.UTF_8).strip());
      if (kept < 0 || kept > KEPT_MAX) {
        throw new Store.StoreException(FILE + " is damaged");
      }
      return kept;
    } catch (Store.StoreException | NumberFormatException e) {
      world.log().warning("The number of the last membership is lost: " + e.getMessage());
      // surely above what was in use
      return Math.max(0, world.now().getEpochSecond() - LOST_SINCE);
    }
  }

  private void reserve() {
    if (counter + RESERVED / 2 < reserved) {
      return;
    }
    reserved = counter + RESERVED;
    var content = (reserved + "\n").getBytes(StandardCharsets.UTF_8);
    world
        .store()
        .change(
            List.of(new Store.Change.Write(FILE, content)),
            problem -> {
              if (problem != null) {
                world.log().error("Cannot keep the number of the last membership: " + problem);
              }
            });
  }
}
