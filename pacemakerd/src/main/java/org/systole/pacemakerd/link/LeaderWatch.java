package org.systole.pacemakerd.link;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;

/// Watches that the first member of the transport's view leads it.
///
/// That one may have another view, in which this process is not: then it tells nobody here anything, and is well all the same, so that the
/// transport does not give it up. Where the transport takes both views for the same one, by their names, that would last for ever. So who hears
/// nothing of its leader for some token times goes on without it; the transport merges the two views then. The one that comes next may be well
/// with that leader, and will not lead: so each time it goes on without one more of those before it, until one of them leads, or it does itself.
///
/// What was due while this process stood still counts once.
final class LeaderWatch {
  /// How many token times a leader may take to be heard of.
  static final int PATIENCE = 4;

  private final World world;
  private final LinkConfig config;
  private final LinkWire wire;
  private World.@Nullable Timer timer;
  private int unheard; // token times
  private int without; // how many of those before this one it goes on without

  LeaderWatch(World world, LinkConfig config, LinkWire wire) {
    this.world = world;
    this.config = config;
    this.wire = wire;
  }

  /// A view was installed.
  void view(List<Address> members) {
    stop();
    var before = members.stream().takeWhile(it -> !wire.isSelf(it)).toList();
    if (!before.isEmpty()) {
      await(before);
    }
  }

  /// The first member of the view has pinged in it.
  void pinged() {
    unheard = 0;
    without = 0;
  }

  void stop() {
    pinged();
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void await(List<Address> before) {
    timer =
        world.after(
            config.timing().token(),
            () -> {
              if (++unheard >= PATIENCE) {
                unheard = 0;
                without = Math.min(without + 1, before.size());
                var left = before.subList(0, without);
                world.log().warning("%s is first in the view, and does not lead it: going on without %s".formatted(left.getFirst(), left));
                left.forEach(wire::doubt);
              }
              await(before);
            });
  }
}
