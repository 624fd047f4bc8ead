package org.systole.pacemakerd.link;

import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;

/// Has members read their file that have not taken the newest one: they were cut off while the others read it. One whose file on disk says the same takes it,
/// as if it had been there, so that it comes in force; of another one it is said that its file differs.
///
/// The first of those who have taken it asks for all.
final class MissedFile {
  private record Asked(long id, long membership, ClusterConfig file, TreeSet<NodeId> open) {}

  private final World world;
  private final LinkWire wire;
  private final LinkMember member;
  private final FileWaits waits;
  private final LongSupplier nextId;
  private @Nullable Asked asked;

  /// @param nextId for a message that asks to read
  MissedFile(World world, LinkWire wire, LinkMember member, FileWaits waits, LongSupplier nextId) {
    this.world = world;
    this.wire = wire;
    this.member = member;
    this.waits = waits;
    this.nextId = nextId;
  }

  /// A membership was installed. Those who are just being told to take a file may do so yet, and some may not have the membership yet.
  void installed() {
    asked = null;
    var epoch = member.epoch();
    if (epoch != null && isFirst(epoch)) {
      var number = epoch.number();
      world.after(epoch.timing().token(), () -> ask(number));
    }
  }

  private boolean isFirst(Epoch epoch) {
    var taken = member.config().taken();
    var unread = member.files().unread();
    if (taken.isEmpty() || unread.isEmpty()) {
      return false;
    }
    var newest = taken.getLast();
    for (var id : epoch.nodeIds()) {
      if (newest.lists(id) && !unread.contains(id) && !member.files().isInForce(id, newest)) {
        return id.equals(member.config().local().id());
      }
    }
    return false;
  }

  private void ask(long membership) {
    var epoch = member.epoch();
    var file = member.config().coming();
    if (epoch == null || file == null || epoch.number() != membership || !member.membership().quorate() || !isFirst(epoch)) {
      return;
    }
    var begun = new Asked(nextId.getAsLong(), membership, file, new TreeSet<>(member.files().unread()));
    asked = begun;
    for (var id : begun.open) {
      var place = epoch.place(id);
      if (place != null) {
        world.log().info("Node %s has not read the new corosync.conf; it is asked to".formatted(waits.name(id)));
        wire.send(place.address(), new LinkPeerMessage.ReadAnew(begun.id));
      }
    }
  }

  void hasRead(Address from, LinkPeerMessage.HasRead answer) {
    var present = asked;
    var epoch = member.epoch();
    if (present == null
        || answer.id() != present.id
        || epoch == null
        || epoch.number() != present.membership
        || !present.open.remove(answer.nodeId())) {
      return;
    }
    var file = NodeConfig.of(present.file, member.config().local());
    var differences = answer.differences(file, NodeAddress.of(present.file));
    if (differences.isEmpty()) {
      wire.send(from, new LinkPeerMessage.Take(present.id, null));
    } else {
      world
          .log()
          .warning(
              "corosync.conf of node %s is not the new one, which the others have read: %s; make them the same, and say corosync-cfgtool -R again"
                  .formatted(waits.name(answer.nodeId()), String.join("; ", differences)));
    }
  }
}
