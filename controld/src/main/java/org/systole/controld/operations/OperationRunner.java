package org.systole.controld.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationDigest;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.output.Product;
import org.systole.common.transition.GraphAction;
import org.systole.common.world.Affair;
import org.systole.common.world.Log;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.ExecClient;
import org.systole.execd.client.ExecMessage;

/// The node's own resources: has the executor do what the DC asks, and writes into the CIB what
/// came of it.
///
/// Every operation is recorded as pending before it runs and with its result after; what is not
/// recorded (a cancellation, a deletion, a refusal) is acknowledged to the DC directly.
public final class OperationRunner implements ExecClient.Listener {
  private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);
  private static final long LONG_START_DELAY_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final Duration METADATA_PATIENCE = Duration.ofSeconds(5);
  private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration LEARN_AFTER = Duration.ofSeconds(2);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final int TRIES_MAX = 3;
  private static final String ORIGIN = "controld_update_resource_history";

  /// What the executor side needs of the controller.
  public interface Host {
    String nodeName();

    String nodeId();

    /// Why an operation must not be begun now, null if it may.
    @Nullable String objection(String operation);

    void write(List<CibOp> changes, Runnable done);

    /// Tells the DC of a result that is not in the CIB.
    void acknowledge(HistoryEntry operation);

    /// What runs here, whenever that may have changed.
    void runs(List<LeftRunning.Resource> resources);

    /// A result came, for those who want to hear of it.
    void reported(OperationResult result);

    void executorReady();

    void executorLost(String why);
  }

  private final World world;
  private final Host host;
  private final ExecClient executor;
  private final History history = new History();
  private final Map<AgentName, AgentMetadata> metadata = new HashMap<>();
  private final Set<AgentName> learning = new HashSet<>();
  private final Map<String, UnderWay> active = new TreeMap<>();

  /// Resources being looked for without the DC having asked, and who waits for it.
  private final Map<String, Runnable> looking = new TreeMap<>();

  private boolean locksEnabled;

  /// The executor is there, and what it does agrees with what is believed here.
  private boolean up;

  /// The executor's state was taken over once.
  private boolean adopted;

  private long lastCallId;

  public OperationRunner(World world, Host host) {
    this.world = world;
    this.host = host;
    this.executor = new ExecClient(world, this);
  }

  public void open() {
    executor.open();
  }

  void close() {
    executor.close();
  }

  public void shutdownLocks(boolean enabled) {
    locksEnabled = enabled;
  }

  @Override
  public void connected() {
    executor.state(
        resources -> {
          if (resources != null && !adopted) {
            adopted = true;
            adopt(resources);
          } else if (resources != null) {
            up = true;
            reunite(resources);
            host.executorReady();
          } else if (executor.isConnected()) {
            world.after(ASK_AGAIN, this::connected);
          }
        });
  }

  /// Takes over what an executor does that was there before this controller.
  private void adopt(List<ExecMessage.ResourceState> resources) {
    var agents = new LinkedHashSet<AgentName>();
    for (var resource : resources) {
      for (var result : resource.lastResults()) {
        history.record(result);
        lastCallId = Math.max(lastCallId, result.callId());
        if (OperationDigest.needsMetadata(resource.agent(), result.operation())) {
          agents.add(resource.agent());
        }
      }
      resource.recurring().forEach(this::adopt);
      resource.pending().stream().filter(it -> !it.request().recurs()).forEach(this::adopt);
    }
    learn(
        agents,
        () -> {
          up = executor.isConnected();
          host.runs(leftRunning());
          if (up) {
            host.executorReady();
          }
        });
  }

  private void adopt(ExecMessage.Queued operation) {
    var request = operation.request();
    lastCallId = Math.max(lastCallId, operation.callId());
    active.put(request.key(), new UnderWay(request, 0, pending(request)));
  }

  /// Asks agents for their metadata, for the digests of what they did; goes on without those that
  /// do not answer soon.
  private void learn(Collection<AgentName> agents, Runnable then) {
    var left = new int[] {agents.size() + 1};
    Runnable one =
        () -> {
          if (--left[0] == 0) {
            then.run();
          }
        };
    for (var agent : agents) {
      executor.metadata(
          agent,
          METADATA_PATIENCE,
          answer -> {
            learned(agent, answer);
            one.run();
          });
    }
    one.run();
  }

  private void learned(AgentName agent, ExecMessage.Metadata answer) {
    if (answer.status() != ExecStatus.DONE) {
      return;
    }
    try {
      metadata.put(agent, AgentMetadata.parse(agent.standard(), answer.xml()));
    } catch (XmlException e) {
      world.log().warning("The metadata of %s is no XML: %s".formatted(agent, e.getMessage()));
    }
  }

  @Override
  public void disconnected(String why) {
    up = false;
    host.executorLost(why);
  }

  /// The executor is back, as a rule as another process that knows nothing: it is told what was
  /// done, and asked again for what it does not do any more. Agents of the one before it has ended
  /// itself.
  private void reunite(List<ExecMessage.ResourceState> resources) {
    var states = new TreeMap<String, ExecMessage.ResourceState>();
    resources.forEach(it -> states.put(it.resource(), it));
    var lost = history.results().stream().filter(it -> !states.containsKey(it.resource())).toList();
    executor.remember(lastCallId, lost);
    for (var operation : List.copyOf(active.values())) {
      var state = states.get(operation.request.resource());
      var missed = state == null ? null : missed(state, operation);
      if (state != null && isKnown(state, operation)) {
        if (operation.cancelling) {
          cancelRecurring(operation);
        }
      } else if (missed == null) {
        again(operation);
      }
      if (missed != null) {
        result(missed);
      }
    }
  }

  private static boolean isKnown(ExecMessage.ResourceState state, UnderWay operation) {
    var request = operation.request;
    var all = request.recurs() ? state.recurring() : state.pending();
    return all.stream().anyMatch(it -> isSame(it.request(), request));
  }

  private static boolean isSame(OperationRequest it, OperationRequest other) {
    return it.is(other.operation(), other.intervalMillis())
        && it.transitionKey().equals(other.transitionKey());
  }

  /// What came of an operation while the executor could not tell.
  private @Nullable OperationResult missed(ExecMessage.ResourceState state, UnderWay operation) {
    return state.lastResults().stream()
        .filter(it -> isSame(it.request(), operation.request) && !history.has(it))
        .findFirst()
        .orElse(null);
  }

  /// Asks for an operation that a lost executor has not ended.
  private void again(UnderWay operation) {
    var request = operation.request;
    if (operation.cancelling) {
      active.remove(request.key());
      operation.whenCancelled.forEach(Runnable::run);
    } else if (!request.recurs() && (!request.isRepeatable() || operation.tries >= TRIES_MAX)) {
      active.remove(request.key());
      result(
          made(
              request,
              OcfCode.UNKNOWN_ERROR,
              ExecStatus.ERROR,
              "the executor ended while it ran this"));
    } else {
      operation.tries++;
      log(request).notice("Asking for %s again".formatted(request.key()));
      prepare(operation);
    }
  }

  /// This node's `node_state` with all its resources have been through, and what is under way or
  /// about to be: a new DC must not take a resource for stopped that is being started.
  public Element state() {
    var resources = new LinkedHashMap<String, Element>();
    for (var resource : history.toXml(host.nodeName(), metadata::get)) {
      resources.put(resource.get("id", ""), resource);
    }
    for (var operation : active.values()) {
      var pending = operation.pending;
      if (pending != null) {
        var resource =
            resources.computeIfAbsent(
                pending.resource(), it -> HistoryXml.resource(it, pending.agent()).build());
        for (var entry : HistoryEntry.of(pending, host.nodeName(), null, ORIGIN)) {
          resource = with(resource, entry.xml());
        }
        resources.put(pending.resource(), resource);
      }
    }
    return HistoryXml.nodeState(host.nodeId(), host.nodeName(), List.copyOf(resources.values()));
  }

  private static Element with(Element resource, Element entry) {
    var before = resource.first(HistoryEntry.ELEMENT, entry.get("id", ""));
    return before == null
        ? resource.plus(entry)
        : resource.replace(resource.indexOf(before), entry);
  }

  public List<String> activeResources() {
    return history.active();
  }

  public List<String> knownResources() {
    return history.resources();
  }

  /// What would run on without this node's cluster software.
  public List<LeftRunning.Resource> leftRunning() {
    var left = new ArrayList<LeftRunning.Resource>();
    for (var resource : history.active()) {
      var agent = history.agent(resource);
      var parameters = history.startedWith(resource);
      if (agent != null && !agent.isFenceAgent()) {
        left.add(
            new LeftRunning.Resource(resource, agent, parameters == null ? Map.of() : parameters));
      }
    }
    return left;
  }

  /// Takes a resource's parameters from a controller before this one.
  public void presume(LeftRunning.Resource resource) {
    history.presume(resource.id(), resource.parameters());
  }

  /// Looks whether a resource runs. If so it is recorded, if not it is as if it had not been looked
  /// for.
  public void look(LeftRunning.Resource resource, Runnable done) {
    var parameters = new LinkedHashMap<>(resource.parameters());
    parameters.put(OperationRequest.FEATURE_SET, Product.FEATURE_SET);
    parameters.put(OperationRequest.meta("timeout"), String.valueOf(LOOK_TIMEOUT.toMillis()));
    parameters.put(OperationRequest.meta("record_pending"), "false");
    looking.put(resource.id(), done);
    prepare(
        enter(
            OperationRequest.of(
                resource.id(),
                resource.agent(),
                Task.MONITOR.text(),
                0,
                parameters,
                unplannedKey()),
            0));
  }

  /// @return whether the result was of a look, and does not say that the resource runs
  private boolean lookedInVain(OperationResult result) {
    var waiting = result.request().isProbe() ? looking.remove(result.resource()) : null;
    if (waiting == null) {
      return false;
    }
    world.post(waiting);
    switch (result.status() == ExecStatus.DONE ? result.code() : null) {
      case OK, RUNNING_PROMOTED, DEGRADED, DEGRADED_PROMOTED -> {
        return false;
      }
      case NOT_INSTALLED, NOT_RUNNING ->
          world.log().notice(result.resource() + " does not run here any more");
      case null, default -> {
        world
            .log()
            .error(
                "Cannot tell whether %s, which is no longer configured, still runs here%s; it is to"
                        .formatted(result.resource(), reason(result))
                    + " be stopped");
        return false;
      }
    }
    executor.forget(result.resource(), _ -> {});
    return true;
  }

  /// The one-off operations under way, for those who wait for them.
  List<String> running() {
    return active.values().stream()
        .filter(it -> !it.request.recurs())
        .map(it -> it.request.key())
        .toList();
  }

  /// Does what the DC asks of a resource.
  ///
  public void execute(GraphAction action, String key) {
    var request = action.request(key);
    if (request == null) {
      world.log().error("Ignoring a request without a resource: " + action.key());
      return;
    }
    switch (request.task()) {
      case CANCEL -> cancel(request);
      case DELETE -> delete(request);
      case null, default -> begin(request, action.lockTime());
    }
  }

  private void begin(OperationRequest request, long lockTime) {
    var objection = host.objection(request.operation());
    if (objection != null) {
      world
          .log()
          .notice(
              "Not doing %s of %s: %s"
                  .formatted(request.operation(), request.resource(), objection));
      acknowledge(made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.INVALID, objection));
      return;
    }
    prepare(enter(request, lockTime));
  }

  /// Has the agent's metadata learned before its operation runs, if it is needed and not known. A
  /// start does not wait for it: it has it learned again after it, for the agent may be another one
  /// than at the last start.
  private void prepare(UnderWay operation) {
    var request = operation.request;
    var needed = OperationDigest.needsMetadata(request.agent(), request.operation());
    if (!needed || metadata.containsKey(request.agent())) {
      run(operation);
      if (needed && request.is(Task.START)) {
        learnSoon(request.agent());
      }
      return;
    }
    var mine = operation.tries;
    executor.metadata(
        request.agent(),
        METADATA_TIMEOUT,
        answer -> {
          learned(request.agent(), answer);
          if (operation.tries == mine) {
            run(operation);
          }
        });
  }

  /// Once for all that are started about the same time.
  private void learnSoon(AgentName agent) {
    if (learning.add(agent)) {
      world.after(
          LEARN_AFTER,
          () -> {
            learning.remove(agent);
            learn(List.of(agent), () -> {});
          });
    }
  }

  private void run(UnderWay asked) {
    if (!up) {
      return; // asked for once the executor is back
    }
    var operation = reloadAsKnown(asked);
    var request = withStopParameters(operation.request);
    log(request).notice("Requesting %s on %s".formatted(request.key(), host.nodeName()));
    var mine = operation.tries;
    executor.execute(
        request,
        answer -> {
          if (answer instanceof ExecMessage.Accepted(var callId)) {
            lastCallId = Math.max(lastCallId, callId);
          }
          if (answer instanceof ExecMessage.Refused(var why)) {
            if (executor.isConnected() && operation.tries == mine) {
              active.remove(request.key(), operation);
              result(made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.NOT_CONNECTED, why));
            }
          } else if (request.recurs() && request.startDelayMillis() > LONG_START_DELAY_MILLIS) {
            // the first result is too far off for a transition to wait for it
            var expected = TransitionKey.expectedRc(request.transitionKey());
            acknowledge(OperationResult.made(request, expected, ExecStatus.DONE, "", nowSeconds()));
          }
        });
  }

  /// From here on the operation counts as under way, though the executor hears of it later.
  private UnderWay enter(OperationRequest request, long lockTime) {
    if (request.isRecordable() && request.recordsPending()) {
      write(made(request, OcfCode.NONE, ExecStatus.PENDING, ""), null, () -> {});
    }
    var operation = new UnderWay(request, lockTime, pending(request));
    active.put(request.key(), operation);
    return operation;
  }

  /// How a one-off operation is recorded while it lasts.
  private @Nullable OperationResult pending(OperationRequest request) {
    return !request.recurs() && request.isRecordable()
        ? made(request, OcfCode.NONE, ExecStatus.PENDING, "")
        : null;
  }

  /// Agents of old know only one kind of reloading. Until it is known of which kind an agent is,
  /// the operation is under way by its new name.
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
    active.remove(request.key(), operation);
    return enter(request.as(task), operation.lockTime);
  }

  /// A resource is stopped with the parameters it was started with.
  private OperationRequest withStopParameters(OperationRequest request) {
    var startedWith = history.startedWith(request.resource());
    return request.is(Task.STOP) && startedWith != null
        ? request.withOwnParameters(startedWith)
        : request;
  }

  private void cancel(OperationRequest request) {
    var operation = request.metaValue("operation");
    var wanted = operation == null ? request.as(Task.MONITOR) : request.as(operation);
    var running = active.get(wanted.key());
    Runnable finish =
        () -> {
          history.forgetRecurring(wanted);
          host.write(
              List.of(CibOp.deleteXPath(historyPath(wanted.resource(), wanted.key()))),
              () -> acknowledge(made(request.once(), OcfCode.OK, ExecStatus.DONE, "")));
        };
    if (running == null) {
      finish.run();
      return;
    }
    running.cancelling = true;
    running.whenCancelled.add(finish);
    cancelRecurring(running);
  }

  private void cancelRecurring(UnderWay running) {
    var request = running.request;
    executor.cancel(
        request.resource(),
        request.operation(),
        request.intervalMillis(),
        answer -> {
          var found = answer instanceof ExecMessage.Cancelled(var there, var _) && there;
          if (!found && executor.isConnected() && active.remove(request.key(), running)) {
            running.whenCancelled.forEach(Runnable::run);
          }
        });
  }

  private void delete(OperationRequest request) {
    forget(
        List.of(request.resource()),
        problem ->
            acknowledge(
                problem == null
                    ? made(request, OcfCode.OK, ExecStatus.DONE, "")
                    : made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, problem)));
  }

  /// Forgets resources here and in the CIB; `done` is told null, or what went wrong.
  public void forget(List<String> resources, Consumer<@Nullable String> done) {
    if (resources.isEmpty()) {
      world.post(() -> done.accept(null));
      return;
    }
    var left = new int[] {resources.size()};
    var problem = new ArrayList<String>();
    for (var resource : resources) {
      executor.forget(
          resource,
          answer -> {
            if (answer instanceof ExecMessage.Refused(var why) && executor.isConnected()) {
              problem.add(why); // one that is gone knows nothing of the resource any more
            } else {
              history.forget(resource);
              host.runs(leftRunning());
              active.values().removeIf(it -> it.request.resource().equals(resource));
            }
            if (--left[0] == 0) {
              forgotten(resources, problem, done);
            }
          });
    }
  }

  private void forgotten(
      List<String> resources, List<String> problem, Consumer<@Nullable String> done) {
    if (!problem.isEmpty()) {
      done.accept(problem.getFirst());
      return;
    }
    var deletions = new ArrayList<CibOp>();
    for (var resource : resources) {
      deletions.add(CibOp.deleteAllXPath(historyPath(resource, null)));
    }
    host.write(deletions, () -> done.accept(null));
  }

  public void forgetFailure(String resource, String operation, long intervalMillis) {
    history.forgetFailure(resource, operation, intervalMillis);
  }

  /// Records a failure that did not happen, so that the cluster reacts to it.
  public void pretendFailure(String resource, AgentName agent) {
    var request =
        OperationRequest.of(
            resource,
            agent,
            Task.ASYNC_MONITOR.text(),
            0,
            Map.of(OperationRequest.FEATURE_SET, Product.FEATURE_SET),
            unplannedKey());
    result(made(request, OcfCode.UNKNOWN_ERROR, ExecStatus.DONE, "Simulated failure"));
  }

  private String unplannedKey() {
    var number = (int) (world.nanoTime() / 1_000_000 & 0x3fff_ffff);
    return TransitionKey.unplanned(number, OcfCode.OK.number()).toString();
  }

  @Override
  public void result(OperationResult reported) {
    var result = plausible(reported);
    var opKey = result.request().key();
    var running = active.get(opKey);
    var ours = running != null && running.request.transitionKey().equals(result.transitionKey());
    if (ours && (!result.request().recurs() || result.status() == ExecStatus.CANCELLED)) {
      active.remove(opKey);
    }
    lastCallId = Math.max(lastCallId, result.callId());
    if (ours && lookedInVain(result)) {
      return;
    }
    if (ours && isOldNews(result, running)) {
      history.record(result);
      return;
    }
    log(result, opKey);
    host.reported(result);
    if (result.status() == ExecStatus.CANCELLED) {
      cancelled(result, ours ? running : null);
    } else if (!result.request().isRecordable() || result.forgotten()) {
      acknowledge(result);
    } else {
      write(result, ours ? running : null, () -> {});
    }
    history.record(result);
    host.runs(leftRunning());
  }

  /// A recurring operation that was begun again finds what it found before.
  private boolean isOldNews(OperationResult result, UnderWay running) {
    return result.request().recurs()
        && running.tries > 1
        && result.status() != ExecStatus.CANCELLED
        && history.isSame(result);
  }

  private void cancelled(OperationResult result, @Nullable UnderWay running) {
    if (!result.request().recurs() || result.forgotten()) {
      acknowledge(result);
    } else if (running != null) {
      running.whenCancelled.forEach(Runnable::run);
    }
  }

  /// Leaves it to the scheduler whether a state found is an error.
  private static OperationResult plausible(OperationResult it) {
    var code = it.code();
    var tells = code != null && (code.tellsState());
    return it.status() == ExecStatus.ERROR && tells ? it.withStatus(ExecStatus.DONE) : it;
  }

  private void write(OperationResult result, @Nullable UnderWay running, Runnable done) {
    var agent = result.agent();
    var known =
        OperationDigest.needsMetadata(agent, result.operation()) ? metadata.get(agent) : null;
    var resource = HistoryXml.resource(result.resource(), agent);
    resource.attr("container", result.request().metaValue("container"));
    if (running != null && running.lockTime > 0) {
      resource.attr("shutdown-lock", keepsLock(result) ? running.lockTime : 0);
    }
    HistoryEntry.of(result, host.nodeName(), known, ORIGIN).forEach(it -> resource.add(it.xml()));
    var state = HistoryXml.nodeState(host.nodeId(), host.nodeName(), List.of(resource.build()));
    host.write(List.of(CibOp.put("status", state)), done);
  }

  private boolean keepsLock(OperationResult result) {
    return locksEnabled
        && ((result.is(Task.STOP) && result.is(OcfCode.OK))
            || (result.is(Task.MONITOR) && result.is(OcfCode.NOT_RUNNING)));
  }

  private void acknowledge(OperationResult result) {
    host.acknowledge(
        HistoryEntry.of(result, host.nodeName(), null, "controld_ack_event_directly").getFirst());
  }

  private OperationResult made(
      OperationRequest request, OcfCode code, ExecStatus status, String why) {
    return OperationResult.made(request, code, status, why, nowSeconds());
  }

  private String historyPath(String resource, @Nullable String operation) {
    var path =
        "//node_state[@id='%s']/lrm/lrm_resources/lrm_resource[@id='%s']"
            .formatted(host.nodeId(), resource);
    return operation == null
        ? path
        : path + "/" + HistoryEntry.ELEMENT + "[@id='" + operation + "']";
  }

  private long nowSeconds() {
    return world.now().getEpochSecond();
  }

  private Log log(OperationRequest request) {
    return world.log().about(Affair.ofTransitionKey(request.transitionKey()));
  }

  private void log(OperationResult result, String opKey) {
    var text = "Result of %s on %s: ".formatted(opKey, host.nodeName());
    var log = log(result.request());
    switch (result.status()) {
      case DONE -> log.notice(text + "exit status " + result.rc() + reason(result));
      case CANCELLED -> log.info(text + result.status().text());
      case UNKNOWN,
          PENDING,
          TIMEOUT,
          NOT_SUPPORTED,
          ERROR,
          ERROR_HARD,
          ERROR_FATAL,
          NOT_INSTALLED,
          NOT_CONNECTED,
          INVALID,
          NO_FENCE_DEVICE,
          NO_SECRETS ->
          log.error(text + result.status().text() + reason(result));
    }
  }

  private static String reason(OperationResult result) {
    return result.exitReason().isEmpty() ? "" : " (" + result.exitReason() + ")";
  }
}
