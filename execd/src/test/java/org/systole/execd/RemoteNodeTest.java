package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.TestPrograms;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.GoingOn;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.StartedResource;

/// A controller and the executor of its remote node, with a network in memory between them.
final class RemoteNodeTest {
  private static final AgentName DUMMY = new AgentName("ocf", "heartbeat", "Dummy");
  private static final ResourceId DB = new ResourceId("db");
  private static final OperationName MONITOR = new OperationName("monitor");

  private final TestWorld world = new TestWorld();
  private final MemoryStreams network = new MemoryStreams(world);

  @BeforeEach
  void start() {
    RemotedDaemon.start(world, ExecutorUnderTest.LAYOUT, Map.of("PATH", "/bin"), network);
    world.settle();
    world.programs().all().getFirst().exits(0, ""); // mkdir
  }

  private final class Controller implements RemoteExecutor.Listener {
    private final RemoteExecutor remote;
    private final List<String> heard = new ArrayList<>();
    private final List<OperationResult> results = new ArrayList<>();
    private final List<ExecMessage.Reply> replies = new ArrayList<>();
    private List<StartedResource> started = List.of();

    Controller(String name) {
      remote = new RemoteExecutor(world, network, "host1", 3121, name, this);
      remote.open(Duration.ofSeconds(10));
    }

    void ask(String operation, long interval) {
      ask(operation, interval, Map.of("ip", "10.0.0.1"));
    }

    void ask(String operation, long interval, Map<String, String> parameters) {
      ask(operation, interval, parameters, "key");
    }

    void planned(String operation, String address) {
      ask(operation, 0, Map.of("ip", address), "3:4:0:be2e97d9-05e2-439d-863e-48f7aecab2aa");
    }

    private void ask(String operation, long interval, Map<String, String> parameters, String key) {
      remote.execute(
          new OperationRequest(DB, DUMMY, new OperationName(operation), interval, 20_000, 0, parameters, key),
          replies::add);
      world.settle();
    }

    @Override
    public void connected(RemoteExecutor.Greeting greeting) {
      heard.add("connected " + greeting.version());
      started = greeting.started();
    }

    @Override
    public void disconnected(String why) {
      heard.add("disconnected " + why);
    }

    @Override
    public void result(OperationResult result) {
      results.add(result);
    }

    @Override
    public void otherClient() {
      heard.add("other client");
    }

    @Override
    public void forwarded(Element message) {
      heard.add(message.get("lrmd_ipc_op", "?"));
    }
  }

  private Controller connected(String name) {
    var made = new Controller(name);
    world.settle();
    return made;
  }

  private TestPrograms.Run runs() {
    var running = world.programs().running();
    assertEquals(1, running.size());
    return running.getFirst();
  }

  @Test
  void theServiceManagerIsToldWhenClustersCanConnectAndWhenItStops() {
    assertTrue(world.lines().contains("service manager: READY=1\nSTATUS=Waiting for the cluster at port 3121"));
    connected("one");
    world.terminate();
    world.settle();
    assertTrue(
        world.lines().contains("service manager: STOPPING=1\nSTATUS=Stopping; the resources move away first"),
        () -> "" + world.lines());
  }

  @Test
  void anOperationRunsWithAllItWasGiven() {
    var one = connected("one");
    var parameters = new LinkedHashMap<String, String>();
    parameters.put("ip", "10.0.0.1");
    parameters.put("1st name", "\"odd\" <value>");
    parameters.put("CRM_meta_timeout", "20000");
    one.ask("start", 0, parameters);
    var program = runs().program();
    assertTrue(program.command().getFirst().endsWith("/heartbeat/Dummy"));
    assertEquals("\"odd\" <value>", program.environment().get("OCF_RESKEY_1st name"));
    assertEquals("pacemaker-remoted", program.environment().get("PCMK_service"));
    runs().exits(7, "bell \u0007 and\nline");
    var result = one.results.getFirst();
    assertEquals(List.of(new ExecMessage.Accepted(result.callId())), one.replies);
    assertEquals(7, result.rc());
    assertEquals(ExecStatus.DONE, result.status());
    assertEquals("key", result.transitionKey());
    assertEquals(DUMMY, result.agent());
    assertEquals(parameters, result.parameters());
    assertEquals("bell \uFFFD and\nline", result.output());
  }

  @Test
  void whateverAnAgentSaysAndIsToldTheConnectionStays() {
    var one = connected("one");
    var parameters = new LinkedHashMap<String, String>();
    for (var at = 0; at < 250; at++) {
      parameters.put("p" + at, "<" + at + ">");
    }
    parameters.put("n".repeat(1_200), "1");
    one.ask("start", 0, parameters);
    var said = "<domain xmlns:q='u'>\u001b \ud83d\ude00\n".repeat(1_000);
    runs().exits(0, said);
    var result = one.results.getFirst();
    assertEquals(parameters, result.parameters());
    assertEquals(said.replace('\u001b', '\uFFFD'), result.output());
    assertEquals(List.of("connected 1.1"), one.heard);
  }

  @Test
  void whoConnectsIsToldWhatWasStartedWithWhichParametersUntilItWasStoppedWithThese() {
    var first = new LinkedHashMap<>(Map.of("ip", "10.0.0.1", "1st name", "\"odd\" <value>"));
    var db = List.of(new StartedResource(DB, DUMMY, first));
    var one = connected("one");
    assertEquals(List.of(), one.started);
    var asked = new LinkedHashMap<>(first);
    asked.put("CRM_meta_timeout", "20000");
    one.ask("start", 0, asked);
    assertEquals(db, connected("two").started, "it may run already");
    runs().exits(0, "");
    assertEquals(db, connected("three").started);

    var four = connected("four");
    four.remote.forget(DB, _ -> {});
    four.ask("monitor", 0, Map.of("ip", "10.0.0.2"));
    runs().exits(7, "");
    four.ask("stop", 0, Map.of("ip", "10.0.0.2"));
    runs().exits(0, "");
    assertEquals(db, connected("five").started, "another instance, for all that is known");

    var six = connected("six");
    six.ask("stop", 0, asked);
    runs().exits(0, "");
    assertEquals(List.of(), connected("seven").started);
  }

  @Test
  void whatIsFoundCountsAsStartedAndNoMoreWhenItIsNotFoundAgain() {
    var one = connected("one");
    one.ask("monitor", 0);
    runs().exits(0, "");
    var found = List.of(new StartedResource(DB, DUMMY, Map.of("ip", "10.0.0.1")));
    assertEquals(found, connected("two").started);

    var three = connected("three");
    three.ask("reload-agent", 0, Map.of("ip", "10.0.0.2"));
    runs().exits(0, "");
    var reloaded = List.of(new StartedResource(DB, DUMMY, Map.of("ip", "10.0.0.2")));
    assertEquals(reloaded, connected("four").started);

    var five = connected("five");
    five.ask("monitor", 0, Map.of("ip", "10.0.0.2"));
    runs().exits(7, "");
    assertEquals(List.of(), connected("six").started);
  }

  @Test
  void aRecurringMonitorIsToldWhenItChangesAndEndsWhenItIsCancelled() {
    var one = connected("one");
    one.ask("monitor", 10_000);
    runs().exits(0, "");
    world.pass(Duration.ofSeconds(10));
    runs().exits(0, "");
    assertEquals(1, one.results.size());
    world.pass(Duration.ofSeconds(10));
    runs().exits(7, "");
    assertEquals(7, one.results.getLast().rc());
    var keys = new ArrayList<String>();
    one.remote.goesOn(it -> keys.addAll(Objects.requireNonNull(it).recurring()));
    world.settle();
    assertEquals(List.of("db_monitor_10000"), keys);
    one.remote.cancel(DB, MONITOR, 10_000, one.replies::add);
    one.remote.cancel(DB, MONITOR, 10_000, one.replies::add);
    world.settle();
    assertEquals(ExecStatus.CANCELLED, one.results.getLast().status());
    assertEquals(
        List.of(new ExecMessage.Cancelled(true, false), new ExecMessage.Cancelled(false, false)),
        one.replies.subList(1, 3));
    world.pass(Duration.ofMinutes(1));
    assertEquals(List.of(), world.programs().running());
  }

  @Test
  void itSaysWhatIsUnderWay() {
    var one = connected("one");
    var heard = new ArrayList<Set<String>>();
    Consumer<@Nullable GoingOn> hear = it -> heard.add(Objects.requireNonNull(Objects.requireNonNull(it).underWay()));
    one.ask("start", 0);
    one.remote.goesOn(hear);
    world.settle();
    runs().exits(0, "");
    one.remote.goesOn(hear);
    world.settle();
    assertEquals(List.of(Set.of(one.results.getLast().transitionKey()), Set.of()), heard);
  }

  @Test
  void aNewerConnectionTakesTheNodeOverWithoutStoppingAnything() {
    var one = connected("one");
    one.ask("monitor", 10_000);
    runs().exits(0, "");
    var two = connected("two");
    assertEquals(List.of("connected 1.1", "other client"), one.heard);
    var agents = new ArrayList<AgentName>();
    two.remote.describe(DB, agents::add);
    one.remote.close();
    world.settle();
    assertEquals(List.of(DUMMY), agents);
    world.pass(Duration.ofSeconds(10));
    runs().exits(0, "");
    // Nobody knows what the one that went has heard: the same result is told anew.
    assertEquals(List.of(0), two.results.stream().map(OperationResult::rc).toList());
  }

  /// It would go on as if it had the node, and be refused everything.
  @Test
  void whoRegistersWhileANewerConnectionIsOpenHearsOfIt() {
    var one = new Controller("one");
    var two = new Controller("two");
    world.settle();

    assertEquals(List.of("connected 1.1", "other client"), one.heard);
    assertEquals(List.of("connected 1.1"), two.heard);
  }

  /// The one before hears that it came, and listens no more.
  @Test
  void whoHasANodeHandedOnHearsWhatEndedSinceItConnected() {
    var one = connected("one");
    one.ask("start", 0);
    var two = new Controller("two");
    two.remote.hearOfOthers();
    network.stall();
    world.settle();
    runs().exits(0, "");
    assertEquals(List.of(), two.heard, "it has not registered yet");
    network.goOn();
    world.settle();
    assertEquals(List.of("connected 1.1"), two.heard);
    assertEquals(List.of("db 0"), two.results.stream().map(it -> it.resource() + " " + it.rc()).toList());
    assertEquals(List.of(DUMMY), two.results.stream().map(OperationResult::agent).toList());
    var three = connected("three");
    assertEquals(List.of(), three.results, "it was told before it came");
  }

  /// A controller whose registration is held up on the way.
  private Controller late() {
    var made = new Controller("two");
    network.stallLast();
    world.settle();
    made.remote.presume(DB, DUMMY); // as the CIB says
    return made;
  }

  private List<String> heardBy(Controller late) {
    network.goOn();
    world.settle();
    return late.results.stream().map(it -> it.operation() + " " + it.rc()).toList();
  }

  /// A failure that was cleaned up would be back.
  @Test
  void whoHasANodeHandedOnDoesNotHearOfWhatWasForgottenSinceItConnected() {
    var one = connected("one");
    var two = late();
    one.ask("start", 0);
    runs().exits(1, "");
    world.settle();
    one.remote.forget(DB, _ -> {});
    world.settle();
    assertEquals(List.of(), heardBy(two));
  }

  /// Somebody waits for its end, and nobody else tells of it.
  @Test
  void whatIsUnderWayIsHeardOfHoweverOftenItsResourceIsForgotten() {
    var one = connected("one");
    one.ask("start", 0);
    runs().exits(0, "");
    network.stall();
    one.remote.forget(DB, _ -> {});
    one.ask("stop", 0);
    one.remote.forget(DB, _ -> {});
    one.remote.forget(DB, _ -> {});
    network.goOn();
    world.settle();
    one.remote.forget(DB, _ -> {});
    world.settle();
    runs().exits(0, "");
    world.settle();
    assertEquals(List.of("start 0", "stop 0"), one.results.stream().map(it -> it.operation() + " " + it.rc()).toList());
  }

  /// The second answer comes after what the first one let begin.
  @Test
  void whatIsBegunBetweenTwoThatForgetIsHeardOf() {
    var one = connected("one");
    one.ask("start", 0);
    runs().exits(0, "");
    network.stall();
    one.remote.forget(DB, _ -> one.ask("monitor", 0));
    one.remote.forget(DB, _ -> {});
    network.goOn();
    world.settle();
    runs().exits(0, "");
    world.settle();
    assertEquals(List.of("start 0", "monitor 0"), one.results.stream().map(it -> it.operation() + " " + it.rc()).toList());
  }

  /// It would record that first, over what is recorded by then.
  @Test
  void whoHasANodeHandedOnHearsOfTheLastOperationOfEachResource() {
    var one = connected("one");
    var two = late();
    for (var operation : List.of("start", "stop")) {
      one.ask(operation, 0);
      runs().exits(0, "");
      world.settle();
    }
    assertEquals(List.of("stop 0"), heardBy(two));
  }

  @Test
  void whatAnOlderConnectionAskedForIsNotBegunOnceANewerOneHasTheNode() {
    var one = connected("one");
    one.ask("monitor", 0);
    runs().exits(7, "");
    network.stall();
    one.ask("start", 0);
    var two = connected("two");
    two.ask("monitor", 0);
    runs().exits(7, "");
    network.goOn();
    world.settle();
    assertEquals(ExecMessage.Refused.class, one.replies.getLast().getClass());
    assertEquals(List.of(), world.programs().running());
  }

  /// The connection of the one before broke, and the cluster cannot know whether it had arrived.
  @Test
  void whatAnOlderConnectionAskedForAndTheNewerOneAsksForAgainIsDoneOnce() {
    var one = connected("one");
    one.planned("start", "10.0.0.1");
    var two = connected("two");
    two.planned("start", "10.0.0.1");
    two.planned("start", "10.0.0.2");
    runs().exits(0, "");
    world.settle();
    assertEquals("10.0.0.2", runs().program().environment().get("OCF_RESKEY_ip"), "with other parameters it is another one");
    runs().exits(7, "");
    world.settle();
    assertEquals(List.of(0, 7), two.results.stream().map(OperationResult::rc).toList());
    two.planned("start", "10.0.0.2");
    assertEquals(List.of(), world.programs().running());
    assertEquals(List.of(0, 7, 7), two.results.stream().map(OperationResult::rc).toList(), "what has ended is told again");
    assertEquals(two.replies.get(1), two.replies.getLast());
    two.planned("stop", "10.0.0.1");
    assertEquals(1, world.programs().running().size());
  }

  @Test
  void whatAnOlderConnectionEndsAndForgetsGoesOnForTheNewerOne() {
    var one = connected("one");
    one.ask("monitor", 10_000);
    runs().exits(0, "");
    network.stall();
    one.remote.cancel(DB, MONITOR, 10_000, one.replies::add);
    one.remote.forget(DB, one.replies::add);
    var two = connected("two");
    two.ask("monitor", 10_000);
    runs().exits(0, "");
    network.goOn();
    world.settle();
    assertEquals(
        List.of(ExecMessage.Refused.class, ExecMessage.Refused.class),
        one.replies.stream().skip(1).map(Object::getClass).toList());
    world.pass(Duration.ofSeconds(10));
    runs().exits(7, "");
    assertEquals(7, two.results.getLast().rc(), "it is looked at still, and its end is seen");
  }

  @Test
  void whatWasAskedForAndIsStillUnderWayIsTakenBackWhenTheConnectionIsGivenUp() {
    var one = connected("one");
    one.ask("monitor", 0);
    runs().exits(7, "");
    network.stall();
    one.ask("start", 0);
    one.remote.close();
    network.goOn();
    world.settle();
    assertEquals(List.of(), world.programs().running());
  }

  @Test
  void recurringOperationsGoOnWhileTheConnectionIsDownForAMoment() {
    var one = connected("one");
    one.ask("monitor", 10_000);
    runs().exits(0, "");
    network.cut();
    world.settle();
    assertEquals("disconnected cut", one.heard.getLast());
    world.pass(Duration.ofSeconds(10));
    runs().exits(7, ""); // nobody hears
    var two = connected("two");
    two.remote.describe(DB, _ -> {});
    world.pass(Duration.ofSeconds(10));
    runs().exits(7, "");
    assertEquals(7, two.results.getLast().rc());
    network.cut();
    world.pass(RemoteClients.GRACE.plusSeconds(1));
    world.programs().running().forEach(run -> run.exits(0, ""));
    world.pass(Duration.ofMinutes(1));
    assertEquals(List.of(), world.programs().running());
  }

  @Test
  void theClusterIsAskedBeforeTheNodeStops() {
    var one = connected("one");
    world.terminate();
    assertEquals("shutdown_req", one.heard.getLast());
    assertFalse(network.isServed());
    assertNull(world.exitStatus());
    one.remote.forward(
        Element.of("lrmd_ipc_proxy", "lrmd_ipc_op", "shutdown_ack", "lrmd_ipc_session", "0"));
    world.settle();
    assertNull(world.exitStatus());
    one.remote.close();
    world.settle();
    assertEquals(0, world.exitStatus());
  }

  private Controller lostWhileItStops() {
    var one = connected("one");
    one.ask("start", 0);
    runs().exits(0, "");
    world.terminate();
    assertFalse(network.isServed());
    network.cut();
    world.settle();
    assertNull(world.exitStatus());
    assertTrue(network.isServed());
    return one;
  }

  @Test
  void aMemberThatIsLostWhileTheNodeStopsHasAnotherTakeItsPlace() {
    lostWhileItStops();
    var two = connected("two");
    assertEquals(List.of("connected 1.1", "shutdown_req"), two.heard);
    assertFalse(network.isServed());
    world.pass(RemoteStop.ANOTHER.multipliedBy(2));
    assertNull(world.exitStatus());
    two.ask("stop", 0);
    runs().exits(0, "");
    two.remote.close();
    world.settle();
    assertEquals(0, world.exitStatus());
  }

  @Test
  void aNodeThatStopsDoesNotWaitLongForAnotherMember() {
    lostWhileItStops();
    world.pass(RemoteStop.ANOTHER.minusSeconds(1));
    assertNull(world.exitStatus());
    world.pass(Duration.ofSeconds(2));
    assertEquals(0, world.exitStatus());
  }

  /// In maintenance mode the cluster agrees, and stops nothing.
  @Test
  void aStopThatTakesLongSaysWhatItWaitsForAndHowToRestartWithoutIt() {
    var one = connected("one");
    world.terminate();
    one.remote.forward(
        Element.of("lrmd_ipc_proxy", "lrmd_ipc_op", "shutdown_ack", "lrmd_ipc_session", "0"));
    world.pass(RemoteStop.REMINDER.minusSeconds(1));
    assertEquals(0, reminders());
    world.pass(Duration.ofSeconds(2));
    assertEquals(1, reminders());
    assertTrue(
        world.lines().contains(
            "service manager: STATUS=Stopping; waiting for the cluster to stop what runs here, see the log"),
        () -> "" + world.lines());
    world.pass(RemoteStop.REMINDER);
    assertEquals(2, reminders());
    assertNull(world.exitStatus());
  }

  private long reminders() {
    return world.lines().stream()
        .filter(it -> it.contains("Still waiting for the cluster") && it.contains("--kill-whom=main"))
        .count();
  }

  /// It was lost with its power, and the network does not say so as long as it has something for it.
  @Test
  void aMemberThatIsGoneWithoutAWordDoesNotKeepTheNodeFromStoppingForLong() {
    var lost = connected("lost");
    connected("one");
    var one = connected("one");
    assertEquals("other client", lost.heard.getLast());
    world.pass(RemoteClients.OVERTAKEN.minusSeconds(1));
    world.terminate();
    world.settle();
    one.remote.close();
    world.settle();
    assertNull(world.exitStatus());
    world.pass(Duration.ofSeconds(2));
    assertEquals("disconnected closed", lost.heard.getLast());
    assertEquals(0, world.exitStatus());
  }

  @Test
  void theConnectionThatHasTheNodeStays() {
    connected("two").remote.close();
    var one = connected("one");
    world.pass(RemoteClients.OVERTAKEN.multipliedBy(2));
    assertTrue(one.remote.isConnected());
  }

  @Test
  void withoutAClusterItStopsAtOnce() {
    world.terminate();
    assertEquals(0, world.exitStatus());
  }

  @Test
  void aRefusalOfTheClusterEndsItAtOnce() {
    var one = connected("one");
    world.terminate();
    one.remote.forward(
        Element.of("lrmd_ipc_proxy", "lrmd_ipc_op", "shutdown_nack", "lrmd_ipc_session", "0"));
    world.settle();
    assertEquals(0, world.exitStatus());
  }

  @Test
  void aCommandThatIsNotThereIsToldSo() {
    var one = connected("one");
    one.remote.forward(
        Element.of("lrmd_ipc_proxy", "lrmd_ipc_op", "event", "lrmd_ipc_session", "x1"));
    world.settle();
    assertEquals("destroy", one.heard.getLast());
  }

  @Test
  void aForgottenResourceIsUnknownUntilItIsNamedAgain() {
    var one = connected("one");
    one.ask("start", 0);
    runs().exits(0, "");
    one.remote.forget(DB, one.replies::add);
    world.settle();
    assertEquals(new ExecMessage.Ok(), one.replies.getLast());
    one.ask("monitor", 0);
    runs().exits(0, "");
    assertEquals(2, one.results.size());
  }

  @Test
  void whatIsUnderWayWhenItsResourceIsForgottenIsToldAsItEnds() {
    var one = connected("one");
    one.ask("stop", 0);
    one.remote.forget(DB, one.replies::add);
    world.settle();
    assertEquals(new ExecMessage.Ok(), one.replies.getLast());
    runs().exits(0, "");
    var result = one.results.getFirst();
    assertEquals(ExecStatus.DONE, result.status());
    assertEquals(DUMMY, result.agent());
    assertTrue(result.forgotten());
  }

  @Test
  void whatRecursIsToldAsCancelledWhenItsResourceIsForgotten() {
    var one = connected("one");
    one.ask("monitor", 10_000);
    runs().exits(0, "");
    one.remote.forget(DB, one.replies::add);
    world.settle();
    var result = one.results.getLast();
    assertEquals(ExecStatus.CANCELLED, result.status());
    assertTrue(result.forgotten());
  }

  @Test
  void fenceDevicesDoNotRunOnARemoteNode() {
    var one = connected("one");
    remote(one, new AgentName(AgentName.FENCING, "", "fence_x"));
    assertTrue(one.replies.getLast() instanceof ExecMessage.Refused);
  }

  private void remote(Controller controller, AgentName agent) {
    controller.remote.execute(
        new OperationRequest(DB, agent, MONITOR, 0, 20_000, 0, Map.of(), "key"),
        controller.replies::add);
    world.settle();
  }

  @Test
  void pokeIsAnswered() {
    var one = connected("one");
    one.remote.poke(Duration.ofSeconds(5), one.replies::add);
    world.settle();
    assertEquals(List.of(new ExecMessage.Ok()), one.replies);
    network.cut();
    one.remote.poke(Duration.ofSeconds(5), one.replies::add);
    world.settle();
    assertTrue(one.replies.getLast() instanceof ExecMessage.Refused);
  }

  @Test
  void aNodeThatIsNotThereIsToldOnce() {
    var keeper = connected("keeper");
    world.terminate(); // the port is closed
    var one = connected("one");
    world.pass(Duration.ofMinutes(1));
    assertEquals(List.of("disconnected refused"), one.heard);
    assertTrue(keeper.remote.isConnected());
  }

  /// Sends texts as they are, and keeps what comes back.
  private final class Stranger implements ConnectionHandler {
    private final List<Element> heard = new ArrayList<>();
    private Connection connection;
    private String closed = "";

    Stranger() {
      network.connect("host1", 3121, Duration.ofSeconds(10), this);
      world.settle();
    }

    Stranger says(String text) {
      connection.send(text.getBytes(StandardCharsets.UTF_8));
      world.settle();
      return this;
    }

    private String code() {
      return heard.getLast().get("lrmd_rc");
    }

    @Override
    public void opened(Connection opened) {
      connection = opened;
    }

    @Override
    public void received(Connection from, byte[] frame) {
      try {
        heard.add(XmlReader.parse(frame));
      } catch (XmlException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void closed(Connection was, String why) {
      closed = why;
    }
  }

  @Test
  void whoHasNotRegisteredGetsNothingDone() {
    var stranger = new Stranger();
    stranger.says(
        "<lrmd_command t='lrmd' lrmd_op='lrmd_rsc_register' lrmd_remote_msg_id='5'><lrmd_calldata>"
            + "<lrmd_rsc lrmd_rsc_id='db' lrmd_class='ocf' lrmd_provider='x' lrmd_type='y'/>"
            + "</lrmd_calldata></lrmd_command>");
    assertEquals("-71", stranger.code());
    assertEquals("5", stranger.heard.getLast().get("lrmd_remote_msg_id"));
    stranger.says("<lrmd_command lrmd_op='register' lrmd_protocol_version='0.9'/>");
    assertEquals("-71", stranger.code());
    stranger.says("<lrmd_command lrmd_op='lrmd_rsc_poke'/>");
    assertEquals("-71", stranger.code());
  }

  @Test
  void requestsThatAreWrongAreRefusedAndOthersServed() {
    var stranger = new Stranger();
    stranger.says("<lrmd_command lrmd_op='register' lrmd_protocol_version='1.2'/>");
    assertEquals("0", stranger.code());
    stranger.says("<lrmd_command lrmd_op='lrmd_dance'/>");
    assertEquals("-95", stranger.code());
    stranger.says("<cib/>");
    assertEquals("-22", stranger.code());
    stranger.says("<lrmd_command lrmd_op='lrmd_rsc_exec'/>");
    assertEquals("-22", stranger.code());
    var unknown = "<lrmd_calldata><lrmd_rsc lrmd_rsc_id='no' lrmd_rsc_action='start'/></lrmd_calldata>";
    for (var operation : List.of("lrmd_rsc_exec", "lrmd_rsc_info", "lrmd_rsc_cancel")) {
      stranger.says(
          "<lrmd_command lrmd_op='%s'>%s</lrmd_command>".formatted(operation, unknown));
      assertEquals("-19", stranger.code(), operation);
    }
    stranger.says(
        "<lrmd_command lrmd_op='lrmd_rsc_register'><lrmd_calldata><lrmd_rsc lrmd_rsc_id='db'"
            + " lrmd_class='ocf' lrmd_provider='..' lrmd_type='../../bin/sh'/></lrmd_calldata>"
            + "</lrmd_command>");
    stranger.says(
        "<lrmd_command lrmd_op='lrmd_rsc_exec'><lrmd_calldata><lrmd_rsc lrmd_rsc_id='db'"
            + " lrmd_rsc_action='start'/></lrmd_calldata></lrmd_command>");
    assertEquals("-22", stranger.code());
    assertEquals(List.of(), world.programs().running());
    stranger.says("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>");
    assertEquals("closed", stranger.closed);
    assertEquals(List.of("connected 1.1"), connected("one").heard);
  }
}
