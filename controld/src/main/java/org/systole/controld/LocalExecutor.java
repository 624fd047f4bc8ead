package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.values.ExecStatus;
import org.systole.common.values.Numbers;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecClient;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.Result;

/// The node's own resources: has the executor do what the DC asks, and writes into the CIB what
/// came of
/// it.
///
/// Every operation is recorded as pending before it runs and with its result after; what is not
/// recorded (a cancellation, a deletion, a refusal) is acknowledged to the DC directly.
final class LocalExecutor implements ExecClient.Listener {
  private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);
  private static final long LONG_START_DELAY_MILLIS = Duration.ofMinutes(5).toMillis();
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

    /// A result came, for those who want to hear of it.
    void reported(Result result);

    void executorReady();

    void executorLost(String why);
  }

  /// An operation under way, or recurring.
  private static final class Active {
    final String key;
    final long lockTime;
    final @Nullable Result pending; // how it is recorded while it lasts
    boolean cancelling;
    final List<Runnable> whenCancelled = new ArrayList<>();

    Active(String key, long lockTime, @Nullable Result pending) {
      this.key = key;
      this.lockTime = lockTime;
      this.pending = pending;
    }
  }

  private final World world;
  private final Host host;
  private final ExecClient executor;
  private final History history = new History();
  private final Map<AgentName, AgentMetadata> metadata = new HashMap<>();
  private final Map<String, Active> active = new TreeMap<>();
  private boolean locksEnabled;

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
          for (var resource : resources) {
            resource.lastResults().forEach(history::record);
            for (var operation : resource.recurring()) {
              active.put(
                  OperationKey.text(
                      resource.resource(), operation.operation(), operation.intervalMillis()),
                  new Active(operation.userData(), 0, null));
            }
          }
          host.executorReady();
        });
  }

  @Override
  public void disconnected(String why) {
    host.executorLost(why);
  }

  /// This node's `node_state` with all its resources have been through, and what is under way or
  /// about
  /// to be: a new DC must not take a resource for stopped that is being started.
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
    var primitive = action.first("primitive");
    if (primitive == null || primitive.id() == null) {
      world.log().error("Ignoring a request without a resource: " + action.get("operation_key"));
      return;
    }
    var parameters = new LinkedHashMap<String, String>();
    for (var attributes : action.children("attributes")) {
      for (var i = 0; i < attributes.attributeCount(); i++) {
        parameters.put(attributes.attributeName(i), attributes.attributeValue(i));
      }
    }
    parameters.remove("CRM_meta_op_target_rc");
    parameters.putIfAbsent("crm_feature_set", HistoryXml.FEATURE_SET);
    var order =
        new Order(
            primitive.get("id", ""),
            new AgentName(
                primitive.get("class", ""),
                primitive.get("provider", ""),
                primitive.get("type", "")),
            action.get("operation", ""),
            Numbers.parse(parameters.get("CRM_meta_interval"), 0),
            parameters,
            key,
            Numbers.parse(action.get("shutdown-lock"), 0));
    switch (order.operation()) {
      case "cancel" -> cancel(order);
      case "delete" -> delete(order);
      default -> begin(order);
    }
  }

  /// An operation asked for.
  private record Order(
      String resource,
      AgentName agent,
      String operation,
      long intervalMillis,
      Map<String, String> parameters,
      String key,
      long lockTime) {
    Order as(String other) {
      return new Order(resource, agent, other, intervalMillis, parameters, key, lockTime);
    }

    Order with(Map<String, String> others) {
      return new Order(resource, agent, operation, intervalMillis, others, key, lockTime);
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
    if (!isReload(order)) {
      enter(order);
    }
    var known = metadata.get(order.agent());
    var stale = known == null || order.operation().equals("start");
    if (!stale || !OperationDigests.needMetadata(order.agent().standard(), order.operation())) {
      run(order);
      return;
    }
    executor.metadata(
        order.agent(),
        METADATA_TIMEOUT,
        answer -> {
          var parsed =
              answer.status() == ExecStatus.DONE
                  ? AgentMetadata.parse(order.agent().standard(), answer.xml())
                  : null;
          if (parsed != null) {
            metadata.put(order.agent(), parsed);
          }
          run(order);
        });
  }

  private void run(Order asked) {
    var order = withStopParameters(reloadAsKnown(asked));
    var opKey = OperationKey.text(order.resource(), order.operation(), order.intervalMillis());
    world.log().notice("Requesting %s on %s".formatted(opKey, host.nodeName()));
    if (isReload(order)) {
      enter(order);
    }
    var timeout = timeoutMillis(order);
    var startDelay = Numbers.parse(order.parameters().get("CRM_meta_start_delay"), 0);
    executor.execute(
        new ExecMessage.Execute(
            order.resource(),
            order.agent(),
            order.operation(),
            order.intervalMillis(),
            timeout,
            Math.max(0, startDelay),
            order.parameters(),
            order.key(),
            true),
        answer -> {
          if (answer instanceof ExecMessage.Refused(var why)) {
            active.remove(opKey);
            result(made(order, 1, ExecStatus.NOT_CONNECTED, why));
          } else if (order.intervalMillis() > 0 && startDelay > LONG_START_DELAY_MILLIS) {
            // the first result is too far off for a transition to wait for it
            acknowledge(made(order, TransitionKey.expectedRc(order.key()), ExecStatus.DONE, ""));
          }
        });
  }

  /// From here on the operation counts as under way, though the executor hears of it later.
  private void enter(Order order) {
    var opKey = OperationKey.text(order.resource(), order.operation(), order.intervalMillis());
    var pending = recordable(order.operation()) ? made(order, 193, ExecStatus.PENDING, "") : null;
    if (pending != null && recordPending(order)) {
      write(pending, null, () -> {});
    }
    var oneOff = order.intervalMillis() == 0 ? pending : null;
    active.put(opKey, new Active(order.key(), order.lockTime(), oneOff));
  }

  private static boolean isReload(Order order) {
    return order.operation().startsWith("reload");
  }

  private static boolean recordPending(Order order) {
    var wish = order.parameters().get("CRM_meta_record_pending");
    return wish == null || wish.equals("true");
  }

  private static long timeoutMillis(Order order) {
    var timeout = Numbers.parse(order.parameters().get("CRM_meta_timeout"), 0);
    return timeout > 0 ? timeout : order.intervalMillis();
  }

  private Order reloadAsKnown(Order order) {
    if (!order.operation().equals("reload") && !order.operation().equals("reload-agent")) {
      return order;
    }
    var known = metadata.get(order.agent());
    var legacy = known != null && known.reload() == AgentMetadata.Reload.LEGACY;
    return order.as(legacy ? "reload" : "reload-agent");
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
    executor.cancel(
        order.resource(),
        operation,
        order.intervalMillis(),
        answer -> {
          var found = answer instanceof ExecMessage.Cancelled(var there, var _) && there;
          if (!found && active.remove(opKey, running)) {
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
            if (answer instanceof ExecMessage.Refused(var why)) {
              problem.add(why);
            } else {
              history.forget(resource);
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
    var ours = running != null && running.key.equals(result.userData());
    if (ours && (result.intervalMillis() == 0 || result.status() == ExecStatus.CANCELLED)) {
      active.remove(opKey);
    }
    log(result, opKey);
    host.reported(result);
    if (result.status() == ExecStatus.CANCELLED) {
      cancelled(result, ours ? running : null);
    } else if (!recordable(result.operation()) || result.forgotten()) {
      acknowledge(result);
    } else {
      write(result, ours ? running : null, () -> {});
    }
    history.record(result);
  }

  private void cancelled(Result result, @Nullable Active running) {
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

  private void write(Result result, @Nullable Active running, Runnable done) {
    var agent = result.agent();
    var known =
        OperationDigests.needMetadata(agent.standard(), result.operation())
            ? metadata.get(agent)
            : null;
    var resource = HistoryXml.resource(result.resource(), agent);
    resource.attr("container", result.parameters().get("CRM_meta_container"));
    if (running != null && running.lockTime > 0) {
      resource.attr("shutdown-lock", keepsLock(result) ? running.lockTime : 0);
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

  /// Whether an operation says something about the state of its resource.
  private static boolean recordable(String operation) {
    return switch (operation) {
      case "cancel", "delete", "notify", "meta-data" -> false;
      default -> true;
    };
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
