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
import org.systole.common.output.Rc;
import org.systole.common.wire.RpcServer;

/// The primary's office on this node: taking over and, once it has, the [Writes].
///
/// Taking over has three steps: everybody promises to take changes of no earlier term and says
/// which copy it has; the newest copy of the quorate line is chosen (and fetched if it is another
/// node's; of equals one that has the status rather than one just read from disk, and so too of two
/// nodes that went on apart, since the other was fenced or started anew meanwhile); it is announced
/// to all. What was acknowledged to a client is held by nodes with a quorum, so one of them is
/// among those asked.
final class Primary {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final Duration ASK_LONG = Duration.ofSeconds(10);
  private static final Duration SETTLE = Duration.ofMillis(200);
  private static final Duration ANNOUNCE = Duration.ofSeconds(10);
  private static final Duration RECALL = Duration.ofSeconds(2);
  private static final int NODE_BITS = 32;

  private enum Role {
    SECONDARY,
    TAKING_OVER,
    PRIMARY
  }

  private final Cibd cibd;
  private final Writes writes;
  private Role role = Role.SECONDARY;
  private RpcServer.@Nullable Session<CibMessage.Event> controller;
  private boolean wanted; // by the controller, whether it is there or not
  private long epoch;
  private long term;
  private long counterSeen;
  private boolean established;
  private int attempt;
  private long began;
  private int fetchingFrom;
  private boolean settling;
  private boolean recalling;
  private final Map<Integer, CibPeerMessage.Position> positions = new TreeMap<>();
  private final List<BiConsumer<Rc, String>> waiting = new ArrayList<>();

  Primary(Cibd cibd) {
    this.cibd = cibd;
    this.writes = new Writes(cibd, this);
  }

  boolean isPrimary() {
    return role == Role.PRIMARY;
  }

  /// Whether this node is the primary or becoming it.
  boolean isActive() {
    return role != Role.SECONDARY;
  }

  /// Whether nodes with a quorum took part in the takeover and have been there since.
  boolean isEstablished() {
    return established;
  }

  /// Of the DC this node is the primary for.
  long epoch() {
    return epoch;
  }

  long term() {
    return term;
  }

  boolean outranks(Follower.Claim theirs) {
    return controller != null && claim().compareTo(theirs) > 0;
  }

  private Follower.Claim claim() {
    return new Follower.Claim(established, epoch, term);
  }

  // The controller

  /// @param done told once the takeover is complete; while another node is the primary with a
  ///     better claim it waits, until the controller changes its mind
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
      cibd.world().log().notice("No longer the primary: the DC is elsewhere");
      cibd.broadcast(new CibPeerMessage.Resign(term));
      resign();
    }
    answer(Rc.ECANCELED, "the controller took it back");
  }

  /// There is no primary any more. Where the controller still counts on this node, it takes over
  /// again.
  void vacant() {
    vacant(SETTLE);
  }

  private void vacant(Duration patience) {
    if (role == Role.SECONDARY && wanted && !recalling) {
      recalling = true;
      cibd.world()
          .after(
              patience,
              () -> {
                recalling = false;
                if (role == Role.SECONDARY && wanted && cibd.follower().primaryId() == 0) {
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
  void stepDown(String why) {
    if (isActive()) {
      cibd.world().log().notice("No longer the primary: " + why);
      resign();
      vacant(RECALL); // the other may give up before it is the primary
    }
  }

  private void resign() {
    role = Role.SECONDARY;
    established = false;
    fetchingFrom = 0;
    positions.clear();
    writes.clear();
    cibd.follower().leadNoLonger();
  }

  private void answer(Rc rc, String why) {
    var told = List.copyOf(waiting);
    waiting.clear();
    told.forEach(it -> it.accept(rc, why));
  }

  // The group

  void linkLost() {
    if (isActive()) {
      role = Role.SECONDARY;
      established = false;
      writes.clear();
      cibd.follower().leadNoLonger();
    }
  }

  void quorumChanged() {
    if (!cibd.peers().isQuorate()) {
      established = false;
    }
    writes.holdsChanged();
    settle();
  }

  /// With a quorum at last, a takeover with it is due; but not before a primary that has one
  /// already has been heard.
  private void settle() {
    if (lacksQuorum() && !settling) {
      settling = true;
      cibd.world()
          .after(
              SETTLE,
              () -> {
                settling = false;
                if (lacksQuorum()) {
                  takeOver();
                }
              });
    }
  }

  private boolean lacksQuorum() {
    return role == Role.PRIMARY
        && !established
        && cibd.peers().isQuorate()
        && cibd.peers().votes(cibd.peers().group()) >= cibd.peers().votesNeeded();
  }

  void groupChanged(List<Integer> added) {
    if (!cibd.peers().isHere(cibd.peers().localId())) {
      return;
    }
    if (role == Role.SECONDARY) {
      if (wanted && added.contains(cibd.peers().localId())) {
        takeOver();
      }
      return;
    }
    if (added.contains(cibd.peers().localId())) {
      takeOver();
      return;
    }
    if (role == Role.TAKING_OVER) {
      positions.keySet().removeIf(id -> !cibd.peers().isHere(id));
      if (fetchingFrom != 0 && !cibd.peers().isHere(fetchingFrom)) {
        takeOver();
        return;
      }
      added.forEach(id -> cibd.send(id, new CibPeerMessage.Collect(term, epoch)));
      concludeIfComplete();
    } else if (!added.isEmpty()) {
      if (established) {
        announce();
      } else {
        takeOver(); // those who have come may have a newer copy
      }
    }
    writes.holdsChanged();
  }

  // Taking over

  private void takeOver() {
    role = Role.TAKING_OVER;
    established = false;
    fetchingFrom = 0;
    positions.clear();
    writes.clear();
    cibd.follower().leadNoLonger();
    if (!cibd.isJoined() || !cibd.peers().isHere(cibd.peers().localId())) {
      return; // goes on once this node is in the group
    }
    var counter = Math.max(counterSeen, cibd.promised() >> NODE_BITS) + 1;
    counterSeen = counter;
    term = counter << NODE_BITS | cibd.peers().localId() & 0xFFFF_FFFFL;
    began = cibd.world().nanoTime();
    cibd.world().log().info("Taking over as the primary, term " + term);
    cibd.broadcast(new CibPeerMessage.Collect(term, epoch));
    watch(++attempt);
  }

  private void watch(int ofAttempt) {
    cibd.world()
        .after(
            ASK_AGAIN,
            () -> {
              if (role == Role.TAKING_OVER && attempt == ofAttempt) {
                pursue();
                watch(attempt);
              }
            });
  }

  private void pursue() {
    var late = cibd.world().nanoTime() - began > ASK_LONG.toNanos();
    if (fetchingFrom != 0) {
      if (late) {
        takeOver();
      }
      return;
    }
    for (var id : cibd.peers().group()) {
      if (!positions.containsKey(id)) {
        cibd.send(id, new CibPeerMessage.Collect(term, epoch));
      }
    }
    if (late && !positions.isEmpty() && (!cibd.peers().isQuorate() || hasQuorum())) {
      cibd.world().log().warning("Taking over although some nodes do not answer");
      conclude();
    }
  }

  private boolean hasQuorum() {
    return cibd.peers().isQuorate()
        && cibd.peers().votes(positions.keySet()) >= cibd.peers().votesNeeded();
  }

  void position(int from, CibPeerMessage.Position it) {
    if (role == Role.TAKING_OVER && it.term() == term && fetchingFrom == 0) {
      positions.put(from, it);
      concludeIfComplete();
    }
  }

  void refuse(int from, CibPeerMessage.Refuse it) {
    counterSeen = Math.max(counterSeen, it.promised() >> NODE_BITS);
    if (!isActive() || it.term() != term) {
      return;
    }
    if (it.primaryHere()) {
      stepDown(cibd.peers().name(from) + " is the primary already");
    } else {
      takeOver();
    }
  }

  private void concludeIfComplete() {
    if (role == Role.TAKING_OVER
        && fetchingFrom == 0
        && !positions.isEmpty()
        && positions.keySet().containsAll(cibd.peers().group())) {
      conclude();
    }
  }

  private void conclude() {
    var best = cibd.peers().localId();
    var bestPosition = positions.get(best);
    for (var entry : positions.entrySet()) {
      if (bestPosition == null || isNewer(entry.getValue(), bestPosition)) {
        best = entry.getKey();
        bestPosition = entry.getValue();
      }
    }
    if (bestPosition == null) {
      return;
    }
    if (bestPosition.hash() == cibd.copy().hash()) {
      begin(bestPosition.line());
    } else {
      fetchingFrom = best;
      cibd.world()
          .log()
          .info("The newest CIB is that of " + cibd.peers().name(best) + "; fetching it");
      cibd.send(best, new CibPeerMessage.AskWhole(term));
    }
  }

  private boolean isNewer(CibPeerMessage.Position one, CibPeerMessage.Position other) {
    if (one.live() != other.live()
        && cibd.peers().mayPart()
        && !one.line().isOfOneLineWith(one.history(), other.line(), other.history())) {
      return one.live();
    }
    var order = one.line().compareTo(other.line());
    order = order != 0 ? order : Boolean.compare(one.live(), other.live());
    return order != 0 ? order > 0 : one.version().compareTo(other.version()) > 0;
  }

  /// @return whether it was meant for a takeover
  boolean whole(int from, CibPeerMessage.Whole it) {
    if (role != Role.TAKING_OVER || it.term() != term || from != fetchingFrom) {
      return false;
    }
    fetchingFrom = 0;
    if (cibd.follower().adopt(it)) {
      begin(it.line());
    }
    return true;
  }

  private void begin(Line chosen) {
    established = hasQuorum();
    role = Role.PRIMARY;
    cibd.copy().moveTo(chosen.taken(established, term));
    writes.begin();
    cibd.world()
        .log()
        .notice(
            "This node is the primary, with version "
                + CibVersion.of(cibd.copy().cib())
                + (established ? "" : ", without quorum"));
    announce();
    cibd.follower().lead(term, claim());
    answer(Rc.OK, "");
    settle();
    announceRegularly(term);
  }

  private CibPeerMessage.Announce announcement() {
    return new CibPeerMessage.Announce(
        term, epoch, established, writes.sequence(), cibd.copy().line(), cibd.copy().hash());
  }

  /// Tells all, and with it makes those whose copy differs fetch the whole.
  void announce() {
    cibd.broadcast(announcement());
  }

  void announceTo(int node) {
    if (isPrimary()) {
      cibd.send(node, announcement());
    }
  }

  // Writes

  void ask(int from, CibPeerMessage.Ask it) {
    if (isPrimary() && it.term() == term) {
      writes.ask(from, it);
    } else {
      correct(from, it.term());
    }
  }

  void hold(int from, CibPeerMessage.Hold it) {
    if (isPrimary() && it.term() == term) {
      writes.hold(from, it);
    } else {
      correct(from, it.term());
    }
  }

  /// Somebody takes this node for the primary of a term it is not.
  private void correct(int node, long ofTerm) {
    if (node != cibd.peers().localId() && !(isPrimary() && ofTerm > term)) {
      cibd.send(node, new CibPeerMessage.Resign(ofTerm));
    }
  }

  /// Whoever missed an announcement or a change learns of it with the next of these.
  private void announceRegularly(long ofTerm) {
    cibd.world()
        .after(
            ANNOUNCE,
            () -> {
              if (isPrimary() && term == ofTerm) {
                announce();
                announceRegularly(ofTerm);
              }
            });
  }
}
