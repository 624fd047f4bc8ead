package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.Levels;
import org.systole.common.values.NodeId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// Keeps this node's copy in step with the primary's: promises, follows, applies changes, and
/// acknowledges what it holds.
///
/// Changes are numbered within a term. One that does not fit the copy (a gap, another content)
/// makes the follower ask for the whole CIB; changes that come meanwhile wait.
final class Follower {
  private static final Duration ASK_AGAIN = Duration.ofSeconds(3);
  private static final Duration ACK = Duration.ofMillis(25);
  private static final int WAITING_MAX = 2_000;

  /// The primary's office on this node, as the follower needs it.
  interface Office {
    /// Whether this node is the primary or becoming it.
    boolean isActive();

    boolean isPrimary();

    /// Whether this node's claim to the office is better than another's.
    boolean outranks(Claim theirs);

    void stepDown(String why);

    /// Tells a node that this one is the primary, if it is.
    void announceTo(NodeId node);

    /// There is no primary any more.
    void vacant();
  }

  /// Hears of changes of the copy and of the primary.
  interface Listener {
    /// The copy was changed by this patchset.
    void changed(XmlText patch, Element before, Element after);

    /// The requests of this node's clients about the configuration that are not answered.
    Collection<String> outstanding();

    /// The copy was replaced by another one.
    void replaced();

    /// The cluster's roles changed.
    void rolesChanged();

    /// The copy has reached a later change.
    void advanced();

    /// There is a new primary, or the old one again.
    void primaryKnown();

    /// The primary of a term is gone without having said that it gives up its office.
    void primaryLost(long term);
  }

  private final Node node;
  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private final CibText text;
  private final Listener listener;
  private final Supplier<Office> office;
  private @Nullable NodeId primaryId;
  private Claim claim = Claim.NONE;
  private long highestEpoch;
  private long term;
  private long sequence;
  private boolean synced;
  private long configurationAt; // the last change of this term that has to be on disk
  private long savedAt = -1; // the last change of this term that an image on disk has
  private boolean ackPosted;
  private boolean ackComing;
  private long held = -1; // the last change acknowledged to the primary as held
  private final List<CibPeerMessage.Change> waiting = new ArrayList<>();
  private long asked;
  private final RolesComing roles;
  private boolean rolesLost; // as the primary says
  private @Nullable Element rolesTold;

  /// @param office asked for once all parts are there
  Follower(Node node, CibText text, Listener listener, Supplier<Office> office) {
    this.node = node;
    this.world = node.world();
    this.peers = node.peers();
    this.copy = node.copy();
    this.durable = node.durable();
    this.outbox = node.outbox();
    this.roles = new RolesComing(node);
    this.text = text;
    this.listener = listener;
    this.office = office;
  }

  /// The primary's node id, null while there is none.
  @Nullable NodeId primaryId() {
    return primaryId;
  }

  long term() {
    return term;
  }

  long sequence() {
    return sequence;
  }

  /// Whether the copy has a change of the present primary. What an earlier one made alone need not be in the copy that goes on.
  boolean has(long ofTerm, long ofSequence) {
    return synced && ofTerm == term && ofSequence <= sequence;
  }

  /// Whether the copy is that of another node, which is the primary.
  boolean isInStep() {
    return synced && !peers.isLocal(primaryId);
  }

  // Taking over

  void collect(NodeId from, CibPeerMessage.Collect it) {
    highestEpoch = Math.max(highestEpoch, it.epoch());
    var primary = office.get();
    var mine = peers.isLocal(from);
    if (!mine && primary.isActive()) {
      if (primary.outranks(new Claim(false, it.epoch(), it.term()))) {
        outbox.send(from, new CibPeerMessage.Refuse(it.term(), durable.promised(), true));
        primary.announceTo(from);
        return;
      }
      primary.stepDown(peers.name(from) + " takes over");
    }
    var least = Math.max(durable.promised(), durable.leastTerm());
    if (it.term() < least) {
      outbox.send(from, new CibPeerMessage.Refuse(it.term(), least, false));
      return;
    }
    durable.promise(
        it.term(),
        peers.isApart(),
        () -> {
          if (durable.promised() == it.term()) {
            outbox.send(from, copy.position(it.term(), listener.outstanding()));
          }
        });
  }

  void announce(NodeId from, CibPeerMessage.Announce it) {
    if (peers.isLocal(from)) {
      inStep(it);
      return;
    }
    highestEpoch = Math.max(highestEpoch, it.epoch());
    var theirs = new Claim(it.established(), it.epoch(), it.term());
    if (office.get().isActive() && office.get().outranks(theirs)) {
      return;
    }
    var another = primaryId != null && !primaryId.equals(from) && !peers.isLocal(primaryId);
    if (another && peers.isHere(primaryId) && claim.compareTo(theirs) > 0) {
      return;
    }
    if (!peers.mayPart() && it.isWithout(copy.line())) {
      outbox.send(from, new CibPeerMessage.Refuse(it.term(), durable.promised(), false));
      return;
    }
    office.get().stepDown(peers.name(from) + " is the primary");
    if (it.term() < durable.promised()) {
      outbox.send(from, new CibPeerMessage.Refuse(it.term(), durable.promised(), false));
      return;
    }
    durable.promise(it.term());
    follow(from, theirs, it);
  }

  private void follow(NodeId from, Claim theirs, CibPeerMessage.Announce it) {
    var again = synced && from.equals(primaryId) && it.term() == term && it.sequence() <= sequence;
    primaryId = from;
    claim = theirs;
    inStep(it);
    if (again) {
      return; // meant for a node that has just come
    }
    if (it.term() != term) {
      term = it.term();
      waiting.clear();
    }
    rolesLost = Boolean.FALSE.equals(it.roles());
    synced = false;
    if (copy.hash() == it.hash()) {
      copy.moveTo(it.line());
      sync(it.sequence());
    } else {
      ask();
    }
  }

  /// The highest epoch of a DC heard of, for controllers that have all restarted.
  long highestEpoch() {
    return highestEpoch;
  }

  /// This node is the primary itself, from change 0 of the term.
  void lead(long ownTerm, Claim own) {
    highestEpoch = Math.max(highestEpoch, own.epoch());
    primaryId = peers.localId();
    claim = own;
    term = ownTerm;
    rolesLost = copy.rolesLost();
    waiting.clear();
    sync(0);
  }

  /// This node is no longer the primary.
  void stopLeading() {
    if (peers.isLocal(primaryId)) {
      primaryId = null;
      claim = Claim.NONE;
      synced = false;
    }
  }

  void groupChanged() {
    if (primaryId != null && !peers.isHere(primaryId)) {
      world.log().info("The primary is gone");
      var ofTerm = term;
      unfollow();
      listener.primaryLost(ofTerm);
    }
  }

  void resigned(NodeId from, CibPeerMessage.Resign it) {
    if (from.equals(primaryId) && it.term() >= term && !peers.isLocal(from)) {
      unfollow();
    }
  }

  private void unfollow() {
    primaryId = null;
    claim = Claim.NONE;
    synced = false;
    waiting.clear();
    office.get().vacant();
  }

  private void sync(long at) {
    synced = true;
    sequence = at;
    savedAt = -1;
    held = -1;
    configurationAt = at;
    copy.rolesLost(rolesLost);
    save();
    var ready = List.copyOf(waiting);
    waiting.clear();
    for (var change : ready) {
      take(change);
    }
    postAck();
    listener.primaryKnown();
  }

  // The whole

  private void ask() {
    synced = false;
    var number = ++asked;
    if (primaryId != null) {
      outbox.send(primaryId, copy.askWhole(term));
    }
    world.after(
        ASK_AGAIN,
        () -> {
          if (!synced && number == asked && primaryId != null) {
            ask();
          }
        });
  }

  void askWhole(NodeId from, CibPeerMessage.AskWhole it) {
    var own = office.get().isPrimary() && it.term() == term;
    if (!own && it.term() != durable.promised()) {
      return;
    }
    var at = own ? sequence : 0;
    var mine = copy.roles();
    if (outbox.speaks(Levels.ROLES) && !copy.rolesLost() && (mine != null || it.roles() != null)) {
      var xml = mine == null ? null : XmlWriter.compact(mine);
      outbox.send(from, new CibPeerMessage.RolesWhole(it.term(), at, xml));
    }
    outbox.send(
        from,
        new CibPeerMessage.Whole(
            it.term(), at, copy.line(), copy.history(), text.whole(), copy.done()));
  }

  void rolesWhole(CibPeerMessage.RolesWhole it) {
    roles.come(it);
  }

  void whole(NodeId from, CibPeerMessage.Whole it) {
    if (!from.equals(primaryId) || it.term() != term || synced || durable.promised() > term) {
      return;
    }
    if (adopt(it)) {
      sync(it.sequence());
    }
  }

  /// Replaces the copy.
  boolean adopt(CibPeerMessage.Whole it) {
    try {
      var cib = XmlReader.parse(it.xml());
      var itsRoles = roles.of(it);
      durable.keepIfLost(cib, it.line().appendTo(it.history()));
      if (roles.take(itsRoles, it)) {
        tellRoles();
      }
      copy.replace(cib, it.line(), it.history(), it.done(), listener.outstanding());
      listener.replaced();
      world.log().notice("Took over the CIB of the cluster, version " + CibVersion.of(cib));
      return true;
    } catch (XmlException e) {
      world.log().error("The CIB sent by another node is not XML: " + e.getMessage());
      return false;
    }
  }

  /// Takes only the roles of another node's whole.
  boolean adoptRoles(CibPeerMessage.Whole it) {
    return roles.takeFrom(it);
  }

  // Changes

  void change(NodeId from, CibPeerMessage.Change it) {
    if (peers.isLocal(from)
        || !from.equals(primaryId)
        || it.term() != term
        || durable.promised() > term) {
      return;
    }
    if (synced) {
      take(it);
    } else if (waiting.size() < WAITING_MAX) {
      waiting.add(it);
    }
  }

  private void take(CibPeerMessage.Change it) {
    if (synced && it.sequence() <= sequence) {
      return;
    }
    if (!synced || it.sequence() != sequence + 1 || !apply(it)) {
      waiting.add(it);
      if (synced) {
        world.log().notice("This node's CIB does not fit a change; asking for the whole");
        ask();
      }
      return;
    }
    sequence = it.sequence();
    it.done().forEach(copy::note);
    if (it.configuration()) {
      configurationAt = sequence;
      save();
      ackInTime();
    } else {
      postAck();
    }
    listener.advanced();
  }

  private boolean apply(CibPeerMessage.Change it) {
    try {
      var patch = it.patch().element();
      if (patch.is(RolesPatch.NAME)) {
        var applied = copy.applyToRoles(patch, it);
        tellRoles();
        return applied;
      }
      var before = copy.cib();
      if (before.contentHash() != it.before()) {
        return false;
      }
      var applied = CibPatch.apply(before, patch, false);
      if (!applied.rc().isOk() || applied.cib().contentHash() != it.after()) {
        return false;
      }
      copy.advance(applied.cib(), it.line());
      listener.changed(it.patch(), before, applied.cib());
      return true;
    } catch (XmlException e) {
      world.log().error("The primary sent a change that is not XML: " + e.getMessage());
      return false;
    }
  }

  /// The primary has made a change of its own.
  void advanced(long to, boolean configuration) {
    sequence = to;
    if (configuration) {
      configurationAt = to;
      save();
    }
    tellRoles();
    postAck();
    listener.advanced();
  }

  private void tellRoles() {
    if (rolesTold != copy.roles()) {
      rolesTold = copy.roles();
      listener.rolesChanged();
    }
  }

  // Acknowledging

  private void save() {
    var ofTerm = term;
    var at = sequence;
    durable.save(
        () -> {
          if (term == ofTerm) {
            savedAt = Math.max(savedAt, at);
            postAck();
          }
        });
  }

  private void postAck() {
    if (!ackPosted) {
      ackPosted = true;
      world.post(
          () -> {
            ackPosted = false;
            acknowledge();
          });
    }
  }

  /// Acknowledges a configuration change: to hold it in memory commits nothing, so the
  /// acknowledgement waits for the disk, unless that takes long.
  private void ackInTime() {
    if (!ackComing) {
      ackComing = true;
      world.after(
          ACK,
          () -> {
            ackComing = false;
            if (held < sequence) {
              acknowledge();
            }
          });
    }
  }

  private void acknowledge() {
    if (synced && primaryId != null && durable.promised() == term) {
      held = sequence;
      outbox.send(primaryId, new CibPeerMessage.Ack(term, sequence, onDisk()));
      node.inStep().reached(term, onDisk());
    }
  }

  private long onDisk() {
    return savedAt >= configurationAt ? sequence : savedAt;
  }

  private void inStep(CibPeerMessage.Announce it) {
    node.inStep().announced(it);
    if (synced && durable.promised() == term) {
      node.inStep().reached(term, onDisk());
    }
  }
}
