package org.systole.controld.operations;

import static org.systole.controld.TestNodes.inCib;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;
import org.systole.execd.client.ExecMessage;

/// The resources of node1 and their executor, which the test plays: it says what the executor knows
/// and what comes of operations.
final class RunnerUnderTest implements LocalOperations.Host {
  static final AgentName DUMMY = new AgentName("ocf", "heartbeat", "Dummy");
  static final String TERM = "be2e97d9-05e2-439d-863e-48f7aecab2aa";
  static final String KEY = "3:4:0:" + TERM;
  private static final String METADATA =
      """
      <resource-agent name="Dummy" version="1"><version>1.1</version>
        <parameters><parameter name="state" reloadable="1"/></parameters>
        <actions><action name="start" timeout="20s"/><action name="reload-agent"/></actions>
      </resource-agent>
      """;

  final TestWorld world = new TestWorld();
  final TestPeer<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> executor =
      world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
  private final LocalOperations operations = new LocalOperations(world, this);
  final OperationRunner runner = operations.runner();

  /// What the executor says it knows when it is asked.
  final List<ExecMessage.ResourceState> known = new ArrayList<>();

  /// Recurring operations that the executor can cancel.
  final Set<String> cancellable = new LinkedHashSet<>();

  /// Whether it is a remote node.
  boolean remote;

  /// Whether the CIB makes the changes it is asked for.
  boolean cibAnswers = true;

  String metadata = METADATA;
  boolean answersMetadata = true;
  @Nullable String refusal;
  @Nullable String objection;
  final List<Runnable> unwritten = new ArrayList<>();

  /// Where the cluster is to know of live migrations: what is told once it does.
  @Nullable List<Consumer<@Nullable String>> announced;

  /// The call ids written last, by the id of the entry.
  final Map<String, String> calls = new LinkedHashMap<>();

  private final List<String> deeds = new ArrayList<>();
  private final Map<String, OperationRequest> asked = new LinkedHashMap<>();
  private final Map<Predicate<Element>, Runnable> expected = new LinkedHashMap<>();
  private @Nullable Element cib;
  private List<LeftRunning.Resource> runs = List.of();
  long lastCall;

  RunnerUnderTest() {
    executor.script(this::asked);
  }

  /// A node whose executor is there.
  static RunnerUnderTest up() {
    var runner = new RunnerUnderTest();
    runner.open();
    runner.deeds();
    return runner;
  }

  void open() {
    operations.open();
    world.settle();
  }

  private void asked(long id, ExecMessage.Request request) {
    switch (request) {
      case ExecMessage.Subscribe _ -> executor.reply(id, new ExecMessage.Ok());
      case ExecMessage.StateQuery _ -> executor.reply(id, new ExecMessage.State(List.copyOf(known)));
      case ExecMessage.MetadataQuery _ -> {
        deeds.add("ask for metadata");
        if (answersMetadata) {
          executor.reply(id, new ExecMessage.Metadata(metadata, ExecStatus.DONE, ""));
        }
      }
      case ExecMessage.Execute(var operation, var _) -> {
        deeds.add("do " + operation.key());
        asked.put(operation.key(), operation);
        executor.reply(
            id,
            refusal == null
                ? new ExecMessage.Accepted(++lastCall)
                : new ExecMessage.Refused(refusal));
      }
      case ExecMessage.Cancel it -> {
        deeds.add("cancel");
        var key = OperationKey.text(it.resource(), it.operation(), it.intervalMillis());
        executor.reply(id, new ExecMessage.Cancelled(cancellable.contains(key), false));
      }
      case ExecMessage.Forget(var resource) -> {
        deeds.add("forget " + resource);
        executor.reply(
            id, refusal == null ? new ExecMessage.Ok() : new ExecMessage.Refused(refusal));
      }
      case ExecMessage.RunJig _,
          ExecMessage.AwaitJig _,
          ExecMessage.CheckJig _,
          ExecMessage.CancelJig _,
          ExecMessage.InventoryQuery _ ->
          executor.reply(id, new ExecMessage.Refused("it runs no jigs"));
      case ExecMessage.Remember(var call, var results) -> {
        var keys = results.stream().map(it -> it.request().key()).toList();
        deeds.add("remember %d %s".formatted(call, keys));
        executor.reply(id, new ExecMessage.Ok());
      }
    }
  }

  /// What was done and told since this was asked last.
  List<String> deeds() {
    world.settle();
    var now = List.copyOf(deeds);
    deeds.clear();
    return now;
  }

  /// What is known to run.
  List<String> running() {
    return runs.stream().map(it -> it.id().text()).toList();
  }

  /// The request that the executor was asked for last under a key.
  OperationRequest request(String key) {
    var request = asked.get(key);
    if (request == null) {
      throw new IllegalStateException("never asked for " + key);
    }
    return request;
  }

  /// What the DC asks for.
  void order(String operation, long interval, String more) {
    order("web", operation, interval, more);
  }

  void order(String resource, String operation, long interval, String more) {
    var xml =
        """
        <rsc_op id="3" operation="%s" operation_key="%s_%s_%d" on_node="node1" on_node_uuid="1">
          <primitive id="%s" class="ocf" provider="heartbeat" type="Dummy"/>
          <attributes state="/tmp/x" CRM_meta_timeout="20000" CRM_meta_interval="%d" %s/></rsc_op>
        """
            .formatted(operation, resource, operation, interval, resource, interval, more);
    runner.execute(GraphAction.of(TestCib.xml(xml)), "3:4:0:" + TERM);
    world.settle();
  }

  /// An action without interval on `web`, with a parameter of its own.
  static GraphAction action(String operation, String state) {
    var xml =
        """
        <rsc_op id="3" operation="%s" operation_key="web_%s_0" on_node="node1" on_node_uuid="1">
          <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>
          <attributes state="%s" CRM_meta_timeout="20000"/></rsc_op>
        """
            .formatted(operation, operation, state);
    return GraphAction.of(TestCib.xml(xml));
  }

  static OperationRequest request(String operation, long interval, int expected) {
    return OperationRequest.of(
        new ResourceId("web"),
        DUMMY,
        new OperationName(operation),
        interval,
        Map.of("state", "/tmp/x", "CRM_meta_timeout", "20000"),
        "3:4:" + expected + ":" + TERM);
  }

  static OperationResult result(OperationRequest request, long call, int rc, ExecStatus status) {
    return new OperationResult(request, call, rc, status, "", "", 5, 0, 1, 1, false);
  }

  /// The executor tells what came of the operation it was asked for under this key.
  void ends(String key, int rc) {
    ends(key, rc, ExecStatus.DONE);
  }

  void ends(String key, int rc, ExecStatus status) {
    tells(result(request(key), lastCall, rc, status));
  }

  void tells(OperationResult result) {
    executor.event(new ExecMessage.Result(result));
    world.settle();
  }

  /// A resource as the executor knows it.
  void knows(
      List<OperationResult> results,
      List<OperationRequest> recurring,
      List<OperationRequest> pending) {
    known.clear();
    known.add(
        new ExecMessage.ResourceState(
            new ResourceId("web"), DUMMY, results, queued(recurring), queued(pending)));
  }

  private static List<ExecMessage.Queued> queued(List<OperationRequest> requests) {
    return requests.stream().map(it -> new ExecMessage.Queued(40, it)).toList();
  }

  /// The executor ends, and another one is there a moment later.
  void restartExecutor() {
    executor.goes("killed");
    executor.comes();
    world.pass(Duration.ofSeconds(2));
  }

  /// The entries that a new DC is told of the resource.
  List<String> told() {
    var resources = runner.state().path("lrm", "lrm_resources");
    return resources == null
        ? List.of()
        : resources.children().stream()
            .flatMap(it -> it.children(HistoryEntry.ELEMENT).stream())
            .map(RunnerUnderTest::line)
            .toList();
  }

  private static String line(Element entry) {
    return "%s %s %s".formatted(entry.id(), entry.get("operation"), entry.get("rc-code"));
  }

  // What the controller is told

  @Override
  public NodeName nodeName() {
    return new NodeName("node1");
  }

  @Override
  public CibNodeId nodeId() {
    return inCib("1");
  }

  @Override
  public boolean isRemote() {
    return remote;
  }

  /// What the CIB says by now.
  void cibSays(String status) {
    cib = TestCib.xml("<cib><status>%s</status></cib>".formatted(status));
    var known = cib;
    var due = expected.keySet().stream().filter(it -> it.test(known)).toList();
    due.forEach(it -> world.post(expected.remove(it)));
    world.settle();
  }

  @Override
  public @Nullable Element cib() {
    return cib;
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    expected.put(written, then);
    world.after(
        limit,
        () -> {
          if (expected.remove(written) != null) {
            then.run();
          }
        });
  }

  @Override
  public @Nullable String objection(OperationName operation) {
    return objection;
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    for (var change : changes) {
      var xml = change.xml();
      if (xml == null) {
        deeds.add("delete " + change.section());
      } else {
        TestCib.xml(xml)
            .path("lrm", "lrm_resources", "lrm_resource")
            .children(HistoryEntry.ELEMENT)
            .forEach(
                it -> {
                  deeds.add("write " + line(it));
                  calls.put(it.id(), it.get("call-id", ""));
                });
        var lock = TestCib.xml(xml).path("lrm", "lrm_resources", "lrm_resource");
        if (lock.get("shutdown-lock") != null) {
          deeds.add("lock " + lock.get("shutdown-lock"));
        }
      }
    }
    if (cibAnswers) {
      world.post(done);
    } else {
      unwritten.add(done);
    }
  }

  @Override
  public void announce(OperationResult pending, Element state, Runnable written, Consumer<@Nullable String> then) {
    var known = announced;
    if (known == null) {
      LocalOperations.Host.super.announce(pending, state, written, then);
    } else {
      record(pending, state, written);
      known.add(then);
    }
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    deeds.add("acknowledge " + line(operation.xml()) + " " + operation.status());
  }

  @Override
  public void runs(List<LeftRunning.Resource> resources) {
    runs = List.copyOf(resources);
  }

  @Override
  public void reported(OperationResult result) {
    if (result.code() != OcfCode.OK) {
      deeds.add("alert");
    }
  }

  @Override
  public void executorReady() {
    deeds.add("ready");
  }

  @Override
  public void executorLost(String why) {
    deeds.add("lost");
  }
}
