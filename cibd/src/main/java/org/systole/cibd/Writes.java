package org.systole.cibd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibValidation;
import org.systole.common.cib.CibVersion;
import org.systole.common.options.ClusterOptions;
import org.systole.common.output.Rc;
import org.systole.common.world.Delays;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The primary's writes: requests are carried out in the order they come, those at hand together as
/// one change, and each is answered once enough nodes hold it.
final class Writes {
  private static final int QUEUE_MAX = 20_000;
  private static final int BATCH_MAX = 500;
  private static final int TRACE_MAX = 20;
  private static final int PATCH_REQUESTS_MAX = 4_096;

  private record Forwarded(int from, CibPeerMessage.Forward ask) {}

  /// Uncommitted, and waiting to be held by enough nodes.
  ///
  /// @param quorate made by quorate nodes: then only such can make it safe, however few are left
  private record Uncommitted(
      int from,
      String id,
      long sequence,
      boolean onDisk,
      boolean quorate,
      CibVersion version,
      long deadlineNanos) {}

  /// Whose writes they are.
  interface Host {
    boolean isPrimary();

    /// Whether nodes with a quorum took part in the takeover and have been there since.
    boolean isEstablished();

    /// Of the DC this node is the primary for.
    long epoch();

    long term();

    /// Makes those whose copy differs fetch the whole.
    void announce();

    /// The copy was changed, as the patchset says.
    void changed(String patch, Element before, Element after);

    /// The copy was changed in a way no patchset says.
    void replaced();

    /// The copy has come to that change of the term.
    void advanced(long sequence, boolean configuration);
  }

  private final World world;
  private final Peers peers;
  private final CibCopy copy;
  private final Durable durable;
  private final Outbox outbox;
  private final Host primary;
  private CibValidation validation = new CibValidation();
  private final ArrayDeque<Forwarded> queue = new ArrayDeque<>();
  private final List<Uncommitted> uncommitted = new ArrayList<>();
  private final Map<Integer, CibPeerMessage.Ack> acks = new TreeMap<>();
  private long sequence;
  private boolean flushPosted;

  Writes(Node node, Host primary) {
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

  /// Forgets everything: who asked asks the next primary again.
  void clear() {
    queue.clear();
    uncommitted.clear();
    acks.clear();
    sequence = 0;
  }

  void begin() {
    clear();
    postFlush();
  }

  void forwarded(int from, CibPeerMessage.Forward ask) {
    if (queue.size() >= QUEUE_MAX) {
      outbox.send(from, refused(ask, Rc.EBUSY, "the cluster has too many changes waiting"));
      return;
    }
    queue.add(new Forwarded(from, ask));
    postFlush();
  }

  private void postFlush() {
    if (!flushPosted) {
      flushPosted = true;
      world.post(
          () -> {
            flushPosted = false;
            flush();
          });
    }
  }

  private void flush() {
    if (!primary.isPrimary() || isTakeoverDue()) {
      return;
    }
    var before = copy.cib();
    var tip = before;
    var configuration = false;
    var batch = new ArrayList<Uncommitted>();
    for (var count = 0; count < BATCH_MAX && !queue.isEmpty(); count++) {
      var asked = queue.remove();
      if (copy.has(asked.ask().id())) {
        if (isUnsafe(asked, tip)) {
          outbox.send(
              asked.from(),
              refused(
                  asked.ask(),
                  Rc.NO_QUORUM,
                  "the cluster lost its quorum before the change was safe; it may be undone"));
        } else {
          batch.add(made(asked, tip, true));
        }
        continue;
      }
      var result = evaluate(asked, tip);
      if (result == null) {
        continue;
      }
      if (result.cib() != tip) {
        copy.note(asked.ask().id());
      }
      tip = result.cib();
      configuration |= result.configuration();
      batch.add(made(asked, tip, result.configuration()));
    }
    if (tip != before) {
      publish(before, tip, configuration, batch);
    }
    for (var it : batch) {
      uncommitted.add(
          new Uncommitted(
              it.from(),
              it.id(),
              sequence,
              it.onDisk(),
              it.quorate(),
              it.version(),
              it.deadlineNanos()));
    }
    acksChanged();
    if (!queue.isEmpty()) {
      postFlush();
    }
  }

  /// Whether a takeover with quorum is about to come. What was made before may be known to nobody
  /// by then: there may be, or have been, another primary.
  private boolean isTakeoverDue() {
    return peers.isQuorate() && !primary.isEstablished();
  }

  /// Whether a change of the configuration that an earlier primary made may have been left behind
  /// by those with the quorum: nobody had confirmed it, and the nodes that are here have none.
  private boolean isUnsafe(Forwarded asked, Element tip) {
    var update = asked.ask().update();
    return !peers.isQuorate()
        && !update.operations().stream().allMatch(CibOp::isOfStatus)
        && !(copy.line().left() && (update.force() || ignoresQuorum(tip)));
  }

  private Uncommitted made(Forwarded asked, Element tip, boolean onDisk) {
    var deadline = world.nanoTime() + Delays.nanos(Duration.ofMillis(asked.ask().update().timeoutMillis()));
    return new Uncommitted(
        asked.from(), asked.ask().id(), 0, onDisk, peers.isQuorate(), CibVersion.of(tip), deadline);
  }

  /// @return null if the request was refused, and answered
  private CibUpdate.@Nullable Result evaluate(Forwarded asked, Element tip) {
    var update = asked.ask().update();
    if (update.dcEpoch() != 0 && update.dcEpoch() < primary.epoch()) {
      outbox.send(asked.from(), refused(asked.ask(), Rc.ECANCELED, "there is a later DC"));
      return null;
    }
    var origin =
        new CibUpdate.Origin(peers.name(asked.from()), update.client(), update.user(), world.now());
    var result = carryOut(asked.ask(), tip, origin);
    if (!result.rc().isOk()) {
      var xml = result.output() == null ? null : XmlWriter.compact(result.output());
      outbox.send(
          asked.from(),
          new CibPeerMessage.Outcome(
              asked.ask().id(),
              result.rc(),
              String.join("; ", result.problems()),
              xml,
              CibVersion.of(tip),
              primary.term(),
              sequence));
      return null;
    }
    if (result.configuration() && !peers.isQuorate() && !update.force() && !ignoresQuorum(tip)) {
      outbox.send(
          asked.from(),
          refused(
              asked.ask(),
              Rc.NO_QUORUM,
              "the cluster has no quorum; --force makes the change all the same"));
      return null;
    }
    if (result.configuration() && durable.isFailing() && !othersCanKeepIt()) {
      outbox.send(
          asked.from(),
          refused(
              asked.ask(),
              Rc.CIB_SAVE,
              "the disk of " + peers.name(peers.localId()) + " takes no more; see its log"));
      return null;
    }
    return result;
  }

  /// What goes wrong with one request is that request's end and no other's: the CIB is as before.
  private CibUpdate.Result carryOut(
      CibPeerMessage.Forward ask, Element tip, CibUpdate.Origin origin) {
    try {
      return CibUpdate.apply(tip, ask.update().operations(), origin, ask.user(), validation);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      validation = new CibValidation();
      var log = world.log();
      log.critical(
          "A change that %s asked for on %s (%s) is refused because of a fault of this program: %s"
              .formatted(origin.user(), origin.node(), origin.client(), e));
      Stream.of(e.getStackTrace()).limit(TRACE_MAX).forEach(it -> log.error("  at " + it));
      return new CibUpdate.Result(
          Rc.EINVAL, List.of("the CIB manager cannot carry it out; see its log"), tip, false, null);
    }
  }

  /// Whether the disks of the other nodes are enough without this one's.
  private boolean othersCanKeepIt() {
    var others = new ArrayList<>(peers.group());
    others.remove(Integer.valueOf(peers.localId()));
    return peers.isQuorate() && peers.votes(others) >= peers.votesNeeded();
  }

  private boolean ignoresQuorum(Element cib) {
    return ClusterOptions.read(cib, world.now(), world.zone()).ignoresQuorum();
  }

  private CibPeerMessage.Outcome refused(CibPeerMessage.Forward ask, Rc rc, String why) {
    return new CibPeerMessage.Outcome(
        ask.id(), rc, why, null, CibVersion.of(copy.cib()), primary.term(), sequence);
  }

  private void publish(
      Element before, Element tip, boolean configuration, List<Uncommitted> batch) {
    var wasLeft = copy.line().left();
    copy.advance(tip, copy.line().next(peers.isQuorate(), primary.term(), configuration));
    if (copy.line().left() && !wasLeft) {
      world
          .log()
          .warning(
              "The configuration was changed without quorum: version "
                  + CibVersion.of(tip)
                  + " has left the quorate line and loses to the quorate nodes' own");
    }
    sequence++;
    var patch = CibPatch.exact(before, tip);
    if (patch == null) {
      world.log().info("A change that no patchset says exactly; sending the whole");
      primary.replaced();
      primary.announce();
    } else {
      var text = XmlWriter.compact(patch);
      var ids = batch.stream().map(Uncommitted::id).limit(PATCH_REQUESTS_MAX).toList();
      outbox.broadcast(
          new CibPeerMessage.Change(
              primary.term(),
              sequence,
              text,
              before.contentHash(),
              tip.contentHash(),
              copy.line(),
              configuration,
              ids));
      primary.changed(text, before, tip);
    }
    primary.advanced(sequence, configuration);
  }

  void ack(int from, CibPeerMessage.Ack ack) {
    acks.put(from, ack);
    acksChanged();
  }

  /// Answers what enough nodes hold by now.
  void acksChanged() {
    if (!primary.isPrimary() || uncommitted.isEmpty() || isTakeoverDue()) {
      return;
    }
    acks.keySet().removeIf(id -> !peers.isHere(id));
    var inMemory = heldByEnough(Comparator.comparingLong(CibPeerMessage.Ack::memory), false);
    var onDisk = heldByEnough(Comparator.comparingLong(CibPeerMessage.Ack::disk), true);
    var quorate = peers.isQuorate();
    var now = world.nanoTime();
    uncommitted.removeIf(
        it -> {
          if (it.quorate() == quorate && it.sequence() <= (it.onDisk() ? onDisk : inMemory)) {
            outbox.send(
                it.from(),
                new CibPeerMessage.Outcome(
                    it.id(), Rc.OK, "", null, it.version(), primary.term(), it.sequence()));
            return true;
          }
          return it.deadlineNanos() - now < 0;
        });
  }

  /// The latest change that nodes with the votes needed hold, -1 if there is none.
  private long heldByEnough(Comparator<CibPeerMessage.Ack> latestLast, boolean disk) {
    if (!peers.isQuorate() && !acks.keySet().containsAll(peers.group())) {
      return -1;
    }
    var latest =
        acks.entrySet().stream().sorted(Map.Entry.comparingByValue(latestLast.reversed())).toList();
    var needed = peers.votesNeeded();
    var votes = 0;
    for (var entry : latest) {
      votes += peers.votes(List.of(entry.getKey()));
      if (votes >= needed) {
        return disk ? entry.getValue().disk() : entry.getValue().memory();
      }
    }
    return -1;
  }
}
