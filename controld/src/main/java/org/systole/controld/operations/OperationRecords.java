package org.systole.controld.operations;

import java.util.ArrayList;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Reports this node's operations: writes them into the CIB, or acknowledges them to the DC
/// directly.
final class OperationRecords {
  private static final String WRITTEN = "controld_update_resource_history";
  private static final String ACKNOWLEDGED = "controld_ack_event_directly";

  private static final long LONG_START_DELAY_MILLIS = Duration.ofMinutes(5).toMillis();

  private static final Duration RECENT = Duration.ofSeconds(30); // so long no change is held back

  /// A result that was written.
  ///
  /// @param at when, on the monotonic clock
  /// @param replaced whether the DC was told that another failure may take its place
  private record Written(OperationResult result, long at, boolean replaced) {}

  /// What records need of the controller.
  interface Host {
    NodeName nodeName();

    CibNodeId nodeId();

    /// Whether it is a remote node, whose entry in the status section says so.
    default boolean isRemote() {
      return false;
    }

    /// The CIB as this node has it, null if it has none yet.
    @Nullable Element cib();

    void write(List<CibOp> changes, Runnable done);

    /// Writes a result.
    ///
    /// @param state the node's entry, with nothing but that result
    default void record(OperationResult result, Element state, Runnable done) {
      write(List.of(CibOp.put("status", state)), done);
    }

    /// Writes that a live migration is about to begin.
    ///
    /// @param written run once that was answered
    /// @param then told once the cluster knows of it, where that matters: why it must not begin, null if it may
    default void announce(OperationResult pending, Element state, Runnable written, Consumer<@Nullable String> then) {
      record(pending, state, written);
      then.accept(null);
    }

    /// Deletes what is recorded of resources.
    ///
    /// @param paths where that is
    default void delete(Map<ResourceId, String> paths, Runnable done) {
      write(paths.values().stream().map(CibOp::deleteAllXPath).toList(), done);
    }

    /// Tells the DC of a result that is not in the CIB.
    void acknowledge(HistoryEntry operation);
  }

  private static final Duration LOOK = Duration.ofMillis(500);

  private static final String ALL_BUT_MOVES =
      "/%s[not(@operation=%s and @op-status=%s)]"
          .formatted(
              HistoryEntry.ELEMENT,
              CibXPath.literal(Task.MIGRATE_TO.text()),
              CibXPath.literal(String.valueOf(ExecStatus.PENDING.code())));

  private final World world;
  private final Host host;
  private final History history;
  private final MetadataCache metadata;
  private final Map<String, OperationResult> onTheWay = new LinkedHashMap<>(); // by operation
  private final Map<String, List<Runnable>> whenWritten = new LinkedHashMap<>(); // by operation on the way
  private final Map<String, Written> recent = new LinkedHashMap<>(); // by operation, oldest first
  private boolean locksEnabled;
  private boolean looking;

  OperationRecords(World world, Host host, History history, MetadataCache metadata) {
    this.world = world;
    this.host = host;
    this.history = history;
    this.metadata = metadata;
  }

  /// @param enabled whether resources stay locked to a node that was shut down
  void shutdownLocks(boolean enabled) {
    locksEnabled = enabled;
  }

  /// A result that did not come from an agent.
  OperationResult made(OperationRequest request, OcfCode code, ExecStatus status, String why) {
    return OperationResult.made(request, code, status, why, world.now().getEpochSecond());
  }

  /// The failure of an operation that no agent has run. It counts as the resource's next call: it
  /// comes after everything recorded so far and before the recovery from it. Without a call number
  /// it would pass for pending, and so for newer than the recovery.
  OperationResult failed(OperationRequest request, ExecStatus status, String why) {
    return made(request, OcfCode.UNKNOWN_ERROR, status, why)
        .withCallId(history.lastCallId(request.resource()) + 1);
  }

  /// How a one-off operation is recorded while it runs; null if it is not recorded.
  @Nullable OperationResult pending(OperationRequest request) {
    return !request.recurs() && request.isRecordable()
        ? made(request, OcfCode.NONE, ExecStatus.PENDING, "")
        : null;
  }

  /// Writes that an operation is pending, if its parameters ask for that. Not on a remote node, of which a new DC
  /// knows only what the CIB says, if nothing there would say any more that the resource runs.
  ///
  /// @param active what is under way besides
  void begun(OperationRequest request, ActiveOperations active) {
    history.begins(request);
    if (!request.isRecordable() || !request.recordsPending() || request.is(Task.MIGRATE_TO)) {
      return; // a live migration is announced, whatever its parameters say
    }
    var pending = made(request, OcfCode.NONE, ExecStatus.PENDING, "");
    if (!host.isRemote() || tellsThatItRuns(pending) || request.is(Task.MONITOR) || isMonitored(request, active)) {
      write(pending, null);
    }
  }

  /// Whether a result of what recurs is in the CIB.
  private boolean isMonitored(OperationRequest request, ActiveOperations active) {
    return active.allOf(request.resource()).stream()
        .anyMatch(it -> it.request.recurs() && !it.cancelling && (it.adopted || history.has(it.request)));
  }

  /// Writes a result.
  ///
  /// @param operation the operation it is the result of; null if this controller did not ask for it
  void write(OperationResult result, @Nullable UnderWay operation) {
    write(result, operation, (state, written) -> host.record(result, state, written));
  }

  /// Writes that a live migration is about to begin, see [Host#announce].
  void announce(OperationRequest migration, Consumer<@Nullable String> then) {
    var pending = made(migration, OcfCode.NONE, ExecStatus.PENDING, "");
    write(pending, null, (state, written) -> host.announce(pending, state, written, then));
  }

  private void write(OperationResult result, @Nullable UnderWay operation, BiConsumer<Element, Runnable> how) {
    var resource = HistoryXml.resource(result.resource(), result.agent());
    resource.attr("container", result.request().metaValue("container"));
    if (operation != null && operation.lockTime > 0) {
      resource.attr("shutdown-lock", keepsLock(result) ? operation.lockTime : 0);
    }
    var known = metadata.forRecord(result.agent(), result.operation());
    HistoryEntry.of(result, host.nodeName(), known, WRITTEN)
        .forEach(it -> resource.add(it.xml()));
    var state = HistoryXml.nodeState(host.nodeId(), host.nodeName(), List.of(resource.build()));
    var marked = host.isRemote() ? state.with(HistoryXml.REMOTE, "true") : state;
    var key = result.request().key();
    var replaced = result.failed() && tellOfOthers(result);
    onTheWay.put(key, result);
    remember(key, result, replaced);
    how.accept(marked, () -> written(key, result));
    if (result.request().recurs() && result.failed()) {
      deleteBegun(result.request());
    }
  }

  /// A resource's failures have one entry. Of two that are written one after the other the DC may see but one there: the later one, or
  /// whichever, as long as the former is on its way. What it waits for counts as not done then. Each is told once: a remote host may have
  /// hundreds of operations fail without end.
  ///
  /// @return whether that was told of this one
  private boolean tellOfOthers(OperationResult failure) {
    var replaced = false;
    for (var it : List.copyOf(recent.values())) {
      var other = it.result();
      var isAnother = !other.request().key().equals(failure.request().key());
      if (isAnother && isRecent(it) && other.failed() && other.resource().equals(failure.resource())) {
        if (!it.replaced()) {
          tellReplaced(other);
          recent.replace(other.request().key(), new Written(other, it.at(), true));
        }
        replaced |= isOnTheWay(other);
      }
    }
    if (replaced) {
      tellReplaced(failure);
    }
    return replaced;
  }

  private void tellReplaced(OperationResult failure) {
    var key = TransitionKey.parse(failure.transitionKey());
    if (key != null && key.isPlanned() && !isToldDirectly(failure)) {
      notDone(failure.request(), "another failure may take its place");
    }
  }

  private void written(String key, OperationResult result) {
    if (onTheWay.remove(key, result)) {
      var tasks = whenWritten.remove(key);
      (tasks == null ? List.<Runnable>of() : tasks).forEach(Runnable::run);
    }
  }

  /// Has something done once what came of an operation, which is just being told, is written.
  void onceWritten(OperationRequest operation, Runnable task) {
    world.post(
        () -> {
          if (onTheWay.containsKey(operation.key())) {
            whenWritten.computeIfAbsent(operation.key(), _ -> new ArrayList<>()).add(task);
          } else {
            task.run();
          }
        });
  }

  /// That a recurring operation was begun does not stay for ever where its first result is a failure, which has an entry of its own: that
  /// one may be taken away before the resource is stopped.
  private void deleteBegun(OperationRequest operation) {
    var begun = CibXPath.literal(String.valueOf(ExecStatus.PENDING.code()));
    var entry =
        "/%s[@id=%s and @op-status=%s]".formatted(HistoryEntry.ELEMENT, CibXPath.literal(operation.key()), begun);
    host.write(List.of(CibOp.deleteAllXPath(path(operation.resource()) + entry)), () -> {});
  }

  /// Writes a result, and tells it to the DC directly where that of an operation asked for before is to come, perhaps by an
  /// earlier DC: it takes its place in the CIB, perhaps before this one has read it there.
  ///
  /// @param active what is still under way
  void write(OperationResult result, @Nullable UnderWay operation, ActiveOperations active) {
    write(result, operation);
    if (!result.request().recurs() && active.isBusy(result.resource()) && cameAsExpected(result)) {
      acknowledge(result);
    }
  }

  /// Tells the DC directly of results that were written just now, or are being written, where something is about to take their place in
  /// the CIB. What is written and taken away again in one change nobody sees there, and the DC would wait until its time is over. Failures
  /// count as not done: they would count twice where they are seen all the same.
  void tellUnread() {
    for (var it : List.copyOf(recent.values())) {
      if (isRecent(it)) {
        if (isToldDirectly(it.result())) {
          acknowledge(it.result());
        } else {
          tellAgain(it.result(), "what is known of it is written anew");
        }
      }
    }
  }

  /// Whether it may be told to the DC beside the CIB: a probe that comes out otherwise than was expected has found something, and counts
  /// for no failure.
  private static boolean isToldDirectly(OperationResult it) {
    return it.status() != ExecStatus.PENDING && !it.request().recurs() && (it.is(Task.MONITOR) || cameAsExpected(it));
  }

  private void remember(String key, OperationResult result, boolean replaced) {
    var now = world.nanoTime();
    recent.remove(key);
    recent.put(key, new Written(result, now, replaced));
    var eldest = recent.values().iterator();
    while (eldest.hasNext() && now - eldest.next().at() > RECENT.toNanos()) {
      eldest.remove();
    }
  }

  private boolean isOnTheWay(OperationResult result) {
    return onTheWay.get(result.request().key()) == result;
  }

  private boolean isRecent(Written it) {
    return world.nanoTime() - it.at() <= RECENT.toNanos();
  }

  private boolean keepsLock(OperationResult result) {
    return locksEnabled
        && ((result.is(Task.STOP) && result.is(OcfCode.OK))
            || (result.is(Task.MONITOR) && result.is(OcfCode.NOT_RUNNING)));
  }

  void acknowledge(OperationResult result) {
    var entries = HistoryEntry.of(result, host.nodeName(), null, ACKNOWLEDGED);
    host.acknowledge(entries.getFirst());
  }

  /// Tells the DC that an operation was not done, or counts for nothing.
  void notDone(OperationRequest request, String why) {
    acknowledge(made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.INVALID, why));
  }

  /// The same of a live migration that was announced. Nobody is to look for it where it was to go. The DC may ask another member for the
  /// same then, which announces it under the same key: that stays.
  void neverBegun(OperationRequest migration, String why) {
    var begun = CibXPath.literal(String.valueOf(ExecStatus.PENDING.code()));
    var key = CibXPath.literal(migration.transitionKey());
    var pending = "/%s[@op-status=%s and @transition-key=%s]".formatted(HistoryEntry.ELEMENT, begun, key);
    host.write(List.of(CibOp.deleteAllXPath(path(migration.resource()) + pending)), () -> notDone(migration, why));
  }

  /// Tells the DC that nobody knows any more whether an operation was done. Who has the node by now may be asked for it.
  void unknown(OperationRequest request, String why) {
    acknowledge(made(request, OcfCode.NONE, ExecStatus.INVALID, why));
  }

  /// The executor has taken an operation.
  void accepted(OperationRequest request) {
    if (request.recurs() && request.startDelayMillis() > LONG_START_DELAY_MILLIS) {
      // the first result is too far off for a transition to wait for it
      var expected = TransitionKey.expectedRc(request.transitionKey());
      acknowledge(OperationResult.made(request, expected, ExecStatus.DONE, "", world.now().getEpochSecond()));
    }
  }

  /// Tells the DC directly what came of a resource's last operation, if that is not long ago: a probe's also where it has found nothing,
  /// or what it should not. A result that nobody asked for is about to take its place in the CIB, perhaps before the DC has read
  /// it there: it would wait for it until the action's time is over. Not failures, which would count twice where they are seen all the same.
  void tellLast(ResourceId resource) {
    Written last = null;
    for (var it : recent.values()) {
      if (it.result().resource().equals(resource) && !it.result().request().recurs()) {
        last = it;
      }
    }
    if (last != null && isRecent(last) && isToldDirectly(last.result())) {
      acknowledge(last.result());
    }
  }

  /// A recurring operation was cancelled: its record is deleted.
  void deleteRecurring(OperationRequest operation, Runnable done) {
    history.forgetRecurring(operation);
    var entry = "/%s[@id=%s]".formatted(HistoryEntry.ELEMENT, CibXPath.literal(operation.key()));
    host.write(List.of(CibOp.deleteXPath(path(operation.resource()) + entry)), done);
  }

  /// The DC itself wants to have a resource deleted: it has seen what the CIB says of it.
  void seen(ResourceId resource) {
    recent.values().removeIf(it -> it.result().resource().equals(resource));
  }

  /// The same, unless there is a reason not to; `done` is given that, null if there is none.
  ///
  /// @param active what is still under way
  void delete(
      List<ResourceId> resources, @Nullable String reason, ActiveOperations active, Consumer<@Nullable String> done) {
    if (reason != null) {
      done.accept(reason);
    } else {
      var moving = resources.stream().filter(active::isMovedLive).toList();
      delete(resources, moving, () -> done.accept(null));
    }
  }

  /// Deletes from the CIB all that is recorded of resources. A result that may be deleted together
  /// with the rest before the DC has seen it there is told to it: it waits for it.
  void delete(List<ResourceId> resources, Runnable done) {
    delete(resources, List.of(), done);
  }

  /// @param moving of which it stays in the CIB that they are being moved live
  private void delete(List<ResourceId> resources, List<ResourceId> moving, Runnable done) {
    var gone = new HashSet<>(resources);
    onTheWay.values().stream()
        .filter(it -> gone.contains(it.resource()) && it.status() != ExecStatus.PENDING)
        .forEach(this::acknowledge);
    for (var it : List.copyOf(recent.values())) {
      if (gone.contains(it.result().resource())) {
        recent.remove(it.result().request().key());
        if (isRecent(it) && !isOnTheWay(it.result())) {
          tellAgain(it.result(), "what is known of it was deleted");
        }
      }
    }
    var paths = new LinkedHashMap<ResourceId, String>();
    resources.forEach(it -> paths.put(it, path(it) + (moving.contains(it) ? ALL_BUT_MOVES : "")));
    var sent = resources.stream().filter(it -> !moving.contains(it)).toList();
    var again = HalfMoved.lookAgain(host.cib(), host.nodeName(), sent);
    if (again.isEmpty()) {
      host.delete(paths, done);
    } else {
      host.write(again, () -> host.delete(paths, done));
    }
  }

  /// Somebody else may have deleted what was written just now. That is seen a moment later, once for many changes.
  void cibChanged() {
    if (!recent.isEmpty() && !looking) {
      looking = true;
      world.after(LOOK, this::tellDeleted);
    }
  }

  /// Tells the DC of results that were deleted: what was written and deleted in one change it has not seen.
  private void tellDeleted() {
    looking = false;
    var cib = host.cib();
    var known = cib == null ? null : HistoryXml.resources(cib, host.nodeId());
    for (var it : known == null ? List.<Written>of() : List.copyOf(recent.values())) {
      var result = it.result();
      if (isRecent(it) && !isOnTheWay(result) && known.first("lrm_resource", result.resource().text()) == null) {
        recent.remove(result.request().key());
        tellAgain(result, "what is known of it was deleted");
      }
    }
  }

  /// Tells the DC of a result that is in the CIB, where it may not have read it yet. It must not count a
  /// failure a second time: what came out otherwise than was expected is told as if it counted for
  /// nothing.
  private void tellAgain(OperationResult result, String why) {
    if (result.status() == ExecStatus.PENDING || result.status() == ExecStatus.CANCELLED) {
      return;
    }
    if (cameAsExpected(result)) {
      acknowledge(result);
    } else {
      notDone(result.request(), why);
    }
  }

  private static boolean cameAsExpected(OperationResult result) {
    return result.status() == ExecStatus.DONE
        && result.rc() == TransitionKey.expectedRc(result.transitionKey());
  }

  private String path(ResourceId resource) {
    return "//node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]"
        .formatted(CibXPath.literal(host.nodeId().text()), CibXPath.literal(resource.text()));
  }

  /// This node's `node_state` with the history of all its resources, including operations that are
  /// under way or about to begin: a new DC must not take a resource for stopped that is being
  /// started, nor one that is still being stopped. So what says that a resource runs stays until what
  /// ends that has ended.
  Element state(List<UnderWay> active) {
    var resources = new LinkedHashMap<ResourceId, Element>();
    var running = history.active();
    for (var resource : history.toXml(host.nodeName(), metadata::get)) {
      resources.put(new ResourceId(resource.get("id", "")), resource); // as written here
    }
    for (var operation : active) {
      var pending = operation.pending;
      if (pending != null && (tellsThatItRuns(pending) || !running.contains(pending.resource()))) {
        var id = pending.resource();
        var resource = resources.get(id);
        if (resource == null) {
          resource = HistoryXml.resource(pending.resource(), pending.agent()).build();
        }
        for (var entry : HistoryEntry.of(pending, host.nodeName(), null, WRITTEN)) {
          resource = with(resource, entry.xml());
        }
        resources.put(id, resource);
      }
    }
    var all = new ArrayList<>(resources.values());
    return HistoryXml.nodeState(host.nodeId(), host.nodeName(), all);
  }

  /// Whether a resource is taken for active while this is under way, whatever was before. The scheduler does
  /// not take it for active because it is being stopped, demoted, reloaded or looked for.
  private static boolean tellsThatItRuns(OperationResult pending) {
    return pending.is(Task.START) || pending.is(Task.PROMOTE) || pending.request().isMigration();
  }

  private static Element with(Element resource, Element entry) {
    var before = resource.first(HistoryEntry.ELEMENT, entry.get("id", ""));
    return before == null
        ? resource.plus(entry)
        : resource.replace(resource.indexOf(before), entry);
  }
}
