package org.systole.cibd;

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
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The primary's writes: requests are carried out in the order they come, those at hand together as
/// one change, and each is answered once enough nodes hold it.
final class Writes {
  private static final int QUEUE_MAX = 20_000;
  private static final int BATCH_MAX = 500;
  private static final int TRACE_MAX = 20;
  private static final int PATCH_REQUESTS_MAX = 4_096;

  private record Asked(int from, CibPeerMessage.Ask ask) {}

  /// Made, and waiting to be held by enough nodes.
  ///
  /// @param quorate made by quorate nodes: then only such can make it safe, however few are left
  private record Made(
      int from,
      String id,
      long sequence,
      boolean onDisk,
      boolean quorate,
      CibVersion version,
      long deadlineNanos) {}

  private final Cibd cibd;
  private final Primary primary;
  private CibValidation validation = new CibValidation();
  private final ArrayDeque<Asked> queue = new ArrayDeque<>();
  private final List<Made> made = new ArrayList<>();
  private final Map<Integer, CibPeerMessage.Hold> holds = new TreeMap<>();
  private long sequence;
  private boolean flushPosted;

  Writes(Cibd cibd, Primary primary) {
    this.cibd = cibd;
    this.primary = primary;
  }

  long sequence() {
    return sequence;
  }

  /// Forgets everything: who asked asks the next primary again.
  void clear() {
    queue.clear();
    made.clear();
    holds.clear();
    sequence = 0;
  }

  void begin() {
    clear();
    postFlush();
  }

  void ask(int from, CibPeerMessage.Ask ask) {
    if (queue.size() >= QUEUE_MAX) {
      cibd.send(from, refused(ask, Rc.EBUSY, "the cluster has too many changes waiting"));
      return;
    }
    queue.add(new Asked(from, ask));
    postFlush();
  }

  private void postFlush() {
    if (!flushPosted) {
      flushPosted = true;
      cibd.world()
          .post(
              () -> {
                flushPosted = false;
                flush();
              });
    }
  }

  private void flush() {
    if (!primary.isPrimary() || cibd.peers().isQuorate() && !primary.isEstablished()) {
      return; // a takeover with quorum is about to come
    }
    var before = cibd.copy().cib();
    var tip = before;
    var configuration = false;
    var batch = new ArrayList<Made>();
    for (var count = 0; count < BATCH_MAX && !queue.isEmpty(); count++) {
      var asked = queue.remove();
      if (cibd.copy().has(asked.ask().id())) {
        if (isUnsafe(asked, tip)) {
          cibd.send(
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
        cibd.copy().note(asked.ask().id());
      }
      tip = result.cib();
      configuration |= result.configuration();
      batch.add(made(asked, tip, result.configuration()));
    }
    if (tip != before) {
      publish(before, tip, configuration, batch);
    }
    for (var it : batch) {
      made.add(
          new Made(
              it.from(),
              it.id(),
              sequence,
              it.onDisk(),
              it.quorate(),
              it.version(),
              it.deadlineNanos()));
    }
    holdsChanged();
    if (!queue.isEmpty()) {
      postFlush();
    }
  }

  /// Whether a change of the configuration that an earlier primary made may have been left behind
  /// by those with the quorum: nobody had confirmed it, and the nodes that are here have none.
  private boolean isUnsafe(Asked asked, Element tip) {
    var update = asked.ask().update();
    return !cibd.peers().isQuorate()
        && !update.operations().stream().allMatch(CibOp::isOfStatus)
        && !(cibd.copy().line().left() && (update.force() || ignoresQuorum(tip)));
  }

  private Made made(Asked asked, Element tip, boolean onDisk) {
    var deadline = cibd.world().nanoTime() + asked.ask().update().timeoutMillis() * 1_000_000L;
    return new Made(
        asked.from(),
        asked.ask().id(),
        0,
        onDisk,
        cibd.peers().isQuorate(),
        CibVersion.of(tip),
        deadline);
  }

  /// @return null if the request was refused, and answered
  private CibUpdate.@Nullable Result evaluate(Asked asked, Element tip) {
    var update = asked.ask().update();
    if (update.dcEpoch() != 0 && update.dcEpoch() < primary.epoch()) {
      cibd.send(asked.from(), refused(asked.ask(), Rc.ECANCELED, "there is a later DC"));
      return null;
    }
    var origin =
        new CibUpdate.Origin(
            cibd.peers().name(asked.from()), update.client(), update.user(), cibd.world().now());
    var result = carryOut(asked.ask(), tip, origin);
    if (!result.rc().isOk()) {
      var xml = result.output() == null ? null : XmlWriter.compact(result.output());
      cibd.send(
          asked.from(),
          new CibPeerMessage.Done(
              asked.ask().id(),
              result.rc(),
              String.join("; ", result.problems()),
              xml,
              CibVersion.of(tip),
              primary.term(),
              sequence));
      return null;
    }
    if (result.configuration()
        && !cibd.peers().isQuorate()
        && !update.force()
        && !ignoresQuorum(tip)) {
      cibd.send(
          asked.from(),
          refused(
              asked.ask(),
              Rc.NO_QUORUM,
              "the cluster has no quorum; --force makes the change all the same"));
      return null;
    }
    if (result.configuration() && cibd.disk().isFailing() && !othersCanKeepIt()) {
      cibd.send(
          asked.from(),
          refused(
              asked.ask(),
              Rc.CIB_SAVE,
              "the disk of "
                  + cibd.peers().name(cibd.peers().localId())
                  + " takes no more; see its log"));
      return null;
    }
    return result;
  }

  /// What goes wrong with one request is that request's end and no other's: the CIB is as before.
  private CibUpdate.Result carryOut(CibPeerMessage.Ask ask, Element tip, CibUpdate.Origin origin) {
    try {
      return CibUpdate.apply(tip, ask.update().operations(), origin, ask.user(), validation);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      validation = new CibValidation();
      var log = cibd.world().log();
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
    var others = new ArrayList<>(cibd.peers().group());
    others.remove(Integer.valueOf(cibd.peers().localId()));
    return cibd.peers().isQuorate() && cibd.peers().votes(others) >= cibd.peers().votesNeeded();
  }

  private boolean ignoresQuorum(Element cib) {
    var world = cibd.world();
    return ClusterOptions.read(cib, world.now(), world.zone()).ignoresQuorum();
  }

  private CibPeerMessage.Done refused(CibPeerMessage.Ask ask, Rc rc, String why) {
    return new CibPeerMessage.Done(
        ask.id(), rc, why, null, CibVersion.of(cibd.copy().cib()), primary.term(), sequence);
  }

  private void publish(Element before, Element tip, boolean configuration, List<Made> batch) {
    var copy = cibd.copy();
    var wasLeft = copy.line().left();
    copy.advance(tip, copy.line().next(cibd.peers().isQuorate(), primary.term(), configuration));
    if (copy.line().left() && !wasLeft) {
      cibd.world()
          .log()
          .warning(
              "The configuration was changed without quorum: version "
                  + CibVersion.of(tip)
                  + " has left the quorate line and loses to the quorate nodes' own");
    }
    sequence++;
    var patch = CibPatch.exact(before, tip);
    if (patch == null) {
      cibd.world().log().info("A change that no patchset says exactly; sending the whole");
      cibd.clients().replaced();
      primary.announce();
    } else {
      var text = XmlWriter.compact(patch);
      var ids = batch.stream().map(Made::id).limit(PATCH_REQUESTS_MAX).toList();
      cibd.broadcast(
          new CibPeerMessage.Change(
              primary.term(),
              sequence,
              text,
              before.contentHash(),
              tip.contentHash(),
              copy.line(),
              configuration,
              ids));
      cibd.clients().changed(text, before, tip);
    }
    cibd.follower().advanced(sequence, configuration);
  }

  void hold(int from, CibPeerMessage.Hold hold) {
    holds.put(from, hold);
    holdsChanged();
  }

  /// Answers what enough nodes hold by now.
  void holdsChanged() {
    if (!primary.isPrimary() || made.isEmpty()) {
      return;
    }
    holds.keySet().removeIf(id -> !cibd.peers().isHere(id));
    var inMemory = heldByEnough(Comparator.comparingLong(CibPeerMessage.Hold::memory), false);
    var onDisk = heldByEnough(Comparator.comparingLong(CibPeerMessage.Hold::disk), true);
    var quorate = cibd.peers().isQuorate();
    var now = cibd.world().nanoTime();
    made.removeIf(
        it -> {
          if (it.quorate() == quorate && it.sequence() <= (it.onDisk() ? onDisk : inMemory)) {
            cibd.send(
                it.from(),
                new CibPeerMessage.Done(
                    it.id(), Rc.OK, "", null, it.version(), primary.term(), it.sequence()));
            return true;
          }
          return it.deadlineNanos() - now < 0;
        });
  }

  /// The latest change that nodes with the votes needed hold, -1 if there is none.
  private long heldByEnough(Comparator<CibPeerMessage.Hold> latestLast, boolean disk) {
    if (!cibd.peers().isQuorate() && !holds.keySet().containsAll(cibd.peers().group())) {
      return -1;
    }
    var latest =
        holds.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(latestLast.reversed()))
            .toList();
    var needed = cibd.peers().votesNeeded();
    var votes = 0;
    for (var entry : latest) {
      votes += cibd.peers().votes(List.of(entry.getKey()));
      if (votes >= needed) {
        return disk ? entry.getValue().disk() : entry.getValue().memory();
      }
    }
    return -1;
  }
}
