package org.systole.pacemakerd.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.world.Channels.Address;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkPeerMessage.Direct;
import org.systole.pacemakerd.link.LinkPeerMessage.Item;
import org.systole.pacemakerd.link.LinkPeerMessage.Kind;
import org.systole.pacemakerd.link.LinkPeerMessage.Ordered;

/// The messages of this node's daemons: the one order of a membership, and the direct messages from
/// daemon to daemon.
///
/// The leader gives each item its place. Every member delivers in that order and keeps what others
/// may lack. This node submits its own items again in each membership until they are delivered.
final class LinkOrder {
  private static final int HELD_MAX = 10_000;
  private static final int TAIL_MAX = 100_000;
  private static final long WAITING_MAX = 160L << 20;

  /// How many bytes are held, and how many are in the tail; a single message may be longer. The
  /// tails of the members go into one message when the membership changes, and it has to fit what
  /// the channel keeps for a node.
  private static final long KEPT_BYTES_MAX = 60L << 20;

  /// How many bytes of a tail are told unasked: on any line that a cluster can be run over they take a small part of the time
  /// that an attempt at a membership has.
  private static final long BRIEF_MAX = 4096;

  /// Where the link stands.
  interface Stay {
    Phase phase();

    /// An item of the membership is missing.
    void goAstray();
  }

  private final World world;
  private final NodeId localId;
  private final LinkWire wire;
  private final LocalDaemons daemons;
  private final Stay stay;
  private final DirectMessages directs;
  private LinkTiming timing;
  private final Deque<Item> submitted = new ArrayDeque<>(); // own items that are not delivered yet
  private final Deque<Ordered> tail = new ArrayDeque<>();
  private final Deque<Direct> held = new ArrayDeque<>();

  /// The last item of each process that was delivered here; its next one has the next number. Known
  /// of those who have been members as long as this node, or have sent something since.
  private final Map<Address, Long> items = new HashMap<>();

  private final Map<Address, Long> placed = new HashMap<>(); // as the leader: the last one given

  /// Who has delivered an own item in the present stay, and so knows the number of the next one. For any other leader the first one
  /// that comes is the first, even if one before it was lost, which would never be taken after that.
  private final Set<Address> acquainted = new HashSet<>();

  private long tailBytes;
  private long heldBytes;
  private long delivered;
  private long sequence; // as the leader: the last one given
  private long lastItem;
  private long waitingBytes;
  private long awaited; // the first own item not delivered yet, and since when
  private long awaitedSince;

  LinkOrder(
      World world,
      NodeId localId,
      LinkTiming timing,
      LinkWire wire,
      LocalDaemons daemons,
      Stay stay) {
    this.world = world;
    this.localId = localId;
    this.timing = timing;
    this.wire = wire;
    this.daemons = daemons;
    this.stay = stay;
    this.directs = new DirectMessages(world, timing.directsKept());
  }

  /// Other times are in force.
  void timing(LinkTiming changed) {
    timing = changed;
    directs.keepFor(changed.directsKept());
  }

  /// Everything of the present membership up to this sequence number was delivered here.
  long delivered() {
    return delivered;
  }

  /// What was delivered here and others may lack.
  ///
  /// @param everywhere they are known to have what is up to this
  List<Ordered> tail(long everywhere) {
    return tail.stream().filter(it -> it.sequence() > everywhere).toList();
  }

  /// As [#tail], or nothing where that is long: the leader asks for it if somebody lacks it.
  List<Ordered> shortTail(long everywhere) {
    var told = tail(everywhere);
    return told.stream().mapToLong(it -> it.item().payload().length).sum() > BRIEF_MAX ? List.of() : told;
  }

  /// Every member has delivered up to this.
  void stable(long everywhere) {
    while (!tail.isEmpty() && tail.getFirst().sequence() <= everywhere) {
      tailBytes -= tail.removeFirst().item().payload().length;
    }
  }

  // ---- change of membership

  /// Delivers what others had delivered in the membership that ends, and this link had not.
  void catchUp(long number, List<Ordered> missed) {
    for (var one : missed) {
      if (one.number() == number && one.sequence() == delivered + 1) {
        deliver(one);
        releaseHeld();
      }
    }
  }

  /// The order of a new membership begins.
  ///
  /// @param stayed the processes that have delivered the same as this one so far
  void begin(Set<Address> stayed) {
    items.keySet().retainAll(stayed);
    acquainted.retainAll(stayed);
    directs.stayed(stayed);
    dropRelayed(stayed);
    placed.clear();
    placed.putAll(items);
    tail.clear();
    tailBytes = 0;
    delivered = 0;
    sequence = 0;
  }

  /// What was to be relayed to a process is lost once that, or this node, was no member in between, as is what goes straight: the
  /// daemons have seen the one leave the other. Submitted again it could be a whole CIB, which on a narrow line keeps this node's
  /// answers for longer than the next membership waits for them; so it would never be delivered. An empty item keeps its place: the
  /// leader takes them without a gap.
  private void dropRelayed(Set<Address> stayed) {
    var waiting = List.copyOf(submitted);
    submitted.clear();
    for (var item : waiting) {
      var isLost = item.kind() == Kind.RELAYED && !stayed.contains(item.to());
      waitingBytes -= isLost ? item.payload().length : 0;
      submitted.add(isLost ? Item.of(item.id(), Kind.RELAYED, item.group(), new byte[0]) : item);
    }
  }

  /// Submits own items again that were not delivered. From now on it may be said that they are lost.
  void submitAgain() {
    awaitedSince = world.elapsedNanos();
    submitted.forEach(this::toLeader);
  }

  /// An own item that is not delivered for long was lost around a change of view; it is submitted
  /// again in a new membership.
  void noticeLoss() {
    var now = world.elapsedNanos();
    var first = submitted.isEmpty() ? 0 : submitted.getFirst().id();
    if (first != awaited || first == 0) {
      awaited = first;
      awaitedSince = now;
    } else if (stay.phase().isDelivering() && now - awaitedSince > timing.undelivered().toNanos()) {
      world.log().info("What this node sends is not delivered; asking for a new membership");
      awaitedSince = now;
      stay.goAstray();
    }
  }

  // ---- from this node's daemons

  /// @return the number under which it will be ordered
  long submit(Kind kind, String group, byte[] payload) {
    submit(Item.of(++lastItem, kind, group, payload));
    return lastItem;
  }

  private void submit(Item item) {
    submitted.add(item);
    waitingBytes += item.payload().length;
    if (waitingBytes > WAITING_MAX) {
      world.exit(1, "%d bytes wait to be ordered".formatted(waitingBytes));
      return;
    }
    toLeader(item);
  }

  private void toLeader(Item item) {
    if (stay.phase() instanceof Phase.Inside(var epoch, var _)
        && (acquainted.contains(epoch.leader()) || item == submitted.peekFirst())) {
      wire.send(epoch.leader(), new LinkPeerMessage.Submit(epoch.number(), item));
    }
  }

  /// A message to the group's daemon on one node. Lost if that is no member.
  void send(String group, NodeId toId, byte[] payload) {
    var epoch = stay.phase().epoch();
    var place = epoch == null ? null : epoch.place(toId);
    if (epoch == null || place == null) {
      return;
    }
    var id = directs.next();
    if (directs.isApart(toId)) {
      submit(new Item(++lastItem, Kind.RELAYED, group, payload, place.address(), id));
      return;
    }
    var message = new Direct(epoch.number(), delivered, localId, id, group, payload);
    directs.sent(place.address(), message);
    wire.send(place.address(), message);
  }

  // ---- the one order

  /// As the leader: gives an item its place. If that is not possible now, its sender submits it
  /// again later, and with it all after it: around a change of view some may be lost and later ones
  /// not, and each has to come once, in its sender's order.
  void order(Address from, LinkPeerMessage.Submit it) {
    if (stay.phase() instanceof Phase.Inside(var epoch, var _)
        && epoch.number() == it.number()
        && wire.isSelf(epoch.leader())) {
      for (var place : epoch.members()) {
        if (place.address().equals(from) && isNext(from, it.item().id())) {
          wire.broadcast(new Ordered(it.number(), ++sequence, place.nodeId(), it.item()));
        }
      }
    }
  }

  private boolean isNext(Address from, long id) {
    var last = placed.get(from);
    if (last != null && id != last + 1) {
      if (id > last) {
        stay.goAstray(); // what is missing is submitted again in a new membership
      }
      return false;
    }
    placed.put(from, id);
    return true;
  }

  void ordered(Address from, Ordered it) {
    if (!(stay.phase() instanceof Phase.Inside(var epoch, var _))
        || epoch.number() != it.number()
        || !epoch.leader().equals(from)
        || it.sequence() <= delivered) {
      return;
    }
    var length = it.item().payload().length;
    if (it.sequence() > delivered + 1 || tail.size() >= TAIL_MAX || !hasRoom(tailBytes, length)) {
      stay.goAstray();
    }
    if (stay.phase().isDelivering()) {
      tail.add(it);
      tailBytes += length;
      deliver(it);
      releaseHeld();
    }
  }

  private static boolean hasRoom(long kept, int length) {
    return kept == 0 || kept + length <= KEPT_BYTES_MAX;
  }

  private void deliver(Ordered it) {
    delivered = it.sequence();
    var item = it.item();
    var from = address(it.origin());
    if (from != null) {
      items.put(from, item.id());
    }
    var own = it.origin().equals(localId);
    if (own && !submitted.isEmpty() && submitted.getFirst().id() == item.id()) {
      waitingBytes -= submitted.removeFirst().payload().length;
    }
    if (own) {
      acquaint();
    }
    switch (item.kind()) {
      case MESSAGE -> daemons.deliver(it.origin(), item.group(), true, item.payload());
      case JOIN -> daemons.joined(it.origin(), item.group(), item.id(), own);
      case LEAVE -> daemons.left(it.origin(), item.group());
      case RELAYED -> relayed(it.origin(), item);
    }
  }

  /// An own item was delivered: the leader knows which one is next, so those that wait go to it.
  private void acquaint() {
    var epoch = stay.phase().epoch();
    if (epoch != null) {
      var isNew = !acquainted.contains(epoch.leader());
      epoch.members().forEach(it -> acquainted.add(it.address()));
      if (isNew) {
        submitted.forEach(this::toLeader);
      }
    }
  }

  private void relayed(NodeId origin, Item item) {
    var from = address(origin);
    if (wire.isSelf(item.to()) && from != null && directs.isNew(from, item.direct())) {
      daemons.deliver(origin, item.group(), false, item.payload());
    }
  }

  private @Nullable Address address(NodeId nodeId) {
    var epoch = stay.phase().epoch();
    var place = epoch == null ? null : epoch.place(nodeId);
    return place == null ? null : place.address();
  }

  // ---- from daemon to daemon

  /// A message whose sender had delivered more than this node waits until this node has delivered
  /// as much.
  void direct(Address from, Direct it) {
    var epoch = stay.phase().epoch();
    var number = epoch == null ? 0 : epoch.number();
    if (it.number() > number || (it.number() == number && it.sequence() > delivered)) {
      var length = it.payload().length;
      if (held.size() < HELD_MAX && hasRoom(heldBytes, length)) {
        held.add(it);
        heldBytes += length;
      } else {
        stay.goAstray();
      }
      return;
    }
    if (from.equals(address(it.origin())) && isOfThisStay(it) && directs.isNew(from, it.id())) {
      daemons.deliver(it.origin(), it.group(), false, it.payload());
    }
  }

  /// Whether neither its sender nor this node has been out of the membership since it was sent. What was sent before may be
  /// lost while what was sent after it comes yet: all of it is given up, as daemons are told that the other one has left.
  private boolean isOfThisStay(Direct it) {
    var epoch = stay.phase().epoch();
    return epoch != null && began(epoch, it.origin()) <= it.number() && began(epoch, localId) <= it.number();
  }

  private static long began(Epoch epoch, NodeId nodeId) {
    var place = epoch.place(nodeId);
    return place == null ? 0 : place.since();
  }

  void releaseHeld() {
    var waiting = new ArrayList<>(held);
    held.clear();
    heldBytes = 0;
    for (var it : waiting) {
      var from = address(it.origin());
      if (from != null) {
        direct(from, it);
      }
    }
  }

  /// Only these processes are still there.
  void present(List<Address> members) {
    directs.view(members);
  }

  /// @return whether that is news
  boolean silent(Address peer, boolean isSilent) {
    return directs.silent(peer, isSilent);
  }

  /// The members this node itself does not hear.
  List<NodeId> unheard() {
    var epoch = stay.phase().epoch();
    return epoch == null ? List.of() : directs.unheard(epoch.members());
  }

  /// The leader says who does not hear whom.
  void apart(List<LinkPeerMessage.Pair> pairs) {
    directs.told(pairs, localId);
  }

  /// Relays through the leader what does not reach a member directly.
  void detour() {
    var epoch = stay.phase().epoch();
    if (epoch == null) {
      return;
    }
    var relaying = new HashSet<Address>();
    submitted.forEach(it -> relaying.add(it.to()));
    for (var lost : directs.update(epoch.members(), relaying)) {
      var message = lost.message();
      submit(
          new Item(
              ++lastItem,
              Kind.RELAYED,
              message.group(),
              message.payload(),
              lost.to(),
              message.id()));
    }
  }
}
