package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.QuorumDevice;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.Channels.ViewId;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Place;
import org.systole.pacemakerd.qdevice.QnetClient;
import org.systole.pacemakerd.qdevice.Side;
import org.systole.pacemakerd.qdevice.Word.Hold;

/// The quorum device's part in the link. The leader says who is on its side, or is about to be; each
/// of these tells the server, and with every answer to a ping says whether it has the server's vote
/// for the leader's side. In a round the vote counts if one of those who answered has it, as if one
/// more node had answered. [org.systole.pacemakerd.qdevice.DeviceTiming] says why no two sides can
/// count it.
///
/// Who goes by another file may trust another server, or an answer of it for longer than is waited for
/// here: once such a node was a member the vote is not counted, until the files are the same or its
/// process has ended.
///
/// A change of members that costs the quorum unless the device votes for it waits for the server's
/// decision; till then the membership before goes on, with what the server has given it.
final class DeviceVote {
  private static final long FIRST_MAX = 1L << 40;

  /// What a node last said of the device.
  private record Heard(LinkPeerMessage.DeviceAnswer answer, long at) {}

  /// The side as the leader sees it.
  private record Plan(long number, Map<NodeId, Address> members, long begun) {}

  private final World world;
  private final NodeId local;
  private final LinkWire wire;
  private final EndedPeers ended;
  private int votes;
  private boolean masterWins; // whether the smallest side can win
  private final Map<Address, Heard> heard = new LinkedHashMap<>();
  private final Map<NodeId, Address> differing = new TreeMap<>();
  private @Nullable QnetClient client;
  private long first;
  private @Nullable Plan plan; // made here
  private @Nullable Address leader; // of the side this node is on
  private List<Place> fellows = List.of(); // on that side

  DeviceVote(World world, NodeId local, LinkWire wire, EndedPeers ended) {
    this.world = world;
    this.local = local;
    this.wire = wire;
    this.ended = ended;
  }

  /// Connects to a device, instead of the one before: what that one had said is forgotten.
  void use(QnetClient it, QuorumDevice device) {
    var before = client;
    if (before == null) {
      first = 1 + world.random().nextLong(FIRST_MAX);
    } else {
      before.close();
    }
    client = it;
    votes = device.votes();
    masterWins = device.net().algorithm() == QuorumDevice.Algorithm.LMS;
    leader = null;
    fellows = List.of();
    heard.clear();
    it.start();
  }

  void close() {
    var it = client;
    if (it != null) {
      it.close();
    }
  }

  // ---- as a member

  /// The leader says who is on its side.
  void side(Address from, LinkPeerMessage.DeviceSide it) {
    var to = client;
    if (to == null
        || !wire.leads(from, it.view())
        || it.members().stream().noneMatch(place -> wire.isSelf(place.address()))) {
      return;
    }
    var inherits = leader != null && (from.equals(leader) || allOthersEnded(it.members()));
    leader = from;
    fellows = it.members();
    var ids = it.members().stream().map(Place::nodeId).sorted().toList();
    to.side(new Side(it.leader(), it.number(), ids), inherits);
  }

  /// Whether everybody of the side before is on the new one or has ended: nobody else can use what
  /// was given to that.
  private boolean allOthersEnded(List<Place> now) {
    return fellows.stream()
        .map(Place::address)
        .allMatch(
            it ->
                ended.contains(it)
                    || now.stream().anyMatch(place -> place.address().equals(it)));
  }

  /// Goes before the answer to a ping.
  void answer(Address to, ViewId view, long round) {
    var it = client;
    if (it == null) {
      return;
    }
    var word = it.word();
    var hold = to.equals(leader) ? word.hold() : Hold.NONE;
    wire.broadcast(
        new LinkPeerMessage.DeviceAnswer(view, round, local, word.plan(), hold, word.awaits()));
  }

  /// For those who look at the server.
  void quorum(boolean quorate, Set<NodeId> members) {
    var it = client;
    if (it != null) {
      it.quorum(quorate, members.stream().sorted().toList());
    }
  }

  /// The members have told what their files say.
  void files(List<Place> members, Map<NodeId, NodeConfig> files, NodeConfig own) {
    var before = !differing.isEmpty();
    differing.values().removeIf(ended::contains);
    for (var it : members) {
      var theirs = files.get(it.nodeId());
      if (theirs == null || theirs.countsDeviceAs(own)) {
        differing.remove(it.nodeId());
      } else {
        differing.put(it.nodeId(), it.address());
      }
    }
    differing.keySet().removeIf(it -> !own.lists(it));
    if (!before && isDisputed()) {
      world
          .log()
          .critical(
              "The quorum device's vote is not counted: corosync.conf of node %s has another quorum device, or none; make the files the same"
                  .formatted(differing.keySet().iterator().next()));
    }
  }

  private boolean isDisputed() {
    return differing.values().stream().anyMatch(it -> !ended.contains(it));
  }

  // ---- as the leader

  void answered(Address from, LinkPeerMessage.DeviceAnswer it) {
    heard.put(from, new Heard(it, world.elapsedNanos()));
  }

  void present(List<Address> members) {
    heard.keySet().retainAll(members);
  }

  /// Those who are to be together.
  void plan(Map<NodeId, Address> members) {
    if (client == null || members.isEmpty()) {
      return;
    }
    var before = plan;
    if (before == null || !before.members.equals(members)) {
      var number = before == null ? first : before.number + 1;
      plan = new Plan(number, new TreeMap<>(members), world.elapsedNanos());
    }
  }

  /// Goes before each ping.
  void tell(ViewId view) {
    var it = plan;
    if (it == null || client == null) {
      return;
    }
    var places = new ArrayList<Place>();
    it.members.forEach((id, address) -> places.add(new Place(id, address, 0)));
    wire.broadcast(new LinkPeerMessage.DeviceSide(view, local, it.number, places));
  }

  /// Whether one of those who answered this round has the vote.
  boolean carries(long round, Set<NodeId> answered) {
    return heard.values().stream()
        .map(Heard::answer)
        .anyMatch(
            it -> it.round() == round && answered.contains(it.nodeId()) && isSettled(it));
  }

  /// Whether the votes belong to the membership's: one of its members has said so lately.
  boolean counts(Epoch epoch) {
    var now = world.elapsedNanos();
    var limit = epoch.timing().token().toNanos();
    return heard.entrySet().stream()
        .anyMatch(
            it ->
                epoch.has(it.getKey())
                    && now - it.getValue().at <= limit
                    && isSettled(it.getValue().answer));
  }

  /// Whether the present plan has the vote.
  boolean isGranted() {
    var it = plan;
    return it != null
        && heard.values().stream()
            .map(Heard::answer)
            .anyMatch(one -> isSettled(one) && one.side() == it.number);
  }

  private boolean isSettled(LinkPeerMessage.DeviceAnswer it) {
    var mine = plan;
    return mine != null
        && !isDisputed()
        && it.hold() == Hold.SETTLED
        && it.side() >= first
        && it.side() <= mine.number;
  }

  /// Whether the server may still give the present plan the vote, and has not been waited for too
  /// long.
  boolean isAwaited(LinkTiming timing) {
    var it = plan;
    var to = client;
    if (it == null || to == null || isDisputed() || isGranted()) {
      return false;
    }
    var waited = world.elapsedNanos() - it.begun;
    if (waited < timing.round().toNanos() * 2) {
      return true; // nobody can have answered
    }
    return waited < to.timing().sync().toNanos()
        && heard.entrySet().stream()
            .filter(one -> it.members.containsValue(one.getKey()))
            .map(one -> one.getValue().answer)
            .anyMatch(
                one -> one.awaits() || one.hold() == Hold.GAINED && one.side() == it.number);
  }

  // ---- for people

  LinkMessage.Device status(Epoch epoch) {
    var nodes = new ArrayList<LinkMessage.DeviceAt>();
    for (var place : epoch.members()) {
      var it = heard.get(place.address());
      var alive = it != null && (it.answer.awaits() || it.answer.hold() != Hold.NONE);
      nodes.add(
          new LinkMessage.DeviceAt(
              place.nodeId(), alive, it != null && it.answer.hold() == Hold.SETTLED));
    }
    return new LinkMessage.Device("Qdevice", votes, masterWins, nodes);
  }

  @Nullable QnetClient client() {
    return client;
  }
}
