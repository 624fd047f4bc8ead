package org.systole.controld;

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
import org.systole.common.values.ExecStatus;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecClient;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.Result;

/// The node's own resources: has the executor do what the DC asks, and writes into the CIB what
/// came of it.
///
/// Every operation is recorded as pending before it runs and with its result after; what is not
/// recorded (a cancellation, a deletion, a refusal) is acknowledged to the DC directly.
final class LocalExecutor implements ExecClient.Listener {
  private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);
  private static final long LONG_START_DELAY_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final Duration METADATA_PATIENCE = Duration.ofSeconds(5);
  private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration LEARN_AFTER = Duration.ofSeconds(2);
  private static final Duration ASK_AGAIN = Duration.ofSeconds(1);
  private static final int TRIES_MAX = 3;
  private static final int NO_RC = 193;
  private static final String ORIGIN = "controld_update_resource_history";

  /// What the executor side needs of the controller.
  interface Host {
    String nodeName();

    String nodeId();

    /// Why an operation must not be begun now, null if it may.
    @Nullable String objection(String operation);

    void write(List<CibOp> changes, Runnable done);

    /// Tells the DC of a result that is not in the CIB.
    void acknowledge(Element operation);

    /// What runs here, whenever that may have changed.
    void runs(List<LeftRunning.Resource> resources);

    /// A result came, for those who want to hear of it.
    void reported(Result result);

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

  LocalExecutor(World world, Host host) {
    this.world = world;
    this.host = host;
    this.executor = new ExecClient(world, this);
  }

  void open() {
    executor.open();
  }

  void close() {
    executor.close();
  }

  void shutdownLocks(boolean enabled) {
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
        if (OperationDigests.needMetadata(resource.agent().standard(), result.operation())) {
          agents.add(resource.agent());
        }
      }
      resource.recurring().forEach(it -> adopt(resource, it));
      resource.pending().stream()
          .filter(it -> it.intervalMillis() == 0)
          .forEach(it -> adopt(resource, it));
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

  private void adopt(ExecMessage.ResourceState resource, ExecMessage.Operation operation) {
    var order =
        new Order(
            resource.resource(),
            resource.agent(),
            operation.operation(),
            operation.intervalMillis(),
            operation.parameters(),
            operation.userData(),
            0);
    lastCallId = Math.max(lastCallId, operation.callId());
    active.put(order.opKey(), new UnderWay(order, pending(order)));
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
    var parsed =
        answer.status() == ExecStatus.DONE
            ? AgentMetadata.parse(agent.standard(), answer.xml())
            : null;
    if (parsed != null) {
      metadata.put(agent, parsed);
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
      var state = states.get(operation.order.resource());
      var missed = state == null ? null : missed(state, operation);
      if (state != null && isKnown(state, operation)) {
        if (operation.cancelling) {
          cancelRecurring(operation.order.opKey(), operation);
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
    var order = operation.order;
    var all = order.intervalMillis() > 0 ? state.recurring() : state.pending();
    return all.stream()
        .anyMatch(
            it ->
                it.operation().equals(order.operation())
                    && it.intervalMillis() == order.intervalMillis()
                    && it.userData().equals(order.key()));
  }

  /// What came of an operation while the executor could not tell.
  private @Nullable Result missed(ExecMessage.ResourceState state, UnderWay operation) {
    var order = operation.order;
    return state.lastResults().stream()
        .filter(
            it ->
                it.operation().equals(order.operation())
                    && it.intervalMillis() == order.intervalMillis()
                    && it.userData().equals(order.key())
                    && !history.has(it))
        .findFirst()
        .orElse(null);
  }

  /// Asks for an operation that a lost executor has not ended.
  private void again(UnderWay operation) {
    var order = operation.order;
    if (operation.cancelling) {
      active.remove(order.opKey());
      operation.whenCancelled.forEach(Runnable::run);
    } else if (order.intervalMillis() == 0
        && (!order.isRepeatable() || operation.tries >= TRIES_MAX)) {
      active.remove(order.opKey());
      result(made(order, 1, ExecStatus.ERROR, "the executor ended while it ran this"));
    } else {
      operation.tries++;
      world.log().notice("Asking for %s again".formatted(order.opKey()));
      prepare(operation);
    }
  }

  /// This node's `node_state` with all its resources have been through, and what is under way or
  /// about to be: a new DC must not take a resource for stopped that is being started.
  Element state() {
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
        for (var entry : HistoryXml.entries(pending, host.nodeName(), null, ORIGIN)) {
          resource = with(resource, entry);
        }
        resources.put(pending.resource(), resource);
      }
    }
    return HistoryXml.nodeState(host.nodeId(), host.nodeName(), List.copyOf(resources.values()));
  }

  private static Element with(Element resource, Element entry) {
    var before = resource.first("lrm_rsc_op", entry.get("id", ""));
    return before == null
        ? resource.plus(entry)
        : resource.replace(resource.indexOf(before), entry);
  }

  List<String> activeResources() {
    return history.active();
  }

  List<String> knownResources() {
    return history.resources();
  }

  /// What would run on without this node's cluster software.
  List<LeftRunning.Resource> leftRunning() {
    var left = new ArrayList<LeftRunning.Resource>();
    for (var resource : history.active()) {
      var agent = history.agent(resource);
      var parameters = history.startedWith(resource);
      if (agent != null && !agent.standard().equals("stonith")) {
        left.add(
            new LeftRunning.Resource(resource, agent, parameters == null ? Map.of() : parameters));
      }
    }
    return left;
  }

  /// Takes a resource's parameters from a controller before this one.
  void presume(LeftRunning.Resource resource) {
    history.presume(resource.id(), resource.parameters());
  }

  /// Looks whether a resource runs. If so it is recorded, if not it is as if it had not been looked
  /// for.
  void look(LeftRunning.Resource resource, Runnable done) {
    var parameters = new LinkedHashMap<>(resource.parameters());
    parameters.put("crm_feature_set", HistoryXml.FEATURE_SET);
    parameters.put("CRM_meta_timeout", String.valueOf(LOOK_TIMEOUT.toMillis()));
    parameters.put("CRM_meta_record_pending", "false");
    var key = new TransitionKey(nextFake(), -1, 0, TransitionKey.NO_ENGINE).toString();
    looking.put(resource.id(), done);
    prepare(enter(new Order(resource.id(), resource.agent(), "monitor", 0, parameters, key, 0)));
  }

  /// @return whether the result was of a look, and does not say that the resource runs
  private boolean lookedInVain(Result result) {
    var isProbe = result.operation().equals("monitor") && result.intervalMillis() == 0;
    var waiting = isProbe ? looking.remove(result.resource()) : null;
    if (waiting == null) {
      return false;
    }
    world.post(waiting);
    var rc = result.status() == ExecStatus.DONE ? result.rc() : NO_RC;
    switch (rc) {
      case 0, 8, 190, 191 -> {
        return false;
      }
      case 5, 7 -> world.log().notice(result.resource() + " does not run here any more");
      default -> {
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
    return active.entrySet().stream()
        .filter(it -> it.getKey().endsWith("_0"))
        .map(Map.Entry::getKey)
        .toList();
  }

  /// Does what the DC asks of a resource.
  ///
  /// @param action the graph's `rsc_op`
  void execute(Element action, String key) {
    var order = Order.of(action, key);
    if (order == null) {
      world.log().error("Ignoring a request without a resource: " + action.get("operation_key"));
      return;
    }
    switch (order.operation()) {
      case "cancel" -> cancel(order);
      case "delete" -> delete(order);
      default -> begin(order);
    }
  }

  private void begin(Order order) {
    var objection = host.objection(order.operation());
    if (objection != null) {
      world
          .log()
          .notice(
              "Not doing %s of %s: %s".formatted(order.operation(), order.resource(), objection));
      acknowledge(made(order, 1, ExecStatus.INVALID, objection));
      return;
    }
    prepare(enter(order));
  }

  /// Has the agent's metadata learned before its operation runs, if it is needed and not known. A
  /// start does not wait for it: it has it learned again after it, for the agent may be another one
  /// than at the last start.
  private void prepare(UnderWay operation) {
    var order = operation.order;
    var needed = OperationDigests.needMetadata(order.agent().standard(), order.operation());
    if (!needed || metadata.containsKey(order.agent())) {
      run(operation);
      if (needed && order.operation().equals("start")) {
        learnSoon(order.agent());
      }
      return;
    }
    var mine = operation.tries;
    executor.metadata(
        order.agent(),
        METADATA_TIMEOUT,
        answer -> {
          learned(order.agent(), answer);
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
    var order = withStopParameters(operation.order);
    world.log().notice("Requesting %s on %s".formatted(order.opKey(), host.nodeName()));
    var mine = operation.tries;
    executor.execute(
        new ExecMessage.Execute(
            order.resource(),
            order.agent(),
            order.operation(),
            order.intervalMillis(),
            order.timeoutMillis(),
            order.startDelayMillis(),
            order.parameters(),
            order.key(),
            true),
        answer -> {
          if (answer instanceof ExecMessage.Accepted(var callId)) {
            lastCallId = Math.max(lastCallId, callId);
          }
          if (answer instanceof ExecMessage.Refused(var why)) {
            if (executor.isConnected() && operation.tries == mine) {
              active.remove(order.opKey(), operation);
              result(made(order, 1, ExecStatus.NOT_CONNECTED, why));
            }
          } else if (order.intervalMillis() > 0
              && order.startDelayMillis() > LONG_START_DELAY_MILLIS) {
            // the first result is too far off for a transition to wait for it
            acknowledge(made(order, TransitionKey.expectedRc(order.key()), ExecStatus.DONE, ""));
          }
        });
  }

  /// From here on the operation counts as under way, though the executor hears of it later.
  private UnderWay enter(Order order) {
    var recorded = made(order, NO_RC, ExecStatus.PENDING, "");
    if (order.isRecordable() && order.recordPending()) {
      write(recorded, null, () -> {});
    }
    var operation = new UnderWay(order, pending(order));
    active.put(order.opKey(), operation);
    return operation;
  }

  /// How a one-off operation is recorded while it lasts.
  private @Nullable Result pending(Order order) {
    return order.intervalMillis() == 0 && order.isRecordable()
        ? made(order, NO_RC, ExecStatus.PENDING, "")
        : null;
  }

  /// Agents of old know only one kind of reloading. Until it is known of which kind an agent is,
  /// the operation is under way by its new name.
  private UnderWay reloadAsKnown(UnderWay operation) {
    var order = operation.order;
    if (!order.isReload()) {
      return operation;
    }
    var known = metadata.get(order.agent());
    var legacy = known != null && known.reload() == AgentMetadata.Reload.LEGACY;
    var name = legacy ? "reload" : "reload-agent";
    if (order.operation().equals(name)) {
      return operation;
    }
    active.remove(order.opKey(), operation);
    return enter(order.as(name));
  }

  /// A resource is stopped with the parameters it was started with.
  private Order withStopParameters(Order order) {
    var startedWith = history.startedWith(order.resource());
    if (!order.operation().equals("stop") || startedWith == null) {
      return order;
    }
    var parameters = new LinkedHashMap<String, String>();
    order
        .parameters()
        .forEach(
            (name, value) -> {
              if (name.startsWith("CRM_meta_") || name.equals("crm_feature_set")) {
                parameters.put(name, value);
              }
            });
    parameters.putAll(startedWith);
    return order.with(parameters);
  }

  private void cancel(Order order) {
    var operation = order.parameters().getOrDefault("CRM_meta_operation", "monitor");
    var opKey = OperationKey.text(order.resource(), operation, order.intervalMillis());
    var running = active.get(opKey);
    Runnable finish =
        () -> {
          history.forgetRecurring(order.resource(), operation, order.intervalMillis());
          host.write(
              List.of(CibOp.deleteXPath(historyPath(order.resource(), opKey))),
              () -> acknowledge(made(order, 0, ExecStatus.DONE, "")));
        };
    if (running == null) {
      finish.run();
      return;
    }
    running.cancelling = true;
    running.whenCancelled.add(finish);
    cancelRecurring(opKey, running);
  }

  private void cancelRecurring(String opKey, UnderWay running) {
    var order = running.order;
    executor.cancel(
        order.resource(),
        order.operation(),
        order.intervalMillis(),
        answer -> {
          var found = answer instanceof ExecMessage.Cancelled(var there, var _) && there;
          if (!found && executor.isConnected() && active.remove(opKey, running)) {
            running.whenCancelled.forEach(Runnable::run);
          }
        });
  }

  private void delete(Order order) {
    forget(
        List.of(order.resource()),
        problem ->
            acknowledge(
                problem == null
                    ? made(order, 0, ExecStatus.DONE, "")
                    : made(order, 1, ExecStatus.ERROR, problem)));
  }

  /// Forgets resources here and in the CIB; `done` is told null, or what went wrong.
  void forget(List<String> resources, Consumer<@Nullable String> done) {
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
              active.keySet().removeIf(it -> isOf(resource, it));
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

  void forgetFailure(String resource, String operation, long intervalMillis) {
    history.forgetFailure(resource, operation, intervalMillis);
  }

  /// Records a failure that did not happen, so that the cluster reacts to it.
  void pretendFailure(String resource, AgentName agent) {
    var key = new TransitionKey(nextFake(), -1, 0, TransitionKey.NO_ENGINE).toString();
    result(
        HistoryXml.made(
            resource,
            agent,
            "asyncmon",
            0,
            Map.of("crm_feature_set", HistoryXml.FEATURE_SET),
            key,
            1,
            ExecStatus.DONE,
            "Simulated failure",
            nowSeconds()));
  }

  private int nextFake() {
    return (int) (world.nanoTime() / 1_000_000 & 0x3fff_ffff);
  }

  @Override
  public void result(Result reported) {
    var result = plausible(reported);
    var opKey = OperationKey.text(result.resource(), result.operation(), result.intervalMillis());
    var running = active.get(opKey);
    var ours = running != null && running.order.key().equals(result.userData());
    if (ours && (result.intervalMillis() == 0 || result.status() == ExecStatus.CANCELLED)) {
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
    } else if (!Order.isRecordable(result.operation()) || result.forgotten()) {
      acknowledge(result);
    } else {
      write(result, ours ? running : null, () -> {});
    }
    history.record(result);
    host.runs(leftRunning());
  }

  /// A recurring operation that was begun again finds what it found before.
  private boolean isOldNews(Result result, UnderWay running) {
    return result.intervalMillis() > 0
        && running.tries > 1
        && result.status() != ExecStatus.CANCELLED
        && history.isSame(result);
  }

  private void cancelled(Result result, @Nullable UnderWay running) {
    if (result.intervalMillis() == 0 || result.forgotten()) {
      acknowledge(result);
    } else if (running != null) {
      running.whenCancelled.forEach(Runnable::run);
    }
  }

  /// Leaves it to the scheduler whether a state found is an error.
  private static Result plausible(Result it) {
    var state = it.rc() == 7 || it.rc() == 8 || it.rc() == 190 || it.rc() == 191;
    if (it.status() != ExecStatus.ERROR || !state) {
      return it;
    }
    return new Result(
        it.callId(),
        it.resource(),
        it.agent(),
        it.operation(),
        it.intervalMillis(),
        it.timeoutMillis(),
        it.rc(),
        ExecStatus.DONE,
        it.exitReason(),
        it.output(),
        it.execMillis(),
        it.queueMillis(),
        it.lastRunSeconds(),
        it.lastChangeSeconds(),
        it.parameters(),
        it.userData(),
        it.forgotten());
  }

  private void write(Result result, @Nullable UnderWay running, Runnable done) {
    var agent = result.agent();
    var known =
        OperationDigests.needMetadata(agent.standard(), result.operation())
            ? metadata.get(agent)
            : null;
    var resource = HistoryXml.resource(result.resource(), agent);
    resource.attr("container", result.parameters().get("CRM_meta_container"));
    if (running != null && running.order.lockTime() > 0) {
      resource.attr("shutdown-lock", keepsLock(result) ? running.order.lockTime() : 0);
    }
    resource.addAll(HistoryXml.entries(result, host.nodeName(), known, ORIGIN));
    var state = HistoryXml.nodeState(host.nodeId(), host.nodeName(), List.of(resource.build()));
    host.write(List.of(CibOp.put("status", state)), done);
  }

  private boolean keepsLock(Result result) {
    return locksEnabled
        && ((result.operation().equals("stop") && result.rc() == 0)
            || (result.operation().equals("monitor") && result.rc() == 7));
  }

  private void acknowledge(Result result) {
    host.acknowledge(
        HistoryXml.entries(result, host.nodeName(), null, "controld_ack_event_directly")
            .getFirst());
  }

  private Result made(Order order, int rc, ExecStatus status, String why) {
    return HistoryXml.made(
        order.resource(),
        order.agent(),
        order.operation(),
        order.operation().equals("cancel") ? 0 : order.intervalMillis(),
        order.parameters(),
        order.key(),
        rc,
        status,
        why,
        nowSeconds());
  }

  private String historyPath(String resource, @Nullable String operation) {
    var path =
        "//node_state[@id='%s']/lrm/lrm_resources/lrm_resource[@id='%s']"
            .formatted(host.nodeId(), resource);
    return operation == null ? path : path + "/lrm_rsc_op[@id='" + operation + "']";
  }

  private static boolean isOf(String resource, String opKey) {
    var key = OperationKey.parse(opKey);
    return key != null && key.resource().equals(resource);
  }

  private long nowSeconds() {
    return world.now().getEpochSecond();
  }

  private void log(Result result, String opKey) {
    var text = "Result of %s on %s: ".formatted(opKey, host.nodeName());
    switch (result.status()) {
      case DONE -> world.log().notice(text + "exit status " + result.rc() + reason(result));
      case CANCELLED -> world.log().info(text + result.status().text());
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
          world.log().error(text + result.status().text() + reason(result));
    }
  }

  private static String reason(Result result) {
    return result.exitReason().isEmpty() ? "" : " (" + result.exitReason() + ")";
  }
}
