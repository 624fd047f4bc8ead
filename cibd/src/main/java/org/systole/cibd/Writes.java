package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.RolesPatch;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibSize;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibValidation;
import org.systole.common.cib.CibVersion;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.world.Delays;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// The primary's writes: requests are carried out in order, all that wait as one change, and each
/// is answered once it is committed.
final class Writes {
  private static final int TRACE_MAX = 20;
  private static final int PATCH_MAX = 8 << 20; // characters; for more the whole CIB is sent
  private static final int WHY_MAX = 16 << 10;
  private static final int REFUSED_MAX = 8 << 20; // bytes of XML sent with a refusal
  private static final int PATCH_REQUESTS_MAX = 4_096;

  /// A request that waits to be carried out.
  record Forwarded(NodeId from, CibPeerMessage.Forward ask) {}

  /// Changes on their way from one CIB to the next, all of them or none.
  private static final class Batch {
    final Element before;
    final List<Uncommitted> made = new ArrayList<>();
    final Map<NodeId, List<CibPeerMessage.Outcome>> refused = new TreeMap<>(); // by asking node
    final Set<String> changing = new LinkedHashSet<>(); // the requests that change something
    Element tip;
    boolean configuration;

    Batch(Element before) {
      this.before = before;
      this.tip = before;
    }
  }

  /// A change that is made but not committed yet.
  ///
  /// @param onDisk whether it has to be on disk: a change of the configuration, or a repeated
  ///     request of which only that is known: not for the status alone, of which the client's next one would be confirmed before it
  /// @param quorate made by quorate nodes
  /// @param promise whether somebody relies on it: no status, nor anything of the DC's
  private record Uncommitted(
      NodeId from,
      String id,
      long sequence,
      boolean onDisk,
      boolean quorate,
      boolean promise,
      CibVersion version,
      long deadlineNanos) {

    Uncommitted at(long sequence) {
      return new Uncommitted(from, id, sequence, onDisk, quorate, promise, version, deadlineNanos);
    }
  }

  /// The primary that makes the writes.
  interface Host {
    boolean isPrimary();

    /// Whether nodes with a quorum took part in the takeover and have been there since.
    boolean isEstablished();

    /// Of the DC this node is the primary for.
    long epoch();

    long term();

    /// Whether a change of the configuration that enough nodes hold may be confirmed.
    boolean mayPromise();

    /// Makes nodes whose copy differs fetch the whole CIB.
    void announce();

    /// The copy was changed by this patchset.
    void changed(XmlText patch, Element before, Element after);

    /// The copy was changed without a patchset.
    void replaced();

    /// The copy has reached this change of the term.
    void advanced(long sequence, boolean configuration);
  }

  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private final Host primary;
  private final BinaryOperator<@Nullable Element> patches;
  private final RolesWork roles;
  private CibValidation validation = new CibValidation();
  private final WriteQueue queue;
  private final List<Uncommitted> uncommitted = new ArrayList<>();
  private final Map<NodeId, CibPeerMessage.Ack> acks = new TreeMap<>();
  private long sequence;

  Writes(Node node, Host primary) {
    this(node, primary, CibPatch::exact);
  }

  /// @param patches makes the patchset that leads from one CIB to another, null if none does
  Writes(Node node, Host primary, BinaryOperator<@Nullable Element> patches) {
    this.patches = patches;
    this.roles = new RolesWork(node);
    this.queue = new WriteQueue(node.world(), this::flush);
    this.world = node.world();
    this.peers = node.peers();
    this.copy = node.copy();
    this.durable = node.durable();
    this.outbox = node.outbox();
    this.primary = primary;
  }

  long sequence() {
    return sequence;
  }

  /// Forgets everything: the nodes send their requests to the next primary again.
  void clear() {
    queue.clear();
    uncommitted.clear();
    acks.clear();
    sequence = 0;
  }

  void forwarded(NodeId from, CibPeerMessage.Forward ask) {
    if (!queue.add(new Forwarded(from, ask))) {
      outbox.send(from, refused(ask, Rc.EBUSY, "the cluster has too many changes waiting"));
    }
  }

  /// What was asked for while the quorum was about to come waits for it: a moment's silence of a member refuses no change.
  void quorumChanged() {
    acksChanged();
    queue.goOn();
  }

  private void flush() {
    if (!primary.isPrimary() || isTakeoverDue() || peers.isQuorumDue()) {
      return;
    }
    make(queue.take());
    acksChanged();
  }

  /// Makes one change of all requests. If that is impossible, each is tried by itself, so that a
  /// faulty request fails alone.
  private void make(Iterator<Forwarded> coming) {
    var batch = new Batch(copy.cib());
    var requests = new ArrayList<Forwarded>();
    var aboutRoles = new ArrayList<Forwarded>();
    while (coming.hasNext()) {
      var next = coming.next();
      if (RolesWork.concerns(next.ask().update())) {
        aboutRoles.add(next);
      } else {
        requests.add(next);
        evaluate(next, batch);
      }
    }
    if (batch.tip != batch.before) {
      XmlText patch;
      try {
        patch = patch(batch);
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
        if (requests.size() > 1) {
          requests.forEach(it -> make(List.of(it).iterator()));
        } else {
          requests.forEach(it -> outbox.send(it.from(), failed(it, e)));
        }
        return;
      }
      publish(batch, patch);
    }
    batch.refused.forEach((to, all) -> all.forEach(it -> outbox.send(to, it)));
    batch.made.forEach(it -> uncommitted.add(it.at(sequence)));
    if (!aboutRoles.isEmpty()) {
      makeOfRoles(aboutRoles);
    }
  }

  /// Makes one change of all requests about roles.
  private void makeOfRoles(List<Forwarded> requests) {
    var before = copy.roles();
    var wasHash = copy.rolesHash();
    var after = before;
    var fine = new ArrayList<Forwarded>();
    for (var it : requests) {
      var result =
          copy.has(it.ask().id()) && peers.isQuorate()
              ? RolesWork.Result.of(after)
              : roles.carryOut(it, after, primary.epoch(), othersCanKeepIt());
      if (result.rc().isOk()) {
        after = result.roles();
        fine.add(it);
      } else {
        outbox.send(it.from(), refused(it.ask(), result.rc(), result.why()));
      }
    }
    if (after != null && !after.equals(before)) {
      var line = copy.line().next(peers.isQuorate(), primary.term(), false);
      copy.advanceRoles(after, line);
      var ids = fine.stream().map(it -> it.ask().id()).limit(PATCH_REQUESTS_MAX).toList();
      ids.forEach(copy::note);
      sequence++;
      var patch = XmlText.of(RolesPatch.between(before, after));
      outbox.broadcast(
          new CibPeerMessage.Change(
              primary.term(), sequence, patch, wasHash, copy.rolesHash(), line, true, ids));
      primary.advanced(sequence, true);
    }
    fine.forEach(it -> uncommitted.add(made(it, copy.cib(), true).at(sequence)));
  }

  /// Whether a takeover with quorum is due. There may be, or have been, another primary, so no
  /// change made before the takeover may be confirmed.
  private boolean isTakeoverDue() {
    return peers.isQuorate() && !primary.isEstablished();
  }

  /// Whether a change of the configuration may still be undone: an earlier primary made it and it
  /// was not confirmed; the nodes here have no quorum, and those with a quorum may go on without
  /// it.
  private boolean isUnsafe(Forwarded asked, Element tip) {
    var update = asked.ask().update();
    return !peers.isQuorate()
        && !CibOp.areOfStatus(update.operations())
        && !(copy.line().left() && (update.force() || ignoresQuorum(tip)));
  }

  private Uncommitted made(Forwarded asked, Element tip, boolean onDisk) {
    var update = asked.ask().update();
    var timeout = Duration.ofMillis(update.timeoutMillis());
    var deadline = world.nanoTime() + Delays.nanos(timeout);
    var ofStatus = CibOp.areOfStatus(update.operations());
    var promise = onDisk && update.dcEpoch() == 0 && !ofStatus;
    var version = CibVersion.of(tip);
    var id = asked.ask().id();
    return new Uncommitted(
        asked.from(), id, 0, onDisk, peers.isQuorate(), promise, version, deadline);
  }

  private void evaluate(Forwarded asked, Batch batch) {
    var id = asked.ask().id();
    if (copy.has(id) || batch.changing.contains(id)) {
      if (isUnsafe(asked, batch.tip)) {
        refuseAsUnsafe(asked, batch);
      } else {
        batch.made.add(made(asked, batch.tip, !CibOp.areOfStatus(asked.ask().update().operations())));
      }
      return;
    }
    var update = asked.ask().update();
    if (update.dcEpoch() != 0 && update.dcEpoch() < primary.epoch()) {
      refuse(asked, batch, Rc.ECANCELED, "there is a later DC");
      return;
    }
    var result = carryOut(asked, batch.tip);
    if (!result.rc().isOk()) {
      refuse(asked, batch, result);
      return;
    }
    if (result.configuration() && !mayConfigure(asked, batch)) {
      return;
    }
    if (result.cib() == batch.tip && isUnsafe(asked, batch.tip)) {
      refuseAsUnsafe(asked, batch); // it is there, maybe by a primary that could not have it confirmed
      return;
    }
    if (result.cib() != batch.tip) {
      batch.changing.add(id);
    }
    batch.tip = result.cib();
    batch.configuration |= result.configuration();
    batch.made.add(made(asked, batch.tip, result.configuration()));
  }

  /// Whether a change of the configuration may be made at present; if not, it is refused.
  private boolean mayConfigure(Forwarded asked, Batch batch) {
    if (!peers.isQuorate() && !asked.ask().update().force() && !ignoresQuorum(batch.tip)) {
      refuse(
          asked,
          batch,
          Rc.NO_QUORUM,
          "the cluster has no quorum; cibadmin --force makes a change all the same");
      return false;
    }
    if (durable.isFailing() && !othersCanKeepIt()) {
      refuse(
          asked,
          batch,
          Rc.CIB_SAVE,
          "the disk of " + peers.localName() + " takes no more; see its log");
      return false;
    }
    return true;
  }

  private void refuseAsUnsafe(Forwarded asked, Batch batch) {
    refuse(
        asked,
        batch,
        Rc.NO_QUORUM,
        "the cluster lost its quorum before the change was safe; it may be undone");
  }

  private void refuse(Forwarded asked, Batch batch, Rc rc, String why) {
    refuse(asked, batch, new CibUpdate.Result(rc, List.of(why), batch.tip, false, null));
  }

  private void refuse(Forwarded asked, Batch batch, CibUpdate.Result result) {
    var output = result.output(); // serialized again it may be longer than it was when it came
    var xml =
        output == null || output.textLength() > REFUSED_MAX ? null : XmlWriter.compact(output);
    var why = String.join("; ", result.problems());
    batch
        .refused
        .computeIfAbsent(asked.from(), _ -> new ArrayList<>())
        .add(
            new CibPeerMessage.Outcome(
                asked.ask().id(),
                result.rc(),
                why.length() > WHY_MAX ? why.substring(0, WHY_MAX) + " ..." : why,
                xml,
                CibVersion.of(batch.tip),
                primary.term(),
                sequence));
  }

  private CibUpdate.Result carryOut(Forwarded asked, Element tip) {
    var ask = asked.ask();
    var update = ask.update();
    var origin =
        new CibUpdate.Origin(peers.name(asked.from()), update.client(), update.user(), world.now());
    try {
      var result = CibUpdate.apply(tip, update.operations(), origin, ask.user(), validation);
      var problem = result.rc().isOk() ? CibSize.problem(tip, result.cib()) : null;
      return problem == null
          ? result
          : new CibUpdate.Result(Rc.E2BIG, List.of(problem), tip, false, null);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      validation = new CibValidation();
      var failed = failed(asked, e);
      return new CibUpdate.Result(failed.rc(), List.of(failed.why()), tip, false, null);
    }
  }

  /// A request that fails by a fault of this program is refused; the CIB is as before.
  private CibPeerMessage.Outcome failed(Forwarded asked, Throwable why) {
    var log = world.log();
    var update = asked.ask().update();
    log.critical(
        "A change that %s asked for on %s (%s) is refused because of a fault of this program: %s"
            .formatted(update.user(), peers.name(asked.from()), update.client(), why));
    Stream.of(why.getStackTrace()).limit(TRACE_MAX).forEach(it -> log.error("  at " + it));
    return refused(
        asked.ask(), Rc.EINVAL, "the CIB manager cannot carry it out; see its log");
  }

  /// Whether the disks of the other nodes are enough without this one's.
  private boolean othersCanKeepIt() {
    var others = new ArrayList<>(peers.group());
    others.remove(peers.localId());
    return peers.isQuorate() && peers.areEnough(others);
  }

  private boolean ignoresQuorum(Element cib) {
    return ClusterOptions.read(cib, world.now(), world.zone()).ignoresQuorum();
  }

  private CibPeerMessage.Outcome refused(CibPeerMessage.Forward ask, Rc rc, String why) {
    return new CibPeerMessage.Outcome(
        ask.id(), rc, why, null, CibVersion.of(copy.cib()), primary.term(), sequence);
  }

  /// @return null if the whole CIB is to be sent instead
  private @Nullable XmlText patch(Batch batch) {
    var patch = patches.apply(batch.before, batch.tip);
    return patch == null || patch.textLength() > PATCH_MAX ? null : XmlText.of(patch);
  }

  private void publish(Batch batch, @Nullable XmlText patch) {
    var wasLeft = copy.line().left();
    var configuration = batch.configuration;
    var line = copy.line().next(peers.isQuorate(), primary.term(), configuration);
    copy.advance(batch.tip, line);
    batch.changing.forEach(copy::note);
    if (line.left() && !wasLeft) {
      world
          .log()
          .warning(
              "The configuration was changed without quorum: version "
                  + CibVersion.of(batch.tip)
                  + " has left the quorate line and loses to the quorate nodes' own");
    }
    sequence++;
    if (patch == null) {
      world.log().info("A change does not fit a patchset; sending the whole CIB");
      primary.replaced();
      primary.announce();
    } else {
      var ids = batch.made.stream().map(Uncommitted::id).limit(PATCH_REQUESTS_MAX).toList();
      outbox.broadcast(
          new CibPeerMessage.Change(
              primary.term(),
              sequence,
              patch,
              batch.before.contentHash(),
              batch.tip.contentHash(),
              line,
              configuration,
              ids));
      primary.changed(patch, batch.before, batch.tip);
    }
    primary.advanced(sequence, configuration);
  }

  void ack(NodeId from, CibPeerMessage.Ack ack) {
    acks.put(from, ack);
    acksChanged();
  }

  /// Answers the requests that are committed by now.
  void acksChanged() {
    if (!primary.isPrimary() || uncommitted.isEmpty() || isTakeoverDue()) {
      return;
    }
    acks.keySet().removeIf(id -> !peers.isHere(id));
    var inMemory = heldByEnough(CibPeerMessage.Ack::memory);
    var onDisk = heldByEnough(CibPeerMessage.Ack::disk);
    var quorate = peers.isQuorate();
    var now = world.nanoTime();
    uncommitted.removeIf(
        it -> {
          if (mayBeCommitted(it, quorate)
              && it.sequence() <= (it.onDisk() ? onDisk : inMemory)
              && (!it.promise() || primary.mayPromise())) {
            outbox.send(
                it.from(),
                new CibPeerMessage.Outcome(
                    it.id(), Rc.OK, "", null, it.version(), primary.term(), it.sequence()));
            return true;
          }
          return it.deadlineNanos() - now < 0;
        });
  }

  /// Whether a change may be committed with the present quorum. A change made with quorum needs
  /// quorum. But a change of the status is as safe with the nodes that are left as one that they
  /// make now, because the daemons that know it write it again. So a node that is left alone while
  /// it leaves need not wait for those that have left before.
  private static boolean mayBeCommitted(Uncommitted it, boolean quorate) {
    return it.quorate() == quorate || (!quorate && !it.onDisk());
  }

  /// The latest change that nodes with the votes needed hold, -1 if there is none.
  private long heldByEnough(ToLongFunction<CibPeerMessage.Ack> latest) {
    if (!peers.isQuorate() && !acks.keySet().containsAll(peers.group())) {
      return -1;
    }
    var held = -1L;
    for (var candidate : acks.values()) {
      var change = latest.applyAsLong(candidate);
      if (change <= held) {
        continue;
      }
      var holders = new ArrayList<>(acks.keySet());
      holders.removeIf(id -> latest.applyAsLong(acks.get(id)) < change);
      held = peers.areEnough(holders) ? change : held;
    }
    return held;
  }
}
