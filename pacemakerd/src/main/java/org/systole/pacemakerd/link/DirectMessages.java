package org.systole.pacemakerd.link;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Pair;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;

/// The messages from daemon to daemon: which of them may still be on their way, and which members
/// they do not reach although the leader hears both.
///
/// To such a member messages go through the leader, in order with all else, beginning with those
/// that were sent shortly before. Both ways keep the order of what goes over them, and what has
/// come one way already is not taken again from the other: so each message arrives once, in order.
final class DirectMessages {
  private static final int KEPT_MAX = 10_000;
  private static final long KEPT_BYTES = 32L << 20;
  private static final int SENDERS_MAX = 1_000;

  record Sent(Address to, LinkPeerMessage.Direct message, long at) {}

  private final World world;
  private Duration kept;
  private final Deque<Sent> recent = new ArrayDeque<>();

  /// By process, the one heard last at the end. It is remembered when the process is out of the view:
  /// what it has relayed may come with the end of a membership, or when it is back.
  private final LinkedHashMap<Address, Long> received = new LinkedHashMap<>();

  private final Set<Address> silent = new LinkedHashSet<>();
  private final TreeSet<NodeId> told = new TreeSet<>(); // by the leader
  private final TreeSet<NodeId> apart = new TreeSet<>();
  private long last;
  private long bytes;

  /// @param kept how long a message that was sent may have to be relayed
  DirectMessages(World world, Duration kept) {
    this.world = world;
    this.kept = kept;
  }

  void keepFor(Duration changed) {
    kept = changed;
  }

  long next() {
    return ++last;
  }

  void sent(Address to, LinkPeerMessage.Direct message) {
    var now = world.elapsedNanos();
    recent.add(new Sent(to, message, now));
    bytes += message.payload().length;
    while (!recent.isEmpty() && isTooMuch(now)) { // one alone may be longer than all that is kept
      bytes -= recent.removeFirst().message.payload().length;
    }
  }

  private boolean isTooMuch(long now) {
    return recent.size() > KEPT_MAX
        || bytes > KEPT_BYTES
        || now - recent.getFirst().at > kept.toNanos();
  }

  /// Whether a message has not come before, the other way.
  boolean isNew(Address from, long id) {
    if (received.getOrDefault(from, 0L) >= id) {
      return false;
    }
    received.putLast(from, id);
    if (received.size() > SENDERS_MAX) {
      received.pollFirstEntry();
    }
    return true;
  }

  /// Only these processes are still there.
  void view(Collection<Address> members) {
    silent.retainAll(members);
    stayed(members);
  }

  /// What was sent to others is not relayed any more.
  void stayed(Collection<Address> members) {
    recent.removeIf(it -> !members.contains(it.to));
    bytes = recent.stream().mapToLong(it -> it.message.payload().length).sum();
  }

  /// @return whether that is news
  boolean silent(Address peer, boolean isSilent) {
    return isSilent ? silent.add(peer) : silent.remove(peer);
  }

  /// The members this node itself does not hear.
  List<NodeId> unheard(List<Place> members) {
    return members.stream().filter(it -> silent.contains(it.address())).map(Place::nodeId).toList();
  }

  /// The leader says who does not hear whom.
  void told(List<Pair> pairs, NodeId localId) {
    told.clear();
    for (var pair : pairs) {
      var other = pair.otherThan(localId);
      if (other != null) {
        told.add(other);
      }
    }
  }

  boolean isApart(NodeId nodeId) {
    return apart.contains(nodeId);
  }

  /// Decides by what is known now which members are reached by way of the leader.
  ///
  /// @param relaying the processes to which relayed messages are still on their way: nothing may
  ///     overtake these
  /// @return what has to be relayed because it may have been lost
  List<Sent> update(List<Place> members, Set<Address> relaying) {
    var lost = new ArrayList<Sent>();
    for (var member : members) {
      var id = member.nodeId();
      if (told.contains(id) || silent.contains(member.address())) {
        if (apart.add(id)) {
          recent.stream().filter(it -> it.to.equals(member.address())).forEach(lost::add);
        }
      } else if (!relaying.contains(member.address())) {
        apart.remove(id);
      }
    }
    return lost;
  }
}
