package org.systole.controld.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.Product;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// Runs the operations of a node: has its executor do what the DC asks, and writes the results into
/// the CIB.
///
/// An operation is recorded as pending before it runs, unless its `record-pending` is off, and with
/// its result after. What is not recorded (a notification, a cancellation, a deletion, a refusal)
/// is acknowledged to the DC directly.
public final class OperationRunner {
  /// What operations need of the controller.
  public interface Host extends OperationRecords.Host {
    /// Why an operation must not be begun now, null if it may.
    @Nullable String objection(OperationName operation);

    /// Runs a task once the CIB says something, or after a time.
    void expect(Predicate<Element> written, Duration limit, Runnable then);

    /// Called with the resources that run there, whenever they may have changed.
    void runs(List<LeftRunning.Resource> resources);

    /// A result came; runs the alert agents.
    void reported(OperationResult result);
  }

  private final World world;
  private final Host host;
  private final NodeExecutor executor;
  private final History history = new History();
  private final ActiveOperations active = new ActiveOperations();
  private final MetadataCache metadata;
  private final BooleanSupplier ready;
  private final OperationRecords records;
  private final LostOperations underWay;
  private final Cancellations cancellations;
  private final ResourceSearch search;
  private final OperationLog log;
  private final Unprepared unprepared;
  private final AnnouncedMigrations announced;
  private final EarlyProbes early;

  /// @param ready whether the executor can be given work; what is asked for while it cannot waits
  ///     until it is to be repeated
  public OperationRunner(World world, Host host, NodeExecutor executor, MetadataCache metadata, BooleanSupplier ready) {
    this.world = world;
    this.host = host;
    this.executor = executor;
    this.metadata = metadata;
    this.ready = ready;
    this.records = new OperationRecords(world, host, history, metadata);
    this.underWay = new LostOperations(world, history, active, records);
    this.cancellations = new Cancellations(executor, active, records, underWay);
    this.search = new ResourceSearch(world, history, it -> HalfMoved.mayArrive(host.cib(), it, host.nodeName()));
    this.log = new OperationLog(world, host);
    this.unprepared = new Unprepared(metadata, this::run);
    this.announced = new AnnouncedMigrations(world, host, active, records, this::prepare);
    this.early = new EarlyProbes(world, host, active, records, this::prepare);
  }

  History history() {
    return history;
  }

  ActiveOperations active() {
    return active;
  }

  OperationRecords records() {
    return records;
  }

  Cancellations cancellations() {
    return cancellations;
  }

  public void shutdownLocks(boolean enabled) {
    records.shutdownLocks(enabled);
  }

  /// This node's `node_state` with the history of its resources, including operations that are
  /// under way or about to begin; see [AnnouncedMigrations#giveUp()].
  public Element state() {
    announced.giveUp();
    return records.state(active.all());
  }

  public List<ResourceId> activeResources() {
    return history.active();
  }

  /// The resources with a history here, and those with operations under way.
  public List<ResourceId> knownResources() {
    var known = new TreeSet<>(history.resources());
    active.all().forEach(it -> known.add(it.request.resource()));
    return List.copyOf(known);
  }

  /// The resources that would keep running without this node's cluster software, including those
  /// that are just being started or may run unknown to anybody.
  public List<LeftRunning.Resource> leftRunning() {
    var left = new ArrayList<>(history.leftRunning());
    var named = left.stream().map(LeftRunning.Resource::id).collect(Collectors.toSet());
    for (var operation : active.all()) {
      var request = operation.request;
      if (bringsUp(request) && !request.agent().isFenceAgent() && named.add(request.resource())) {
        left.add(new LeftRunning.Resource(request.resource(), request.agent(), request.ownParameters()));
      }
    }
    search.suspects().stream().filter(it -> named.add(it.id())).forEach(left::add);
    return left;
  }

  /// The same, and those that another controller has started as far as is known.
  public List<LeftRunning.Resource> mayRun() {
    return history.andStarted(leftRunning());
  }

  private static boolean bringsUp(OperationRequest request) {
    return request.is(Task.START) || request.is(Task.MIGRATE_FROM) || request.is(Task.PROMOTE);
  }

  /// Takes over a resource's parameters from an earlier controller.
  public void presume(LeftRunning.Resource resource) {
    if (resource.source() != null) {
      search.arrives(resource);
    } else {
      history.presume(resource.id(), resource.agent(), resource.parameters());
      search.suspect(resource);
    }
  }

  /// A resource is about to be moved here live.
  public void arrives(LeftRunning.Resource sent) {
    search.arrives(sent);
    early.arrives(sent.id());
    host.runs(leftRunning());
  }

  /// Probes a resource. If it runs it is recorded, otherwise the probe leaves no trace.
  public void look(LeftRunning.Resource resource, Runnable done) {
    prepare(enter(search.begin(resource, unplannedKey(), done), 0));
  }

  /// Does what the DC asks of a resource.
  public void execute(GraphAction action, String key) {
    var request = action.request(key);
    if (request == null) {
      world.log().error("Ignoring a request that names no resource: " + action.key());
      return;
    }
    switch (request.task()) {
      case CANCEL -> cancellations.cancel(request);
      case DELETE -> delete(request);
      case null, default -> begin(request, action.lockTime());
    }
  }

  private void begin(OperationRequest request, long lockTime) {
    var early = active.objection(request);
    var objection = early == null ? host.objection(request.operation()) : early;
    if (objection != null) {
      var what = "Not doing %s of %s: %s";
      world.log().notice(what.formatted(request.operation(), request.resource(), objection));
      records.notDone(request, objection);
      return;
    }
    var begin = beginning(request);
    cancellations.before(request, () -> begin.accept(enter(search.first(request), lockTime)));
  }

  private Consumer<UnderWay> beginning(OperationRequest request) {
    if (request.is(Task.MIGRATE_TO)) {
      return announced::announce;
    }
    return request.isProbe() ? it -> early.begin(it, search.arrivesFrom(request.resource())) : this::prepare;
  }

  private void prepare(UnderWay operation) {
    giveUpWaiting(operation.request.resource());
    unprepared.prepare(operation);
  }

  private void giveUpWaiting(ResourceId resource) {
    announced.giveUp(resource);
    early.giveUp(resource);
  }

  private void run(UnderWay asked) {
    if (!ready.getAsBoolean()) {
      return; // it runs once the executor is back
    }
    var operation = reloadAsKnown(asked);
    var request = operation.request.is(Task.STOP) ? search.asStarted(operation.request) : operation.request;
    log.of(request).notice("Requesting %s on %s".formatted(request.key(), host.nodeName()));
    var mine = operation.tries;
    executor.execute(
        request,
        answer -> {
          if (answer instanceof ExecMessage.Accepted(var callId)) {
            active.accepted(operation, callId);
            records.accepted(request);
          } else if (answer instanceof ExecMessage.Refused(var why)
              && executor.isConnected()
              && operation.tries == mine
              && !underWay.refused(operation, why)) {
            active.remove(operation);
            fails(request, ExecStatus.NOT_CONNECTED, why);
          }
        });
  }

  /// Records the failure of an operation that no agent has run.
  private void fails(OperationRequest request, ExecStatus status, String why) {
    var failure = records.failed(request, status, why);
    if (!(host.isRemote() && status == ExecStatus.NOT_CONNECTED && search.stopsLookingFor(failure))) { // who is connected next looks again
      result(failure);
    }
  }

  /// From here on the operation counts as under way, although the executor is asked later.
  private UnderWay enter(OperationRequest request, long lockTime) {
    records.begun(request, active);
    var operation = new UnderWay(request, lockTime, records.pending(request));
    active.add(operation);
    if (bringsUp(request) || search.isSuspected(request.resource())) {
      host.runs(leftRunning());
    }
    return operation;
  }

  /// Old agents know only the legacy `reload`. Until the agent's metadata is known, the operation
  /// is under way as `reload-agent`.
  private UnderWay reloadAsKnown(UnderWay operation) {
    var request = operation.request;
    if (!request.isReload()) {
      return operation;
    }
    var known = metadata.get(request.agent());
    var legacy = known != null && known.reload() == AgentMetadata.Reload.LEGACY;
    var task = legacy ? Task.RELOAD : Task.RELOAD_AGENT;
    if (request.is(task)) {
      return operation;
    }
    active.remove(operation);
    return enter(request.as(task), operation.lockTime);
  }

  private void delete(OperationRequest request) {
    records.seen(request.resource());
    forget(
        List.of(request.resource()),
        problem -> {
          if (problem != null && underWay.isHandedOn()) {
            underWay.notDone(request);
          } else {
            records.acknowledge(
                problem == null
                    ? records.made(request, OcfCode.OK, ExecStatus.DONE, "")
                    : records.made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, problem));
          }
        });
  }

  /// Forgets resources here and in the CIB, and what was asked of them so far; `done` is given null, or what went wrong. What has not
  /// reached the executor yet is given to it first: it says of each operation that it is forgotten, or lets it end.
  public void forget(List<ResourceId> resources, Consumer<@Nullable String> done) {
    forget(resources, () -> null, done);
  }

  /// @param kept why what the CIB has is not deleted after all, asked once all else is forgotten; null if it is
  public void forget(List<ResourceId> resources, Supplier<@Nullable String> kept, Consumer<@Nullable String> done) {
    if (resources.isEmpty()) {
      world.post(() -> done.accept(null));
      return;
    }
    var left = new int[] {resources.size()};
    var problem = new ArrayList<String>();
    for (var resource : resources) {
      giveUpWaiting(resource);
      unprepared.runNow(resource);
      var before = underWay.forgetting(resource);
      executor.forget(
          resource,
          answer -> {
            if (answer instanceof ExecMessage.Refused(var why) && (executor.isConnected() || underWay.isHandedOn())) {
              problem.add(why); // a lost executor has forgotten the resource anyway, unless another controller has it
              underWay.keep(before, (it, refusal) -> fails(it, ExecStatus.NOT_CONNECTED, refusal));
            } else {
              search.forgotten(resource);
              before.stream().filter(it -> bringsUp(it.request)).forEach(it -> search.begun(it.request));
              underWay.forget(before); // not what was begun meanwhile
              history.forget(resource);
              host.runs(leftRunning());
            }
            if (--left[0] == 0) {
              records.delete(resources, problem.isEmpty() ? kept.get() : problem.getFirst(), active, done);
            }
          });
    }
  }

  /// @param operation null for whatever failed
  public void forgetFailure(ResourceId resource, @Nullable OperationName operation, long intervalMillis) {
    history.forgetFailure(resource, operation, intervalMillis);
  }

  /// Records a failure that did not happen, so that the cluster reacts to it.
  public void recordPretendedFailure(ResourceId resource, AgentName agent) {
    records.tellLast(resource);
    var told = Map.of(OperationRequest.FEATURE_SET, Product.FEATURE_SET);
    var request = OperationRequest.of(resource, agent, Task.ASYNC_MONITOR.operation(), 0, told, unplannedKey());
    fails(request, ExecStatus.DONE, "Simulated failure");
  }

  private String unplannedKey() {
    var number = (int) (world.nanoTime() / 1_000_000 & 0x3fff_ffff);
    return TransitionKey.unplanned(number, OcfCode.OK.number()).toString();
  }

  /// The executor has told a result.
  public void result(OperationResult reported) {
    var running = active.get(reported.request().key());
    var ours = running != null && running.request.transitionKey().equals(reported.transitionKey());
    var result = ours && running.isLiveMove() ? reported.asState().asRemembered() : reported.asState();
    if (ours && (!result.request().recurs() || result.status() == ExecStatus.CANCELLED)) {
      active.remove(running);
    }
    underWay.told(result);
    if (search.foundNothing(result)) {
      if (ours) { // otherwise the DC has asked for a probe meanwhile, whose result is to come
        executor.forget(result.resource(), _ -> {});
      }
      return;
    }
    var next = search.next(result);
    if (next != null) {
      host.runs(leftRunning());
      if (ours) {
        prepare(enter(next, running.lockTime));
      } else if (running == null) {
        records.notDone(next, "what is known of it was deleted");
      }
      return;
    }
    if (!ours && host.isRemote() && search.mayHaveMissed(result)) {
      records.notDone(result.request(), "it may run with other parameters");
      return;
    }
    if (ours && isKnownAlready(result, running)) {
      history.record(result);
      return;
    }
    search.noteDone(result);
    log.result(result);
    host.reported(result);
    if (result.status() == ExecStatus.CANCELLED) {
      cancelled(result, ours ? running : null);
    } else if (!result.request().isRecordable() || result.forgotten()) {
      records.acknowledge(result);
    } else {
      records.write(result, ours ? running : null, active);
    }
    history.record(result);
    host.runs(leftRunning());
  }

  /// The request that is under way of a result's kind, null if there is none.
  public @Nullable OperationRequest underWay(OperationResult result) {
    var running = active.get(result.request().key());
    return running == null ? null : running.request;
  }

  /// Whether a result is that of a probe of this controller's own, as [#look] asks for.
  public boolean looksFor(OperationResult result) {
    return search.looksFor(result);
  }

  /// What was asked for here and is under way, or about to begin, and what recurs.
  public List<OperationRequest> underWay() {
    return active.all().stream().map(it -> it.request).toList();
  }

  /// A recurring operation that was begun again has the same result as before.
  private boolean isKnownAlready(OperationResult result, UnderWay running) {
    return result.request().recurs() && running.tries > 1 && result.status() != ExecStatus.CANCELLED && history.isSame(result);
  }

  private void cancelled(OperationResult result, @Nullable UnderWay running) {
    if (running != null && running.isLiveMove()) {
      records.neverBegun(running.request, "it was given up before it began");
    } else if (!result.request().recurs() || result.forgotten()) {
      records.acknowledge(result);
    } else if (running != null) {
      running.whenCancelled.forEach(Runnable::run);
    }
  }

  public void cibChanged() {
    records.cibChanged();
  }

  /// See [AnnouncedMigrations#afterwards].
  public boolean afterAnnounced(Runnable task) {
    return announced.afterwards(task);
  }

  /// Asks again for an operation that a lost executor did not finish.
  void repeat(UnderWay operation) {
    if (!announced.isWaiting(operation) && !early.isWaiting(operation)) { // else it has not been asked for yet
      log.of(operation.request).notice("Asking for %s again".formatted(operation.request.key()));
      prepare(operation);
    }
  }

  /// The executor is lost for good: what was under way has failed, for all that is known.
  public void abandon(String why) {
    unprepared.takeAll();
    underWay.drop(it -> fails(it, ExecStatus.NOT_CONNECTED, why), why);
  }

  /// The executor is lost, and all is looked for anew: what was under way counts for nothing, and nobody is to wait for it.
  public void disown(String why) {
    unprepared.takeAll();
    underWay.drop(it -> records.notDone(it, why), why);
  }

  /// See [LostOperations#withdraw].
  public boolean withdraw(OperationRequest request, String why) {
    return underWay.withdraw(request, why);
  }

  /// Another controller has connected to the executor, and is to go on with it. What has not been asked of the
  /// executor is not, and what that refuses from now on has not been done.
  public void handOn(String why) {
    underWay.handOn(why);
    early.giveUp(why);
    unprepared.takeAll().forEach(underWay::notDone);
  }

  /// Another controller goes on with the executor, and this one has heard all that was told to it. What the executor has
  /// agreed to end it ends: that it has, once a run is over that goes on now, is told to the other one, which did not ask.
  public void handedOn() {
    active.all().stream().filter(it -> it.cancelling).forEach(underWay::gone);
  }

  /// The same, but the way to the executor was lost before: see [LostOperations#unheard].
  public void unheard(boolean overheard, String why) {
    underWay.unheard(overheard, why);
  }

  /// The history is about to be written anew: the DC is told directly of what it may not have read of it.
  public void tellUnread() {
    records.tellUnread();
  }

  /// Nobody knows whether an operation was done that another controller does not hear of.
  public void unheard(OperationRequest request, String why) {
    records.unknown(request, why);
  }

  /// Takes over what another controller has had done with a resource on this node.
  ///
  /// @param lastCallId of the executor's calls
  /// @param recurring what goes on there
  public void adopt(ResourceId resource, AgentName agent, long lastCallId, List<OperationRequest> recurring) {
    history.heardOf(resource, agent, lastCallId);
    recurring.forEach(it -> active.add(UnderWay.adopted(it)));
  }
}
