package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Group;
import org.systole.common.cluster.Terms;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;

/// The primary's office on this node: taking over and, once it has, the [Writes].
///
/// Taking over has three steps:
///
/// 1. Every node promises to accept no changes of an earlier term, and reports where its copy stands.
/// 2. The newest copy of the quorate line is chosen ([CibPeerMessage.Position]), and fetched if another
///   node has it.
/// 3. The copy is announced to all.
///
/// A change acknowledged to a client is held by nodes with a quorum. At least one of them answers
/// in the first step, so no acknowledged change is lost.
final class Primary implements Follower.Office, Writes.Host {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final Duration ASK_LONG = Duration.ofSeconds(10);
  private static final Duration SETTLE = Duration.ofMillis(200);
  private static final Duration ANNOUNCE = Duration.ofSeconds(10);
  private static final Duration RECALL = Duration.ofSeconds(2);
  private static final long FURTHER = 64 * Durable.FORGOTTEN_MAX; // takeovers, more than a lost node and its processes make until it is fenced; a step of [Outlasting]

  private enum Role {
    SECONDARY,
    TAKING_OVER,
    PRIMARY
  }

  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private final Follower follower;
  private final Follower.Listener listener;
  private final Group group;
  private final Writes writes;
  private final Outlasting outlasting;
  private final UnreadOther unread;
  private Role role = Role.SECONDARY;
  private RpcServer.@Nullable Session<CibMessage.Event> controller;
  private boolean wanted; // by the controller, whether it is there or not; always where there is no cluster
  private long epoch;
  private long term;
  private long counterSeen;
  private boolean established;
  private long stay; // of this node in the membership, since when it is the primary
  private int attempt;
  private long began;
  private @Nullable NodeId fetchingFrom;
  private final RolesLost rolesLost;
  private boolean settling;
  private boolean recalling;
  private final Map<NodeId, CibPeerMessage.Position> positions = new TreeMap<>();
  private final List<BiConsumer<Rc, String>> waiting = new ArrayList<>();

  /// @param listener told what becomes of the copy
  Primary(Node node, Follower follower, Follower.Listener listener, Group group) {
    this.world = node.world();
    this.peers = node.peers();
    this.copy = node.copy();
    this.durable = node.durable();
    this.outbox = node.outbox();
    this.follower = follower;
    this.rolesLost = new RolesLost(node);
    this.listener = listener;
    this.group = group;
    this.wanted = group.isAlone();
    this.writes = new Writes(node, this);
    this.outlasting = new Outlasting(node, () -> isPrimary() && established, this::renew);
    this.unread = new UnreadOther(node, () -> established, this::concludeIfComplete);
  }

  @Override
  public boolean isPrimary() {
    return role == Role.PRIMARY;
  }

  @Override
  public boolean isActive() {
    return role != Role.SECONDARY;
  }

  @Override
  public boolean isEstablished() {
    return established;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long term() {
    return term;
  }

  @Override
  public boolean outranks(Claim theirs) {
    return controller != null && claim().compareTo(theirs) > 0;
  }

  private Claim claim() {
    return new Claim(established, epoch, term);
  }

  // The controller

  /// @param done called once the takeover is complete; while another node is the primary with a
  ///     better claim it waits, until the controller withdraws its request
  void setPrimary(
      long newEpoch, RpcServer.Session<CibMessage.Event> session, BiConsumer<Rc, String> done) {
    controller = session;
    wanted = true;
    epoch = Math.max(epoch, newEpoch);
    if (role == Role.PRIMARY && established) {
      announce();
      done.accept(Rc.OK, "");
      return;
    }
    waiting.add(done);
    takeOver();
  }

  void setSecondary() {
    wanted = false;
    controller = null;
    if (isActive()) {
      world.log().notice("No longer the primary: the DC is elsewhere");
      outbox.broadcast(new CibPeerMessage.Resign(term));
      resign();
    }
    answer(Rc.ECANCELED, "the controller withdrew its request");
  }

  /// There is no primary any more. If the controller still wants this node to be it, it takes over
  /// again.
  @Override
  public void vacant() {
    vacant(SETTLE);
  }

  private void vacant(Duration patience) {
    if (role == Role.SECONDARY && wanted && !recalling) {
      recalling = true;
      world.after(
          patience,
          () -> {
            recalling = false;
            if (role == Role.SECONDARY && wanted && follower.primaryId() == null) {
              takeOver();
            }
          });
    }
  }

  /// Without its controller the primary carries on until another takes over.
  void controllerGone(RpcServer.Session<CibMessage.Event> session) {
    if (session == controller) {
      controller = null;
      wanted = false;
    }
  }

  /// Another node has the better claim.
  @Override
  public void stepDown(String why) {
    if (isActive()) {
      world.log().notice("No longer the primary: " + why);
      resign();
      vacant(RECALL); // the other node may give up before it is the primary
    }
  }

  private void resign() {
    role = Role.SECONDARY;
    established = false;
    fetchingFrom = null;
    positions.clear();
    writes.clear();
    follower.stopLeading();
  }

  private void answer(Rc rc, String why) {
    var told = List.copyOf(waiting);
    waiting.clear();
    told.forEach(it -> it.accept(rc, why));
  }

  // The group

  void linkLost() {
    unread.membership();
    if (isActive()) {
      resign();
    }
  }

  void quorumChanged() {
    if (!peers.isQuorate() || peers.stay() != stay) {
      established = false; // others may have taken over meanwhile
    }
    unread.membership();
    outlasting.changed();
    writes.quorumChanged();
    settle();
  }

  /// There is a quorum now, so a takeover with it is due. It waits a moment to hear of another
  /// primary that may have the quorum already.
  private void settle() {
    if (lacksQuorum() && !settling) {
      settling = true;
      world.after(SETTLE, () -> {
        settling = false;
        if (lacksQuorum()) {
          takeOver();
        }
      });
    }
  }

  private boolean lacksQuorum() {
    var unestablished = role == Role.PRIMARY && !established;
    return unestablished && peers.isQuorate() && peers.areEnough(peers.group());
  }

  /// This node has the CIB of the primary, which is another one.
  void copyIsInStep() {
    unread.isRead();
  }

  void groupChanged(List<NodeId> added) {
    var self = peers.localId();
    if (self == null || !peers.isHere(self) || !isActive() && !(wanted && added.contains(self))) {
      return;
    }
    if (added.contains(self)) {
      takeOver();
      return;
    }
    if (role == Role.TAKING_OVER) {
      positions.keySet().removeIf(id -> !peers.isHere(id));
      if (fetchingFrom != null && !peers.isHere(fetchingFrom)) {
        takeOver();
        return;
      }
      added.forEach(id -> outbox.send(id, new CibPeerMessage.Collect(term, epoch)));
      concludeIfComplete();
    } else if (!added.isEmpty()) {
      if (established && !copy.rolesLost()) {
        announce();
      } else {
        takeOver(); // the nodes that have come may have a newer copy, or the roles
      }
    } else if (established) {
      announce(); // votes may change once those who are left have what was acknowledged
    }
    outlasting.changed();
    writes.acksChanged();
  }

  // Taking over

  private void takeOver() {
    resign();
    role = Role.TAKING_OVER;
    var self = peers.localId();
    if (!group.isJoined() || self == null || !peers.isHere(self)) {
      return; // goes on once this node is in the group
    }
    var known = Math.max(durable.promised(), durable.leastTerm());
    counterSeen = Math.max(counterSeen, Terms.counter(known)) + 1;
    term = Terms.of(counterSeen, self);
    began = world.nanoTime();
    world.log().info("Taking over as the primary, term " + term);
    outbox.broadcast(new CibPeerMessage.Collect(term, epoch));
    watch(++attempt);
  }

  private void watch(int ofAttempt) {
    world.after(ASK_AGAIN, () -> {
      if (role == Role.TAKING_OVER && attempt == ofAttempt) {
        pursue();
        watch(attempt);
      }
    });
  }

  private void pursue() {
    var late = world.nanoTime() - began > ASK_LONG.toNanos();
    if (fetchingFrom != null) {
      if (late) {
        takeOver();
      }
      return;
    }
    for (var id : peers.group()) {
      if (!positions.containsKey(id)) {
        outbox.send(id, new CibPeerMessage.Collect(term, epoch));
      }
    }
    if (haveAllAnswered()) {
      conclude(); // it waits for the other one of two nodes, or need not any more
    } else if (late && !positions.isEmpty() && (!peers.isQuorate() || hasQuorum())) {
      world.log().warning("Taking over although some nodes do not answer");
      conclude();
    }
  }

  private boolean hasQuorum() {
    return peers.isQuorate() && peers.areEnough(positions.keySet());
  }

  void position(NodeId from, CibPeerMessage.Position it) {
    if (role == Role.TAKING_OVER && it.term() == term && fetchingFrom == null) {
      positions.put(from, it);
      concludeIfComplete();
    }
  }

  void refuse(NodeId from, CibPeerMessage.Refuse it) {
    counterSeen = Math.max(counterSeen, Terms.counter(it.promised()));
    if (!isActive() || it.term() != term) {
      return;
    }
    if (it.primaryHere()) {
      stepDown(peers.name(from) + " is the primary already");
    } else {
      takeOver();
    }
  }

  private void concludeIfComplete() {
    if (role == Role.TAKING_OVER && fetchingFrom == null && haveAllAnswered()) {
      conclude();
    }
  }

  private boolean haveAllAnswered() {
    return !positions.isEmpty() && positions.keySet().containsAll(peers.group());
  }

  private void conclude() {
    var best = RolesLost.newest(positions, peers.localId(), peers.mayPart(), _ -> true);
    var bestPosition = best == null ? null : positions.get(best);
    if (best == null || bestPosition == null || unread.holds()) {
      return;
    }
    rolesLost.chosen(bestPosition);
    if (bestPosition.hash() == copy.hash()) {
      settled(bestPosition.line());
    } else {
      world.log().info("The newest CIB is that of " + peers.name(best) + "; fetching it");
      fetch(best);
    }
  }

  private void fetch(NodeId from) {
    fetchingFrom = from;
    outbox.send(from, copy.askWhole(term));
  }

  /// @return whether it was meant for a takeover
  boolean whole(NodeId from, CibPeerMessage.Whole it) {
    if (role != Role.TAKING_OVER || it.term() != term || !from.equals(fetchingFrom)) {
      return false;
    }
    fetchingFrom = null;
    var line = rolesLost.line();
    if (line == null && follower.adopt(it)) {
      settled(it.line());
    } else if (line != null && follower.adoptRoles(it)) {
      begin(line);
    }
    return true;
  }

  /// The copy has the CIB that goes on; its roles may be with another node.
  private void settled(Line line) {
    var other = rolesLost.elsewhere(positions, line);
    if (other == null) {
      begin(line);
    } else {
      fetch(other);
    }
  }

  private void begin(Line chosen) {
    established = hasQuorum();
    unread.isRead(positions.keySet());
    stay = peers.stay();
    role = Role.PRIMARY;
    copy.lead(chosen.taken(established, term), positions.values());
    writes.clear();
    var version = CibVersion.of(copy.cib()) + (established ? "" : ", without quorum");
    world.log().notice("This node is the primary, with version " + version);
    announce();
    follower.lead(term, claim());
    answer(Rc.OK, "");
    settle();
    announceRegularly(term);
    outlasting.changed();
  }

  private void renew(long steps) {
    counterSeen = Math.max(counterSeen, Terms.counter(durable.lastTogether()) + steps * FURTHER); // a process after this one gets no further
    takeOver();
  }

  private CibPeerMessage.Announce announcement() {
    durable.told(peers.isApart());
    return new CibPeerMessage.Announce(
        term, epoch, established, writes.sequence(), copy.line(), copy.hash(), copy.rolesKnown(), peers.membershipNumber());
  }

  /// Tells all nodes; those whose copy differs fetch the whole CIB.
  @Override
  public void announce() {
    outbox.broadcast(announcement());
  }

  @Override
  public void announceTo(NodeId node) {
    if (isPrimary()) {
      outbox.send(node, announcement());
    }
  }

  // Writes

  void forwarded(NodeId from, CibPeerMessage.Forward it) {
    if (isPrimaryOf(it.term(), from)) {
      writes.forwarded(from, it);
    }
  }

  void ack(NodeId from, CibPeerMessage.Ack it) {
    if (isPrimaryOf(it.term(), from)) {
      writes.ack(from, it);
    }
  }

  /// A node takes this one for the primary of a term. If it is not, it is told so.
  private boolean isPrimaryOf(long ofTerm, NodeId node) {
    if (!peers.isLocal(node) && !(isPrimary() && ofTerm >= term)) {
      outbox.send(node, new CibPeerMessage.Resign(ofTerm));
    }
    return isPrimary() && ofTerm == term;
  }

  /// A node that missed an announcement or a change learns of it from the next announcement.
  private void announceRegularly(long ofTerm) {
    world.after(ANNOUNCE, () -> {
      if (isPrimary() && term == ofTerm) {
        announce();
        announceRegularly(ofTerm);
      }
    });
  }

  @Override
  public void changed(XmlText patch, Element before, Element after) {
    listener.changed(patch, before, after);
  }

  @Override
  public void replaced() {
    listener.replaced();
  }

  @Override
  public boolean mayPromise() {
    return outlasting.mayPromise();
  }

  @Override
  public void advanced(long sequence, boolean configuration) {
    outlasting.settle();
    follower.advanced(sequence, configuration);
  }
}
