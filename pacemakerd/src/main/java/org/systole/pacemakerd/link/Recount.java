package org.systole.pacemakerd.link;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;

/// A leader's change of whose votes count: it is proposed to the members of its membership, and
/// settled once all of them have it on disk, see [Electorate].
///
/// While it is open it takes most of the votes before it and most of those after it, and a majority of all nodes may have no quorum. A member
/// answers only once it has what the cluster has acknowledged, which can take long where its disk is full. So what counts already is proposed first,
/// which changes nothing, and the change once all have answered that: then they answer at once.
final class Recount {
  private static final int TELL_AFTER = 10; // token times

  private final World world;
  private final LinkWire wire;
  private final Set<NodeId> kept = new TreeSet<>();
  private @Nullable Counted open;
  private @Nullable Counted then; // proposed once all have answered
  private long membership; // the one it was proposed in
  private long proposedAt;
  private int again;
  private long waitsIn; // the membership in which this node lacks what was acknowledged
  private long waitsSince;
  private long toldOf; // the membership of which it was said that whose votes count stays as it was

  Recount(World world, LinkWire wire) {
    this.world = world;
    this.wire = wire;
  }

  /// A round of the membership has carried its quorum.
  ///
  /// @param windowPassed whether the membership is old enough to do without those who are away
  /// @param hasAll whether this node has what the cluster has acknowledged; until then nothing is proposed
  void carried(
      Epoch epoch,
      QuorumRules rules,
      Electorate electorate,
      QuorumState quorum,
      boolean windowPassed,
      boolean hasAll) {
    if (epoch.level() < Levels.COUNTED_BY_NAME) {
      return;
    }
    var now = world.elapsedNanos();
    if (open != null && membership == epoch.number()) {
      // its disk may have failed; until it has it, both the votes before and after are needed
      if (now - proposedAt >= epoch.timing().token().toNanos()) {
        if (++again == TELL_AFTER) {
          tell(epoch);
        }
        propose(open, now);
      }
      return;
    }
    var wanted =
        rules.wanted(
            epoch.nodeIds(), electorate, quorum.expectedVotes(), epoch.number(), windowPassed);
    if (wanted != null && !hasAll) {
      lack(epoch, now);
    } else if (wanted != null) {
      membership = epoch.number();
      toldOf = waitsIn == membership ? 0 : toldOf;
      waitsIn = 0;
      var isOpen = !electorate.proposed().isEmpty(); // by an earlier membership
      begin(isOpen ? wanted : electorate.settled(), isOpen ? null : wanted, now);
    }
  }

  private void begin(Counted proposal, @Nullable Counted after, long now) {
    kept.clear();
    again = 0;
    then = after;
    propose(proposal, now);
  }

  /// This node itself may never get it, where its CIB manager stands still or is not there.
  private void lack(Epoch epoch, long now) {
    if (waitsIn != epoch.number()) {
      waitsIn = epoch.number();
      waitsSince = now;
    } else if (toldOf != epoch.number() && now - waitsSince >= TELL_AFTER * epoch.timing().token().toNanos()) {
      toldOf = epoch.number();
      world
          .log()
          .warning(
              "Whose votes count stays as it was: this node has not got yet what the cluster has acknowledged (its CIB), or cannot write that to disk. See what its CIB manager logs, or stop the node");
    }
  }

  /// Whether it was said of a membership that whose votes count stays as it was, and it does.
  boolean waits(long number) {
    return toldOf == number && (open == null ? waitsIn == number : membership == number);
  }

  private void tell(Epoch epoch) {
    toldOf = epoch.number();
    var lacking = epoch.members().stream().filter(it -> !kept.contains(it.nodeId())).map(it -> it.nodeId().toString()).toList();
    world
        .log()
        .warning(
            "Whose votes count stays as it was: nodes %s have not got yet what the cluster has acknowledged (its CIB), or cannot write that and whose votes count to disk"
                .formatted(String.join(" ", lacking)));
  }

  private void propose(Counted proposal, long now) {
    open = proposal;
    proposedAt = now;
    wire.broadcast(new LinkPeerMessage.Propose(membership, proposal));
  }

  void kept(Address from, LinkPeerMessage.Kept it, @Nullable Epoch epoch) {
    if (open == null
        || epoch == null
        || epoch.number() != membership
        || it.number() != membership
        || it.since() != open.since()) {
      return;
    }
    for (var member : epoch.members()) {
      if (member.address().equals(from)) {
        kept.add(member.nodeId());
      }
    }
    if (!kept.equals(epoch.nodeIds())) {
      return;
    }
    if (then != null) {
      begin(then, null, world.elapsedNanos());
    } else {
      wire.broadcast(new LinkPeerMessage.Settled(membership, open.since()));
      open = null;
      toldOf = 0;
    }
  }
}
