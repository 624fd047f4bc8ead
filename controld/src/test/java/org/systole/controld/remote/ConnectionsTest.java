package org.systole.controld.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.NeverOpened;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.TestCib;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.LeftRunning;
import org.systole.controld.operations.LocalOperations;
import org.systole.controld.operations.RemovedResources;
import org.systole.controld.proxy.ProxyRoom;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteReply;
import org.systole.execd.client.remote.RemoteRequest;
import org.systole.execd.client.remote.RemoteXml;
import org.systole.execd.client.remote.StartedResource;

/// The connection to the remote node `far` as node1 has it. The test plays the network and the
/// executor at the other end.
final class ConnectionsTest implements RemoteHost, SecureStreams {
  private static final NodeName FAR = new NodeName("far");
  private static final String KEY = "3:4:0:be2e97d9-05e2-439d-863e-48f7aecab2aa";

  private static final String MOVE = "4:be2e97d9-05e2-439d-863e-48f7aecab2aa"; // of that plan

  private static final ResourceId DB = new ResourceId("db");

  private final TestWorld world = new TestWorld();
  private final TestPeer<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> executor =
      world.peer(ExecMessage.SOCKET, ExecMessage.PROTOCOL);
  private final List<String> deeds = new ArrayList<>();
  private final List<End> opened = new ArrayList<>();
  private final Connections connections;
  private boolean reachable = true;
  private boolean distant; // what comes of an attempt is told later
  private boolean answers = true;
  private boolean watches; // it has a monitor of db recur
  private @Nullable String underWay; // as the executor says; null if it does not
  private boolean leaving; // this member was asked to
  private Duration returnsWithin = Duration.ZERO; // as the executor says of itself
  private String process = ""; // as the executor says, too
  private final List<String> calls = new ArrayList<>();
  private final List<List<CibOp>> changes = new ArrayList<>();
  private final List<String> changed = new ArrayList<>(); // when what was recorded changed
  private List<StartedResource> started = List.of(); // as it says too
  private final List<RemoteRequest.Execute> asked = new ArrayList<>();
  private TellingRoom tellingRoom = new TellingRoom();
  private final OnTheirWay onTheirWay = new OnTheirWay(world);
  private int attempts;
  private int prepared;
  private boolean unanswered; // what is written to the CIB
  private int refusals; // so many changes are refused
  private AgentName saidOfAll = new AgentName("ocf", "heartbeat", "Dummy"); // resources that others have named
  private boolean busy; // with operations of what is to be forgotten
  /// What the attribute manager was asked to write, and is waited for.
  private record Expected(Predicate<Element> written, Runnable then) {}

  private final List<Expected> expected = new ArrayList<>();
  private final Set<Integer> refusedWith = new TreeSet<>(); // exit status
  private boolean slow; // operations are not answered yet
  private final List<Runnable> late = new ArrayList<>(); // those answers
  private boolean refreshed; // the CIB has nothing of the connection any more
  private boolean isTaken; // as the CIB says that everybody has by now
  private @Nullable Element cib;

  ConnectionsTest() {
    var local = new LocalOperations(world, mock(LocalOperations.Host.class));
    connections = new Connections(world, this, local.metadata());
    executor.goes("this member runs nothing else");
  }

  /// One end of a connection, which the executor of the remote node answers.
  private final class End implements Connection {
    private final ConnectionHandler handler;
    private boolean closed;

    End(ConnectionHandler handler) {
      this.handler = handler;
    }

    @Override
    public void send(byte[] frame) {
      if (!answers) {
        return;
      }
      try {
        var message = RemoteXml.parse(frame);
        var request = RemoteXml.requestIn(message);
        if (request instanceof RemoteRequest.Forward) {
          deeds.add("forwarded " + message.get(RemoteXml.PROXY_OPERATION));
          return;
        }
        if (request instanceof RemoteRequest.Execute it) {
          deeds.add("asked for %s_%s".formatted(it.resource(), it.operation()));
          asked.add(it);
        }
        var reply =
            request instanceof RemoteRequest.DescribeResource(var it)
                ? RemoteXml.description(7, it, saidOfAll)
                : request instanceof RemoteRequest.Register
                ? RemoteExecutor.Greeting.saying(
                    StartedResource.in(
                        RemoteXml.registered(
                            1, RemoteReply.DONE, "token", Duration.ofSeconds(5), null, returnsWithin),
                        started),
                    process)
                : request instanceof RemoteRequest.ListRecurring && underWay != null
                ? RemoteXml.reply("test", RemoteReply.DONE, 7)
                    .add(TestCib.xml("<systole_under_way><lrmd_rsc_op lrmd_rsc_userdata_str='%s'/></systole_under_way>".formatted(underWay)))
                    .build()
                : request instanceof RemoteRequest.ListRecurring && watches
                ? RemoteXml.reply("test", RemoteReply.DONE, 7)
                    .add(TestCib.xml("<lrmd_rsc lrmd_rsc_id='db'><lrmd_rsc_op lrmd_rsc_action='monitor' lrmd_rsc_interval='10000'/></lrmd_rsc>"))
                    .build()
                : RemoteXml.reply("test", code(request), 7)
                    .build();
        Runnable answer = () -> tell(RemoteXml.reply(reply, RemoteXml.messageId(message)));
        if (slow && request instanceof RemoteRequest.DescribeResource) {
          late.add(answer);
        } else if (slow && request instanceof RemoteRequest.Execute) {
          late.add(() -> tell(RemoteXml.reply(refusal(), RemoteXml.messageId(message))));
        } else {
          answer.run();
        }
      } catch (XmlException e) {
        throw new AssertionError(e);
      }
    }

    private int code(@Nullable RemoteRequest request) {
      return switch (request) {
        case RemoteRequest.Execute _ -> 7;
        case RemoteRequest.DropResource _ when busy -> RemoteReply.IN_PROGRESS;
        case null, default -> RemoteReply.DONE;
      };
    }

    private Element refusal() {
      return RemoteXml.reply("test", RemoteReply.INVALID, 8).build();
    }

    void tell(Element message) {
      world.post(
          () -> {
            if (!closed) {
              handler.received(this, RemoteXml.bytes(message));
            }
          });
    }

    void breaks() {
      closed = true;
      world.post(() -> handler.closed(this, "reset"));
    }

    @Override
    public void close() {
      if (!closed) {
        deeds.add("closed");
        breaks();
      }
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials("far", List.of(), true);
    }
  }

  @Override
  public Server listen(@Nullable String address, int port, ServerHandler handler) {
    throw new AssertionError("a controller serves no port");
  }

  @Override
  public void connect(String server, int port, Duration within, ConnectionHandler handler) {
    attempts++;
    if (distant) {
      world.after(Duration.ofSeconds(3), () -> answer(server, handler));
    } else {
      answer(server, handler);
    }
  }

  private void answer(String server, ConnectionHandler handler) {
    if (!reachable) {
      world.post(() -> handler.closed(new NeverOpened(server), "refused by " + server));
      return;
    }
    var end = new End(handler);
    opened.add(end);
    world.post(() -> handler.opened(end));
  }

  private void ask(String operation, long interval) {
    var xml =
        """
        <rsc_op id="3" operation="%s" operation_key="far_%s_%d" on_node="node1" on_node_uuid="1">
          <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
          <attributes server="10.0.0.9" CRM_meta_timeout="20000" CRM_meta_interval="%d"
            CRM_meta_record_pending="false" CRM_meta_migrate_target="node2"/></rsc_op>
        """
            .formatted(operation, operation, interval, interval);
    connections.runner().execute(GraphAction.of(TestCib.xml(xml)), KEY);
    world.settle();
  }

  private void askFar(String operation) {
    askFar(operation, 0);
  }

  private void askFar(String operation, long interval) {
    askFar("db", operation, interval);
  }

  private void askFar(String resource, String operation, long interval) {
    var xml =
        """
        <rsc_op id="5" operation="%s" operation_key="%s_%s_%d" on_node="far" on_node_uuid="far"
            router_node="node1">
          <primitive id="%s" class="ocf" provider="heartbeat" type="Dummy"/>
          <attributes CRM_meta_timeout="20000" CRM_meta_interval="%d"
            CRM_meta_record_pending="false"/></rsc_op>
        """
            .formatted(operation, resource, operation, interval, resource, interval);
    connections.execute(FAR, GraphAction.of(TestCib.xml(xml)), KEY);
    world.settle();
  }

  private List<String> deeds() {
    world.settle();
    var now = List.copyOf(deeds);
    deeds.clear();
    return now;
  }

  private void start() {
    ask("start", 0);
    deeds();
  }

  @Test
  void aMemberThatIsToLeaveMakesAConnectionAndStartsNothingOverIt() {
    leaving = true;
    ask("start", 0);
    assertTrue(deeds().contains("up"));

    askFar("start");
    assertEquals(List.of("refused db_start_0 on far: this node is shutting down"), deeds());
  }

  @Test
  void aStartTellsTheClusterOfTheNodeBeforeItReportsItself() {
    ask("start", 0);
    assertEquals(
        List.of("forget attributes of far", "up", "node1: far_start_0 rc 0"), deeds());
    assertNotNull(connections.on(FAR));
  }

  /// The CIB says that node2 has the connection, or had it when it was lost.
  private void isAnothers(String since, String executor) {
    var state =
        "<node_state id=\"far\" uname=\"far\" remote_node=\"true\" connection=\"node2\" in_ccm=\"%s\" executor=\"%s\"/>";
    cib = TestCib.xml("<cib><status>" + state.formatted(since, executor) + "</status></cib>");
  }

  @Test
  void attributesOutliveTheMemberThatHadTheConnectionWhereTheExecutorIsTheSame() {
    process = "5a";
    isAnothers("1700", "5a");
    ask("start", 0);
    assertEquals(
        List.of("shutdown of far is null", "up", "node1: far_start_0 rc 0"), deeds());
  }

  @Test
  void attributesAreForgottenWhereTheExecutorIsAnotherOrDoesNotSayOrTheNodeWasFenced() {
    for (var each : List.of(List.of("1700", "5a", "5b"), List.of("1700", "", ""), List.of("0", "5a", "5a"))) {
      isAnothers(each.getFirst(), each.get(1));
      process = each.getLast();
      ask("start", 0);
      assertEquals(
          List.of("forget attributes of far", "up", "node1: far_start_0 rc 0"), deeds(), each.toString());
      ask("stop", 0);
      deeds();
    }
  }

  /// It would not be looked at again what the one before was told to watch.
  @Test
  void anExecutorThatWasStartedAnewWhileItsConnectionMovesHasAllLookedForAgain() {
    process = "5b";
    isAnothers("1700", "5a");
    ask("migrate_from", 0);
    assertEquals(List.of(), deeds(), "the other member may have connected to it just before");
    world.pass(Duration.ofSeconds(2));
    assertEquals(
        List.of("forget attributes of far", "up", "node1: far_migrate_from_0 rc 0"), deeds());

    ask("stop", 0);
    deeds();
    isAnothers("1700", "5b");
    ask("migrate_from", 0);
    assertEquals(List.of("node1: far_migrate_from_0 rc 0"), deeds());
  }

  @Test
  void aStartThatIsRefusedTriesAgainEachSecondUntilItsTimeIsOver() {
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(5));
    assertEquals(6, attempts);
    assertEquals(List.of(), deeds());
    reachable = true;
    world.pass(Duration.ofSeconds(2));
    assertTrue(deeds().contains("node1: far_start_0 rc 0"));
  }

  /// The CIB says that node2 is connected to a remote node at an address, since then; 0 if it is not any more.
  private void known(String node, String address, int since) {
    known("", node, address, since, "");
  }

  private void known(String options, String node, String address, int since, String more) {
    cib =
        TestCib.xml(
            """
            <cib><configuration><crm_config><cluster_property_set id="s">%4$s</cluster_property_set></crm_config></configuration>
              <status><node_state id="%1$s" uname="%1$s" remote_node="true" in_ccm="%3$d" connection="node2"
              address="%2$s" %5$s/></status></cib>
            """
                .formatted(node, address, since, options, more));
  }

  /// Nothing of what runs at the other address would be found, and all be started a second time.
  @Test
  void aNodeThatMayRunThingsAtAnotherAddressIsConnectedOnceTheyWereStoppedOrFenced() {
    known("far", "10.0.0.8:3121", 17);
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    assertEquals(0, attempts);
    assertEquals(List.of(), deeds());

    known("far", "10.0.0.8:3121", 0); // by a member that could not make it, and was to stop it
    world.pass(Duration.ofSeconds(3));
    assertEquals(0, attempts);
    known("", "far", "10.0.0.8:3121", 0, "left='1'");
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("forget attributes of far", "up", "node1: far_start_0 rc 0"), deeds());

    ask("stop", 0);
    known("", "far", "10.0.0.8:3121", 0, "node_fenced='1700'");
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    assertEquals("node1: far_start_0 rc 0", deeds().getLast());

    ask("stop", 0);
    known("<nvpair id='f' name='fencing-enabled' value='false'/>", "far", "10.0.0.8:3121", 0, "");
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    assertEquals("node1: far_start_0 rc 0", deeds().getLast());

    known("far", "10.0.0.8:3121", 17);
    ask("stop", 0);
    deeds();
    ask("start", 0);
    world.pass(Duration.ofSeconds(25));
    assertTrue(
        deeds().contains("node1: far_start_0 rc 1 what runs at 10.0.0.8:3121 was neither stopped nor fenced"));
  }

  /// It would be taken away from that one, which would be lost, and fenced.
  @Test
  void aNodeIsNotConnectedWhereAnotherOneIs() {
    known("other", "10.0.0.9:3121", 17);
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    assertEquals(0, attempts);
    known("other", "10.0.0.9:3121", 0);
    world.pass(Duration.ofSeconds(1));
    assertTrue(deeds().contains("node1: far_start_0 rc 0"));
  }

  @Test
  void aStartThatIsAskedForAgainTakesThePlaceOfTheFirstWhichHasNotFailed() {
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(5));
    ask("start", 0);
    reachable = true;
    world.pass(Duration.ofSeconds(2));
    assertEquals(
        List.of("forget attributes of far", "up", "node1: far_start_0 rc 0"), deeds());
  }

  /// The configuration has these connections, and no others.
  private void hasConnections(String... names) {
    var all = Element.builder("resources");
    for (var each : names) {
      all.add(Element.of("primitive", "id", each, "class", "ocf", "provider", "pacemaker", "type", "remote"));
    }
    var known = cib == null ? null : cib.first("status");
    cib = Element.builder("cib").add(Element.of("configuration").plus(all.build())).add(known).build();
    connections.cibChanged(cib);
    world.settle();
  }

  /// The first one is to be made while all members are asked whether they have it.
  @Test
  void whatConnectionsTakeIsMadeReadyOnceThereIsOneToBeMade() {
    hasConnections();
    assertEquals(0, prepared);
    hasConnections("far");
    hasConnections("far", "other");
    assertEquals(1, prepared);
    assertEquals(0, attempts);
  }

  private void isGivenUpOnceDeleted(String told) {
    hasConnections("other");
    assertEquals(
        List.of(told + "its resource was deleted before it was there"),
        List.copyOf(new LinkedHashSet<>(deeds())));
    var before = attempts;
    world.pass(Duration.ofSeconds(30));
    assertEquals(before, attempts);
  }

  private void cancelStart() {
    var xml =
        """
        <rsc_op id="9" operation="cancel" operation_key="far_start_0" on_node="node1" on_node_uuid="1">
          <primitive id="far" class="ocf" provider="pacemaker" type="remote"/>
          <attributes server="10.0.0.9" CRM_meta_operation="start"/></rsc_op>
        """;
    connections.runner().execute(GraphAction.of(TestCib.xml(xml)), KEY);
    world.settle();
  }

  /// It is asked for again, and counts for nothing.
  @Test
  void aStartThatTheClusterDoesNotWaitForHasNotFailed() {
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    cancelStart();
    assertEquals(List.of("refused far_start_0 on node1: it is to be made later; before: refused by 10.0.0.9"), deeds());
    var before = attempts;
    world.pass(Duration.ofMinutes(2));
    assertEquals(before, attempts);
    assertEquals(List.of(), deeds());
    reachable = true;
    start();
    assertNotNull(connections.on(FAR));
    cancelStart();
    ask("stop", 0);
    deeds();
    ask("migrate_from", 0);
    cancelStart();
    assertNotNull(connections.on(FAR));
  }

  /// It ends in a moment, and the CIB says already that it is there.
  @Test
  void aStartThatHasConnectedIsNotGivenUp() {
    unanswered = true;
    ask("start", 0);
    deeds();
    cancelStart();
    assertEquals(List.of(), deeds());
    assertNotNull(connections.on(FAR));
  }

  /// Who takes the host out of the cluster has stopped what it would be connected to, and waits.
  @Test
  void aStartWhoseResourceIsDeletedIsGivenUpAtOnce() {
    reachable = false;
    hasConnections("far");
    ask("start", 0);
    hasConnections("far", "other");
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), deeds());
    isGivenUpOnceDeleted("refused far_start_0 on node1: "); // a failure would count, and where it is the last member's have the node fenced
  }

  /// The other member has the connection still: by one that can be made at once what runs there is stopped.
  @Test
  void aMoveOfAConnectionThatIsDeletedIsGivenUpOnceAnAttemptHasFailed() {
    reachable = false;
    hasConnections("far");
    ask("migrate_from", 0);
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), deeds());
    isGivenUpOnceDeleted("node1: far_migrate_from_0 rc 1 ");
  }

  /// It is well, and what runs there is being stopped by the member that keeps it. A failure would have it fenced.
  @Test
  void aMoveOfAConnectionThatIsDeletedAndThatTheOtherMemberKeepsHasNotFailed() {
    for (var distance : List.of(false, true)) {
      distant = distance;
      reachable = false;
      cib = TestCib.xml("<cib><status><node_state id='far' uname='far' remote_node='true' in_ccm='5' connection='node2'/></status></cib>".replace('\'', '"'));
      hasConnections("far");
      ask("migrate_from", 0);
      world.pass(Duration.ofSeconds(1));
      hasConnections("other");
      world.pass(Duration.ofSeconds(30));
      assertEquals(
          List.of("moved in vain: " + MOVE, "refused far_migrate_from_0 on node1: " + (distance ? "refused by 10.0.0.9" : "its resource was deleted before it was there")),
          deeds().stream().distinct().sorted().toList());
    }
  }

  /// This member's copy of the CIB is a moment behind.
  @Test
  void whatTheOtherMemberHasBegunByAnExecutorThatItHadJustConnectedToIsNotForgotten() {
    process = "5b";
    isAnothers("1700", "5a");
    ask("migrate_from", 0);
    assertEquals(List.of(), deeds());
    isAnothers("1700", "5b");
    var begun =
        "<status><node_state id='1' uname='node1'><lrm id='1'><lrm_resources><lrm_resource id='far'>"
            + "<lrm_rsc_op id='far_migrate_from_0' transition-key='" + KEY + "' op-status='-1'/></lrm_resource></lrm_resources></lrm></node_state>";
    cib = TestCib.xml(XmlWriter.compact(cib).replace("<status>", begun));
    isRead();
    assertEquals(List.of("node1: far_migrate_from_0 rc 0"), deeds());
  }

  /// The other member has closed its own by then, and the node may have told nobody of an end.
  @Test
  void aMoveThatBreaksOnceTheCibHasItIsMadeAnewAsOneOfWhichNothingIsKnown() {
    for (var written : List.of(false, true)) {
      cib("true", "node2");
      unanswered = true;
      ask("migrate_from", 0);
      unanswered = false;
      deeds();
      opened.getLast().breaks();
      cib("true", written ? "node1" : "node2");
      world.pass(Duration.ofSeconds(4));
      var deeds = deeds();
      assertEquals(written, deeds.contains("up"), deeds.toString());
      assertTrue(deeds.contains("node1: far_migrate_from_0 rc 0"), deeds.toString());
      ask("stop", 0);
      deeds();
    }
  }

  @Test
  void aMoveOfAConnectionThatIsDeletedMayComeAboutAtItsFirstAttempt() {
    distant = true;
    for (var comes : new boolean[] {false, true}) {
      reachable = comes;
      hasConnections("far");
      ask("migrate_from", 0);
      world.pass(Duration.ofSeconds(1));
      hasConnections("other");
      assertEquals(List.of(), deeds());
      var before = attempts;
      world.pass(Duration.ofSeconds(30));
      assertEquals(before, attempts);
      assertEquals(
          List.of("node1: far_migrate_from_0 rc " + (comes ? "0" : "1 refused by 10.0.0.9")),
          deeds().stream().filter(it -> it.contains("migrate_from")).distinct().toList());
    }
  }

  private void isCounted(String seconds) {
    cib =
        TestCib.xml(
            """
            <cib><status><node_state id="1" uname="node1"><transient_attributes id="1"><instance_attributes id="a">
              <nvpair id="n" name="fail-count-far#migrate_from_0" value="INFINITY"/>
              <nvpair id="l" name="last-failure-far#migrate_from_0" value="SECONDS"/>
            </instance_attributes></transient_attributes></node_state>
            <node_state id="far" uname="far" remote_node="true" connection="node2" in_ccm="1700"/></status></cib>
            """
                .replace("SECONDS", seconds));
    isRead();
  }

  /// This member's copy of the CIB is what it is by now.
  private void isRead() {
    var now = Objects.requireNonNull(cib);
    expected.removeIf(
        it -> {
          var counted = it.written.test(now);
          if (counted) {
            world.post(it.then);
          }
          return counted;
        });
    connections.cibChanged(now);
    world.settle();
  }

  private List<String> known() {
    return entries(connections.runner().state());
  }

  private static List<String> entries(Element within) {
    var resource = Objects.requireNonNull(within.find(it -> it.is("lrm_resource")));
    return resource.children(HistoryEntry.ELEMENT).stream().map(it -> it.get("id", "")).sorted().toList();
  }

  /// The stop that has made it good is on record no more once the connection is begun again: the node was fenced for it a second time.
  @Test
  void aMoveThatFailedSomeTimeTellsOfNothingOnceTheConnectionIsBegunAgain() {
    reachable = false;
    for (var begins : List.of("start", "migrate_from")) {
      ask("migrate_to", 0); // while this member is not connected
      ask("stop", 0);
      assertEquals(List.of("far_last_0", "far_migrate_to_0"), known());
      changes.clear();
      ask(begins, 0);
      assertFalse(known().contains("far_migrate_to_0"), "while it is under way: " + known());
      world.pass(Duration.ofSeconds(30));
      assertFalse(known().contains("far_migrate_to_0"), known().toString());
      var cib = recordedOfMoves();
      for (var change : changes) {
        cib = CibUpdate.apply(cib, change, null).cib();
      }
      var left = entries(cib).stream().filter(it -> it.startsWith("far_migrate_to")).toList();
      assertEquals(List.of("far_migrate_to_1", "far_migrate_to_2"), left);
    }
  }

  /// A failed one, one that did not fail and one that is under way.
  private static Element recordedOfMoves() {
    return TestCib.xml(
        """
        <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0"><configuration><crm_config/><nodes/><resources/>
          <constraints/></configuration><status><node_state id="1" uname="node1"><lrm id="1"><lrm_resources><lrm_resource id="far">
          <lrm_rsc_op id="far_migrate_to_0" operation="migrate_to" op-status="4" rc-code="1"/>
          <lrm_rsc_op id="far_migrate_to_1" operation="migrate_to" op-status="0" rc-code="0"/>
          <lrm_rsc_op id="far_migrate_to_2" operation="migrate_to" op-status="-1" rc-code="193"/>
        </lrm_resource></lrm_resources></lrm></node_state></status></cib>
        """);
  }

  /// The node is well, and was fenced for it.
  @Test
  void aMemberThatCannotTakeAConnectionOverCountsThatAgainstItselfAndNotAgainstTheNode() {
    reachable = false;
    isAnothers("1700", "5a");
    ask("migrate_from", 0);
    world.pass(Duration.ofSeconds(21));
    var counted = deeds();
    assertEquals("fail-count-far#migrate_from_0 of node1 is INFINITY", counted.getFirst());
    var last = "last-failure-far#migrate_from_0 of node1 is ";
    assertTrue(counted.getLast().startsWith(last), counted.toString());
    isCounted("1"); // by an earlier failure
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), deeds());
    isCounted(counted.getLast().substring(last.length()));
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("moved in vain: " + MOVE, "refused far_migrate_from_0 on node1: refused by 10.0.0.9"), deeds());
    assertEquals(List.of(), connections.runner().knownResources());

    reachable = true;
    ask("migrate_from", 0);
    assertEquals("node1: far_migrate_from_0 rc 0", deeds().getLast());
  }

  @Test
  void aMemberDoesNotWaitForLongUntilAMoveThatDidNotComeAboutCounts() {
    reachable = false;
    isAnothers("1700", "5a");
    ask("migrate_from", 0);
    world.pass(Duration.ofSeconds(27));
    assertEquals("refused far_migrate_from_0 on node1: refused by 10.0.0.9", deeds().getLast());
  }

  /// The DC would wait until the action's time is over, hold it for failed, and have the node fenced, which is well.
  @Test
  void aMoveThatDoesNotComeAboutIsNotWaitedForWhereTheConnectionWasForgottenMeanwhile() {
    reachable = false;
    isAnothers("1700", "5a");
    ask("migrate_from", 0);
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    world.pass(Duration.ofSeconds(27));
    assertTrue(deeds().contains("refused far_migrate_from_0 on node1: refused by 10.0.0.9"));
  }

  /// Nobody is connected: it has failed.
  @Test
  void aMoveThatDoesNotComeAboutHasFailedWhereNobodyHasTheConnection() {
    reachable = false;
    isAnothers("0", "5a");
    ask("migrate_from", 0);
    world.pass(Duration.ofSeconds(21));
    assertEquals(List.of("node1: far_migrate_from_0 rc 1 refused by 10.0.0.9"), deeds());
  }

  /// The node is well, and was fenced: the CIB names the member still that has given the connection away.
  @Test
  void aConnectionThatIsLostWhileItIsTakenOverIsTriedAgain() {
    for (var comes : new boolean[] {true, false}) {
      isAnothers("1700", "5a");
      unanswered = true;
      ask("migrate_from", 0);
      opened.getLast().breaks();
      deeds();
      unanswered = false;
      reachable = comes;
      world.pass(Duration.ofSeconds(21));
      var done = deeds();
      assertTrue(done.contains(comes ? "node1: far_migrate_from_0 rc 0" : "fail-count-far#migrate_from_0 of node1 is INFINITY"), done.toString());
      assertFalse(done.stream().anyMatch(it -> it.contains("migrate_from_0 rc 1")), done.toString());
      ask("stop", 0);
      deeds();
    }
  }

  /// The executor has ended it, as nobody was connected for a minute, or is another one that does not say so. Nobody would
  /// look at the resource again.
  @Test
  void whatDoesNotRecurOnANodeThatIsTakenOverIsBegunAgain() {
    for (var there : new boolean[] {true, false}) {
      watches = there;
      isAnothers("1700", "5a");
      var entry = "<lrm_rsc_op id='db_monitor_10000' operation='monitor' interval='10000' op-status='%s' transition-key='%s' call-id='7'/>";
      var state = TestCib.xml(XmlWriter.compact(Objects.requireNonNull(cib)).replace(
          "executor=\"5a\"/>",
          "executor=\"5a\"><lrm id='far'><lrm_resources><lrm_resource id='db' class='ocf' provider='heartbeat' type='Dummy'>"
              + entry.formatted("0", KEY) + "</lrm_resource></lrm_resources></lrm></node_state>"));
      cib = state;
      ask("migrate_from", 0);
      var done = deeds();
      assertEquals(!there, done.contains("deleted db_monitor_10000"), done.toString());
      ask("stop", 0);
      deeds();

      cib = TestCib.xml(XmlWriter.compact(state).replace("op-status=\"0\"", "op-status=\"-1\""));
      ask("migrate_from", 0);
      assertFalse(deeds().contains("deleted db_monitor_10000"), "somebody waits for what comes of it");
      ask("stop", 0);
      deeds();
    }
  }

  /// Another one has it by now: this member does not go on.
  @Test
  void aConnectionThatAThirdMemberTakesMeanwhileIsNotTriedAgain() {
    isAnothers("1700", "5a");
    unanswered = true;
    ask("migrate_from", 0);
    opened.getLast().tell(RemoteXml.told(RemoteXml.newClient()));
    deeds();
    var before = attempts;
    reachable = false;
    world.pass(Duration.ofSeconds(10));
    assertEquals(before, attempts);
  }

  /// It hung, and was killed for that.
  @Test
  void anExecutorThatEndsWhileItIsAskedForASignOfLifeIsWaitedFor() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    deeds();
    answers = false;
    world.pass(Duration.ofSeconds(12));
    answers = true;
    opened.getLast().breaks();
    assertTrue(deeds().contains("up"));
    assertNotNull(connections.on(FAR));
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), deeds());

    answers = false;
    world.pass(Duration.ofSeconds(12));
    opened.getLast().breaks();
    assertEquals("node1: far_monitor_10000 rc 1 lost: reset", deeds().getLast(), "it was lost again at once");
  }

  /// It is written, and taken away again with all that is known of the node, perhaps in one change of the CIB, where nobody sees it. The DC may
  /// not have read it either where that it is written has been answered.
  @Test
  void aResultThatWasJustWrittenAsTheExecutorComesBackIsToldToTheDcDirectly() {
    for (var answered : List.of(true, false)) {
      returnsWithin = Duration.ofSeconds(15);
      start();
      askFar("monitor");
      deeds();
      unanswered = !answered;
      opened.getLast().tell(told("monitor", 0, KEY));
      assertEquals(List.of("far: db_monitor_0 rc 0"), deeds());
      opened.getLast().breaks();
      var direct = deeds().stream().filter(it -> it.startsWith("refused db_monitor_0")).toList();
      assertEquals(List.of("refused db_monitor_0 on far: "), direct);
      unanswered = false;
      ask("stop", 0);
      deeds();
      world.pass(ExecutorReturn.LIVES.plusSeconds(1));
    }
  }

  /// The other member could not take it over.
  @Test
  void aConnectionThatWasGivenAwayAndIsCountedOnAgainIsThisMembersAgain() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    ask("migrate_to", 0);
    ask("monitor", 10_000);
    deeds();
    opened.getLast().breaks();
    assertEquals("up", deeds().get(1), "its executor is waited for");
    assertNotNull(connections.on(FAR));
  }

  /// In maintenance, or without a monitor, nobody counts on it in words.
  @Test
  void aConnectionThatNobodyCouldTakeOverIsThisMembersAgain() {
    returnsWithin = Duration.ofSeconds(15);
    for (var move : List.of("3" + MOVE.substring(1), MOVE)) {
      ask("start", 0);
      ask("migrate_to", 0);
      deeds();
      cib =
          TestCib.xml(
              """
              <cib><status><node_state id="far" uname="far" remote_node="true" connection="node1" in_ccm="1700" moved_in_vain="%s"/></status></cib>
              """
                  .formatted(move));
      connections.cibChanged(cib);
      opened.getLast().breaks();
      assertEquals(move.equals(MOVE), deeds().contains("up"), "its executor is waited for");
    }
    assertNotNull(connections.on(FAR));
  }

  /// No monitor says so, as in maintenance, and nobody that the move was in vain.
  @Test
  void aConnectionThatWasGivenAwayToAMemberThatIsLostIsThisMembersAgain() {
    returnsWithin = Duration.ofSeconds(15);
    for (var lost : List.of(false, true)) {
      start();
      cib("true", "node1");
      ask("migrate_to", 0);
      var taker = "<status><node_state id=\"2\" uname=\"node2\" crmd=\"%s\"/>".formatted(lost ? "0" : "1700");
      cib = TestCib.xml(XmlWriter.compact(cib).replace("<status>", taker));
      connections.cibChanged(cib);
      deeds();
      opened.getLast().breaks();
      assertEquals(lost, deeds().contains("up"), "its executor is waited for");
    }
    assertNotNull(connections.on(FAR));
  }

  /// Its executor is there, whether it would come back or not.
  @Test
  void aConnectionThatAnotherMemberHadOnlyBegunToTakeOverIsMadeAnewAlsoWhereTheExecutorNeverComesBack() {
    for (var count = 0; count < 2; count++) {
      start();
      ask("monitor", 10_000);
      ask("migrate_to", 0);
      anotherConnects();
      deeds();
      ask("monitor", 10_000);
      assertTrue(deeds().contains("up"));
      assertNotNull(connections.on(FAR));
      assertEquals(List.of(), deeds().stream().filter(it -> it.contains("rc 1")).toList());
    }
    opened.getLast().breaks();
    assertTrue(deeds().contains("node1: far_monitor_10000 rc 1 lost: reset"), "nobody waits for it");
    assertNull(connections.on(FAR));
  }

  /// The node would refuse all that it is asked for.
  @Test
  void aConnectionThatAnotherMemberHadOnlyBegunToTakeOverIsMadeAnew() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    ask("monitor", 10_000);
    assertTrue(deeds().contains("up"));
    assertEquals(2, opened.size());
    askFar("start");
    opened.getLast().tell(told("db", "start", 0, KEY));
    assertEquals("far: db_start_0 rc 0", deeds().getLast());
  }

  @Test
  void aStartThatIsAskedForBeforeTheNewsOfItsResourceIsNotGivenUp() {
    reachable = false;
    hasConnections("other");
    ask("start", 0);
    hasConnections("other", "another");
    hasConnections("other", "another", "far");
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), deeds());
    reachable = true;
    world.pass(Duration.ofSeconds(2));
    assertTrue(deeds().contains("node1: far_start_0 rc 0"));
  }

  /// What it has done by then, the cluster has to end in order.
  @Test
  void aConnectionThatIsThereIsNotGivenUpAsItsResourceIsDeleted() {
    hasConnections("far");
    start();
    hasConnections("other");
    assertFalse(opened.getLast().closed);
    assertNotNull(connections.on(FAR));
  }

  @Test
  void aStartThatNeverComesAboutFailsWithWhatKeptItFromIt() {
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(25));
    assertEquals(
        List.of("node1: far_start_0 rc 1 refused by 10.0.0.9"), List.copyOf(new LinkedHashSet<>(deeds())));
    assertNull(connections.on(FAR));
  }

  /// The last attempt has only what is left of the time: that it was too little says nothing.
  @Test
  void aStartWhoseLastAttemptRunsOutOfTimeSaysWhatTheOnesBeforeFailedOf() {
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(15));
    reachable = true;
    answers = false;
    world.pass(Duration.ofSeconds(10));
    assertEquals(
        List.of("node1: far_start_0 rc 1 it did not answer in time; before: refused by 10.0.0.9"),
        deeds().stream().filter(it -> it.contains("far_start_0")).distinct().toList());
  }

  /// A second connection would take the node over from it as soon as both are through.
  @Test
  void aHostIsNotVisitedWhileItsConnectionIsBeingMade() {
    var requests = new HostRequests(world, this, connections, new AgentRuns(world));
    var answered = new ArrayList<PeerMessage.AgentRan>();
    answers = false;
    ask("start", 0);
    requests.run(new PeerMessage.RunAgent(1, FAR, null, "10.0.0.9", 3121, 6_000), answered::add);
    world.pass(Duration.ofSeconds(7));

    assertEquals(1, attempts);
    assertEquals(List.of(false), answered.stream().map(PeerMessage.AgentRan::reached).toList());
    assertFalse(requests.isVisiting(FAR));
  }

  /// Who asks would suspect a host that is taken out in order, as it does not know yet that it was.
  @Test
  void thatAHostHasNoConnectionIsToldOnceTheCibSaysThatItWasStopped() {
    var requests = new HostRequests(world, this, connections, new AgentRuns(world));
    var answered = new ArrayList<PeerMessage.AgentRan>();
    var state = "<cib><status><node_state id='far' uname='far' remote_node='true' in_ccm='%d' connection='node1'/></status></cib>";
    start();
    cib = TestCib.xml(state.formatted(5).replace('\'', '"'));
    unanswered = true;
    ask("stop", 0);
    requests.run(new PeerMessage.RunAgent(1, FAR, null, null, 0, 6_000), answered::add);
    world.pass(Duration.ofSeconds(1));
    assertEquals(0, answered.size());
    cib = TestCib.xml(state.formatted(0).replace('\'', '"'));
    world.pass(Duration.ofMillis(250));
    assertEquals(List.of(false), answered.stream().map(PeerMessage.AgentRan::reached).toList());

    cib = TestCib.xml(state.formatted(5).replace('\'', '"'));
    requests.run(new PeerMessage.RunAgent(2, FAR, null, null, 0, 6_000), answered::add);
    world.pass(Duration.ofMillis(6_300));
    assertEquals(2, answered.size(), "not for ever");
  }

  @Test
  void aLostConnectionIsAFailedMonitorAtOnceAndWhatWasUnderWayHasFailed() {
    start();
    ask("monitor", 10_000);
    askFar("stop");
    assertEquals(List.of("node1: far_monitor_10000 rc 0", "asked for db_stop"), deeds());
    opened.getLast().breaks();
    var told = deeds();
    assertTrue(
        told.contains("far: db_stop_0 rc 1 the connection to the remote node was lost: reset"),
        told.toString());
    assertTrue(told.contains("node1: far_monitor_10000 rc 1 lost: reset"), told.toString());
    assertTrue(
        Integer.parseInt(calls.getLast()) > Integer.parseInt(calls.get(1)),
        "the failure is the later call: " + calls);
    assertNull(connections.on(FAR));
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), deeds(), "told once");
  }

  @Test
  void anExecutorThatReturnsIsWaitedForAndWhatWasUnderWayCountsForNothing() {
    loseInTheMiddleOfAStop();
    world.pass(Duration.ofSeconds(11));
    askFar("start");
    ask("migrate_to", 0);
    assertEquals(List.of(MOVE_BEGINS), deeds(), "nothing has failed, and nobody is asked");
    reachable = true;
    world.pass(Duration.ofSeconds(2));
    assertEquals(
        List.of(
            "forget attributes of far",
            "up",
            "refused db_stop_0 on far: the executor of the remote node was lost, and is back",
            "refused db_start_0 on far: the remote node is not connected to node1",
            "node1: far_migrate_to_0 rc 0"),
        deeds());
    assertNotNull(connections.on(FAR));
  }

  private Map<String, String> parametersOf(int call) {
    return new OperationRequest(
            DB, AgentName.REMOTE, asked.get(call).operation(), 0, 0, 0, asked.get(call).parameters(), KEY)
        .ownParameters();
  }

  private void runsWith(String state) {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    started = List.of(new StartedResource(DB, db, Map.of("state", state)));
  }

  @Test
  void whatTheExecutorHasStartedIsLookedForAndStoppedWithTheParametersItWasStartedWith() {
    runsWith("old");
    start();
    askFar("monitor");
    assertEquals(Map.of("state", "old"), parametersOf(0));
    tellResult(0, 7);
    assertEquals(Map.of(), parametersOf(1), "those of the configuration come after");
    tellResult(1, 7);

    ask("stop", 0);
    start();
    askFar("monitor");
    tellResult(2, 0);
    askFar("stop");
    assertEquals(Map.of("state", "old"), parametersOf(3));
    assertEquals(4, asked.size());
  }

  /// The executor that was there as it was sent may be another one by now.
  @Test
  void whatWasMovedThereLiveBeforeThisMemberConnectedIsLookedForAsItWasSent() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    var sent = new LeftRunning.Resource(DB, db, Map.of("state", "sent"), new NodeName("node2"));
    connections.arrives(new NodeName("other"), new LeftRunning.Resource(DB, db, Map.of("state", "elsewhere"), new NodeName("node2")));
    connections.arrives(FAR, sent);
    start();
    askFar("monitor");
    assertEquals(Map.of("state", "sent"), parametersOf(0));
    tellResult(0, 0);

    ask("stop", 0);
    start();
    askFar("monitor");
    assertEquals(Map.of(), parametersOf(1), "an executor that knows nothing of it has seen it end");

    ask("stop", 0);
    connections.arrives(FAR, sent);
    runsWith("old");
    start();
    askFar("monitor");
    assertEquals(Map.of("state", "old"), parametersOf(2), "it was done with since");
  }

  /// The connection breaks before the executor has written that down, and another executor answers then.
  @Test
  void whatIsOnItsWayWhileTheConnectionBreaksIsLookedForAsItWasSent() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    start();
    connections.arrives(FAR, new LeftRunning.Resource(DB, db, Map.of("state", "sent"), new NodeName("node2")));
    opened.getLast().breaks();
    world.settle();
    ask("stop", 0);
    start();
    askFar("monitor");
    assertEquals(Map.of("state", "sent"), parametersOf(0));
  }

  /// As by a member that was connected in between. Pacemaker's executors do not tell with what they have started it since.
  @Test
  void whatWasMovedThereLongAgoIsNotLookedForAsItWasSent() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    configured("db");
    connections.arrives(FAR, new LeftRunning.Resource(DB, db, Map.of("state", "sent"), new NodeName("node2")));
    world.pass(Duration.ofMinutes(2));
    start();
    askFar("stop");
    assertEquals(Map.of(), parametersOf(0));
  }

  /// It says from where, and so that it may not have come yet.
  @Test
  void whatTheExecutorSaysIsOnItsWayIsLookedForAsItWasSentUntilItIsThere() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    started = List.of(new StartedResource(DB, db, Map.of("state", "sent"), new NodeName("node2")));
    start();
    for (var call : List.of(0, 2)) {
      askFar("monitor");
      assertEquals(Map.of("state", "sent"), parametersOf(call));
      tellResult(call, 7);
      assertEquals(Map.of(), parametersOf(call + 1));
      tellResult(call + 1, 7);
    }
  }

  private void configured(String... resources) {
    var all = Element.builder("resources");
    for (var each : resources) {
      all.add(Element.of("clone", "id", each + "-clone").plus(Element.of("primitive", "id", each)));
    }
    cib = Element.builder("cib").add(Element.of("configuration").plus(all.build())).build();
  }

  private List<String> askedForByItself() {
    return asked.stream().map(it -> it.resource() + " " + it.operation()).toList();
  }

  @Test
  void whatABundleMakesByItselfIsNotLookedForAsIfItWereNotConfigured() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    var made = List.of("box-docker-0", "box-docker-1", "box-ip-10.0.0.254", "box-ip-10.0.1.1");
    var others = List.of("box-docker-2", "box-docker-1a", "box-ip-10.0.1.2", "box-ip-1", "box-network-0", "box-podman-0", "other-docker-0");
    started =
        Stream.concat(made.stream(), others.stream())
            .map(it -> new StartedResource(new ResourceId(it), db, Map.of()))
            .toList();
    var docker = Element.of("docker", "replicas", "2");
    var box = Element.of("bundle", "id", "box").plus(docker).plus(Element.of("network", "ip-range-start", "10.0.0.254"));
    cib = Element.builder("cib").add(Element.of("configuration").plus(Element.of("resources").plus(box))).build();
    start();
    var looked = others.stream().map(it -> it + " monitor").collect(Collectors.toSet());
    assertEquals(looked, Set.copyOf(askedForByItself()), "a replica that the bundle has no more is removed, too");
  }

  /// Whoever is connected next looks again. A failure would have the node fenced.
  @Test
  void whatIsLookedForAsTheConnectionIsClosedHasNotFailed() {
    runsWith("old");
    configured("web");
    start();
    assertEquals(List.of("db monitor"), askedForByItself());
    deeds();
    ask("stop", 0);
    assertEquals(List.of(), deeds().stream().filter(it -> it.contains("db_monitor")).toList());
  }

  @Test
  void whatTheExecutorHasStartedAndIsNoLongerConfiguredIsLookedFor() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    started =
        List.of(
            new StartedResource(DB, db, Map.of("state", "old")),
            new StartedResource(new ResourceId("web:1"), db, Map.of()),
            new StartedResource(new ResourceId("st"), new AgentName("stonith", "", "fence_x"), Map.of()),
            new StartedResource(new ResourceId("other"), AgentName.REMOTE, Map.of()));
    configured("web");
    start();
    assertEquals(List.of("db monitor"), askedForByItself());
    assertEquals(Map.of("state", "old"), parametersOf(0));
    tellResult(0, 0);
    assertTrue(deeds().contains("far: db_monitor_0 rc 0"), "the DC has it stopped");
    askFar("stop");
    assertEquals(Map.of("state", "old"), parametersOf(1));
  }

  @Test
  void aHostThatSaysItHasStartedWhatNobodyKnowsIsAskedForSomeOfThatOnly() {
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    var lies = new ArrayList<StartedResource>();
    for (var count = 0; count < 2 * RemovedResources.LOOKS_MAX; count++) {
      lies.add(new StartedResource(new ResourceId("lie" + count), db, Map.of()));
    }
    started = lies;
    configured("db");
    start();
    assertEquals(RemovedResources.LOOKS_MAX, asked.size());
  }

  @Test
  void whatAHostSaysItHasStartedDoesNotGrowHoweverOftenItComesBack() {
    returnsWithin = Duration.ofSeconds(15);
    tellingRoom = new TellingRoom(6L << 20);
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    for (var life = 0; life < 5; life++) {
      started = List.of(new StartedResource(new ResourceId("lie" + life), db, Map.of("a", "x".repeat(3 << 20))));
      if (life == 0) {
        start();
      } else {
        opened.getLast().breaks();
      }
      world.pass(Duration.ofSeconds(90));
      assertFalse(opened.getLast().closed, "life " + life);
    }
  }

  @Test
  void whatAHostTellsCountsForAllAndWhoTellsMostIsCutOff() {
    tellingRoom = new TellingRoom(1L << 20);
    start();
    var length = 100_000;
    for (var count = 1; count <= 20 && !opened.getLast().closed; count++) {
      askFar("db" + count, "monitor", 0);
      tellResult(count - 1, 0, Map.of("filler", "x".repeat(length)));
      assertEquals(count > 5, opened.getLast().closed, "after " + count);
    }
    assertTrue(opened.getLast().closed);
  }

  @Test
  void anExecutorThatIsBackIsAskedForWhatTheOneBeforeHadStarted() {
    returnsWithin = Duration.ofSeconds(15);
    runsWith("old");
    start();
    started = List.of();
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(2));
    askFar("monitor");
    assertEquals(Map.of("state", "old"), parametersOf(0));
  }

  private void tellResult(int call, int rc) {
    tellResult(call, rc, asked.get(call).parameters());
  }

  private void tellResult(int call, int rc, Map<String, String> parameters) {
    var it = asked.get(call);
    var db = new AgentName("ocf", "heartbeat", "Dummy");
    var request =
        new OperationRequest(
            it.resource(), db, it.operation(), it.intervalMillis(), 0, 0, parameters, it.key());
    var result = OperationResult.made(request, Objects.requireNonNull(OcfCode.of(rc)), ExecStatus.DONE, "", 0).withCallId(7L + call);
    opened.getLast().tell(RemoteXml.told(RemoteXml.notice(result)));
    world.settle();
  }

  /// An executor that may return within 15 s is gone while something is being stopped there.
  private void loseInTheMiddleOfAStop() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    askFar("stop");
    deeds();
    reachable = false;
    opened.getLast().breaks();
  }

  @Test
  void anExecutorThatDoesNotReturnInTimeIsLost() {
    loseInTheMiddleOfAStop();
    world.pass(Duration.ofSeconds(13));
    assertEquals(List.of(), deeds());
    world.pass(Duration.ofSeconds(3));
    var told = deeds();
    assertTrue(
        told.contains("far: db_stop_0 rc 1 the connection to the remote node was lost: reset"),
        told.toString());
    assertTrue(
        told.contains("node1: far_monitor_10000 rc 1 lost: reset; again: refused by 10.0.0.9"),
        told.toString());
  }

  @Test
  void anExecutorThatDoesNotEndWhatTheOneBeforeLeftUnderWayHasNotReturned() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    askFar("start");
    deeds();
    returnsWithin = Duration.ZERO; // another daemon is started there, and the agent may run on
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(20));
    var told = deeds();
    assertFalse(told.contains("up"), told.toString());
    assertTrue(
        told.contains("far: db_start_0 rc 1 the connection to the remote node was lost: reset"),
        told.toString());
    assertTrue(told.getLast().startsWith("node1: far_monitor_10000 rc 1 lost: reset; again: "), told.toString());
    assertNull(connections.on(FAR));
  }

  @Test
  void anExecutorThatIsLostAgainAtOnceIsNotWaitedForAgain() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(2));
    deeds();
    opened.getLast().breaks();
    assertEquals(List.of("node1: far_monitor_10000 rc 1 lost: reset"), deeds());
  }

  @Test
  void oneThatLivesLongEnoughIsWaitedForAgain() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    opened.getLast().breaks();
    world.pass(ExecutorReturn.LIVES.plusSeconds(2));
    deeds();
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("forget attributes of far", "up"), deeds());
  }

  @Test
  void aHostMayNotHaveItselfWaitedForWithoutEnd() {
    returnsWithin = Duration.ofDays(1);
    start();
    ask("monitor", 10_000);
    deeds();
    reachable = false;
    opened.getLast().breaks();
    world.pass(ExecutorReturn.WITHIN_MAX.plusSeconds(1));
    assertEquals(
        List.of("node1: far_monitor_10000 rc 1 lost: reset; again: refused by 10.0.0.9"), deeds());
  }

  @Test
  void anExecutorThatDoesNotAnswerIsNotWaitedFor() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    deeds();
    answers = false;
    world.pass(Duration.ofSeconds(31));
    assertTrue(
        deeds().contains("node1: far_monitor_10000 rc 1 lost: the remote node did not answer"));
  }

  private void isFenced() {
    cib =
        TestCib.xml(
            "<cib><status><node_state id=\"far\" uname=\"far\" remote_node=\"true\" in_ccm=\"0\" node_fenced=\"9\" connection=\"node1\"/></status></cib>");
    connections.cibChanged(cib);
  }

  /// Somebody has had it fenced: what ran there can be started elsewhere at once.
  @Test
  void anExecutorOfANodeThatWasFencedIsNotWaitedFor() {
    loseInTheMiddleOfAStop();
    world.pass(Duration.ofSeconds(3));
    assertEquals(List.of(), deeds());
    isFenced();
    assertEquals(
        List.of("refused db_stop_0 on far: the remote node was fenced", "node1: far_monitor_10000 rc 1 lost: reset; the remote node was fenced"),
        deeds(),
        "the stop has not failed");
    reachable = true;
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), deeds(), "the cluster has it made anew, when it wants to");
    start();
    assertNotNull(connections.on(FAR));
  }

  @Test
  void aNodeThatWasFencedBeforeItsConnectionBreaksIsNotWaitedFor() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    askFar("stop");
    deeds();
    isFenced();
    assertEquals(List.of(), deeds());
    opened.getLast().breaks();
    assertEquals(
        List.of("refused db_stop_0 on far: the remote node was fenced", "node1: far_monitor_10000 rc 1 lost: reset"), deeds());
  }

  /// The CIB is told that it is connected after it was told of the fencing. It would be fenced again.
  @Test
  void anExecutorThatIsBackAlreadyWhenTheCibHearsThatTheNodeWasFencedIsTheOneAfterThat() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    deeds();
    reachable = false;
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(3));
    reachable = true;
    refusals = 1;
    world.pass(Duration.ofSeconds(1));
    deeds();
    isFenced();
    assertEquals(List.of(), deeds(), "it is not closed, and nothing has failed");
    world.pass(Duration.ofSeconds(2));
    assertTrue(deeds().contains("up"));
    assertNotNull(connections.on(FAR));
  }

  @Test
  void aStopEndsTheWaitingForAnExecutor() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    ask("monitor", 10_000);
    askFar("start");
    deeds();
    reachable = false;
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(3));
    ask("stop", 0);
    var told = deeds();
    assertEquals(
        "far: db_start_0 rc 1 the connection to the remote node was lost: reset", told.getFirst());
    assertEquals("node1: far_stop_0 rc 0", told.getLast());
    reachable = true;
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), deeds());
    assertNull(connections.on(FAR));
  }

  /// It goes on at the node when its resource is forgotten. The DC would hold it for failed when its time is over, and where that is a
  /// stop have the node fenced.
  @Test
  void whatWasForgottenAndIsLostWithTheConnectionIsNotWaitedFor() {
    returnsWithin = Duration.ofSeconds(15);
    start();
    askFar("stop");
    busy = true;
    connections.on(FAR).forget(List.of(DB), _ -> {});
    deeds();
    opened.getLast().breaks();
    assertTrue(deeds().contains("refused db_stop_0 on far: the executor of the remote node was lost, and is back"));

    askFar("stop");
    connections.on(FAR).forget(List.of(DB), _ -> {});
    tellResult(1, 0);
    deeds();
    world.pass(Duration.ofMinutes(2));
    opened.getLast().breaks();
    assertFalse(deeds().stream().anyMatch(it -> it.contains("db_stop_0")), "it has ended");
  }

  /// Only its first result is waited for, or that it was cancelled.
  @Test
  void aMonitorThatWasForgottenAndIsLostWithTheConnectionIsNotWaitedFor() {
    for (var known : List.of(false, true)) {
      start();
      askFar("monitor", 10_000);
      if (known) {
        tellResult(asked.size() - 1, 0);
      }
      busy = true;
      connections.on(FAR).forget(List.of(DB), _ -> {});
      deeds();
      opened.getLast().breaks();
      assertEquals(!known, deeds().contains("refused db_monitor_10000 on far: the connection to the remote node was lost: reset"), "known: " + known);
    }
  }

  /// The other member hears of the end only of what the node has taken.
  @Test
  void whatWasForgottenAndIsLostWhileTheNodeIsHandedOnIsNotWaitedFor() {
    for (var noticed : List.of(false, true)) {
      for (var taken : List.of(false, true)) {
        start();
        answers = taken;
        askFar("stop");
        answers = true;
        busy = true;
        Objects.requireNonNull(connections.on(FAR)).forget(List.of(DB), _ -> {});
        ask("migrate_to", 0);
        if (noticed) {
          anotherConnects();
        }
        deeds();
        opened.getLast().breaks();
        takenByNode2();
        assertEquals(!(noticed && taken), deeds().contains("refused db_stop_0 on far" + UNHEARD), noticed + ", " + taken);
        cib = null;
        isTaken = false;
      }
    }
  }

  @Test
  void whatWasForgottenAndIsRefusedAsTheNodeIsHandedOnIsNotWaitedFor() {
    start();
    slow = true;
    askFar("start");
    Objects.requireNonNull(connections.on(FAR)).forget(List.of(DB), _ -> {});
    ask("migrate_to", 0);
    anotherConnects();
    late.forEach(Runnable::run);
    deeds();
    takenByNode2();
    assertTrue(deeds().contains("refused db_start_0 on far: the remote node was handed on to another member"));
  }

  @Test
  void aMonitorWhoseFirstResultIsLostWithTheConnectionIsNotWaitedFor() {
    start();
    askFar("monitor", 10_000);
    assertEquals(List.of("asked for db_monitor"), deeds());
    opened.getLast().breaks();
    var told = deeds();
    assertTrue(
        told.contains(
            "refused db_monitor_10000 on far: the connection to the remote node was lost: reset"),
        told.toString());
  }

  @Test
  void aMonitorThatIsForgottenBeforeItsFirstResultIsNotWaitedFor() {
    start();
    answers = false;
    ask("monitor", 10_000);
    deeds();
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    assertTrue(deeds().contains("refused far_monitor_10000 on node1: "), "the DC waits for it");
  }

  @Test
  void aNodeThatDoesNotAnswerFailsItsMonitor() {
    start();
    ask("monitor", 10_000);
    deeds();
    answers = false;
    world.pass(Duration.ofSeconds(31));
    assertEquals(
        List.of("closed", "node1: far_monitor_10000 rc 1 lost: the remote node did not answer"),
        List.copyOf(new LinkedHashSet<>(deeds())));
  }

  @Test
  void aStopClosesTheConnectionAndSaysSo() {
    start();
    ask("stop", 0);
    assertEquals(
        List.of("closed", "forget attributes of far", "down", "node1: far_stop_0 rc 0"), deeds());
  }

  @Test
  void aNodeThatAnotherMemberHasTakenOverIsNotSaidToBeDown() {
    start();
    ask("monitor", 10_000);
    ask("migrate_to", 0);
    deeds();
    anotherConnects();
    assertEquals(List.of(), deeds());
    ask("stop", 0);
    assertEquals(List.of("closed", "node1: far_stop_0 rc 0"), deeds());
  }

  /// Its attributes would be lost, and the node be one that nobody has closed the connection to in order.
  @Test
  void aNodeThatAnotherMemberHasTakenOverIsNotSaidToBeDownWhereTheConnectionWasForgottenMeanwhile() {
    start();
    ask("migrate_to", 0);
    takenByNode2();
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    deeds();
    ask("stop", 0);
    assertEquals(List.of("node1: far_stop_0 rc 0"), deeds());
  }

  private void anotherConnects() {
    opened.getLast().tell(RemoteXml.told(RemoteXml.newClient()));
  }

  /// What the node is asked for reaches it when another member has connected.
  private void refusedWhileHandedOn() {
    start();
    slow = true;
    askFar("start");
    ask("migrate_to", 0);
    anotherConnects();
    late.forEach(Runnable::run);
    deeds();
  }

  private void takenByNode2() {
    isTaken = true;
    cib = TestCib.xml("<cib><status><node_state id='far' uname='far' remote_node='true' connection='node2'/></status></cib>".replace('\'', '"'));
    connections.cibChanged(cib);
    world.settle();
  }

  /// The DC would wait for it until its time is over.
  @Test
  void whatTheNodeRefusesAsItWasHandedOnWasNotDone() {
    refusedWhileHandedOn();
    takenByNode2();
    assertEquals(
        List.of("refused db_start_0 on far: the remote node was handed on to another member", "closed"), deeds());
  }

  /// It has heard of the other member by the CIB first.
  @Test
  void aMemberThatHasHandedANodeOnListensUntilItHasHeardAll() {
    start();
    slow = true;
    askFar("start");
    ask("migrate_to", 0);
    answers = false;
    deeds();
    takenByNode2();
    assertEquals(List.of(), deeds());
    late.forEach(Runnable::run);
    assertEquals(List.of("refused db_start_0 on far: the remote node was handed on to another member"), deeds());
    ask("stop", 0);
    assertEquals(List.of(), deeds(), "the node has not answered");
    world.pass(Duration.ofSeconds(11));
    assertEquals(List.of("closed", "node1: far_stop_0 rc 0"), deeds());
  }

  /// As by the next DC, while the first stop waits for the node's last words.
  @Test
  void aNodeThatAnotherMemberHasTakenOverIsNotSaidToBeDownWhereItIsAskedToStopTwice() {
    start();
    slow = true;
    askFar("start");
    ask("migrate_to", 0);
    answers = false;
    takenByNode2();
    ask("stop", 0);
    deeds();
    ask("stop", 0);
    world.pass(Duration.ofSeconds(11));
    var deeds = deeds();
    assertFalse(deeds.contains("down"), deeds.toString());
    assertTrue(deeds.contains("node1: far_stop_0 rc 0"), deeds.toString());
  }

  @Test
  void aResultThatEndsWhileTheNodeIsHandedOnIsRecordedUnlessTheOtherMemberHasIt() {
    start();
    askFar("start");
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    tellResult(0, 0);
    assertEquals(List.of("far: db_start_0 rc 0"), deeds());
  }

  /// What is under way there the other member hears of. A stop that had failed would have the node fenced.
  @Test
  void aConnectionThatIsLostWhileItIsHandedOnFailsNothing() {
    start();
    askFar("stop");
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    opened.getLast().breaks();
    assertEquals(List.of(), deeds());
  }

  private static final String UNHEARD = ": the connection to the remote node was lost while it was handed on";

  /// It was written into the connection, and never read at the other end: the DC would wait until its time is over.
  @Test
  void whatTheNodeHadNotTakenWhenTheConnectionIsLostThatIsHandedOnIsSaidToBeUnknown() {
    start();
    askFar("start");
    answers = false;
    askFar("other", "stop", 0);
    askFar("third", "monitor", 10_000);
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    opened.getLast().breaks();
    assertEquals(List.of(), deeds(), "the DC cannot ask the other member yet");
    takenByNode2();
    assertEquals(
        List.of("refused other_stop_0 on far" + UNHEARD, "refused third_monitor_10000 on far" + UNHEARD),
        deeds(),
        "of the start, which the node has taken, the other one hears");
    assertEquals(Set.of(OcfCode.NONE.number()), refusedWith, "it may have been done");
  }

  /// Its line to the node was cut for a moment. The other member hears of what has ended since it connected.
  @Test
  void whatHasEndedBeforeAnotherMemberConnectedAndIsHeardOfTooLateIsSaidToBeUnknown() {
    for (var noticed : List.of(false, true)) {
      start();
      askFar("stop");
      ask("migrate_to", 0);
      answers = false;
      if (noticed) {
        anotherConnects();
      }
      deeds();
      takenByNode2();
      deeds();
      tellResult(asked.size() - 1, 0);
      assertEquals(
          noticed ? List.of() : List.of("refused db_stop_0 on far: its end was heard of when the remote node was handed on"), deeds(), "noticed: " + noticed);
      opened.getLast().breaks();
      deeds();
      answers = true;
      cib = null;
      isTaken = false;
    }
    assertEquals(Set.of(OcfCode.NONE.number()), refusedWith, "who has the node by now is asked for it");
  }

  /// The other member may be lost before the CIB names it, and nobody would tell of anything.
  @Test
  void whatIsLostAfterAnotherMemberHasConnectedIsNotThatOnesBeforeTheCibSaysSo() {
    start();
    answers = false;
    askFar("start");
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(29));
    assertEquals(List.of(), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(LOST.getFirst().replace("stop", "start"), LOST.getLast()), told());
  }

  @Test
  void aNodeThatHasHandedOnAndAnswersNoMoreLeavesNobodyWaiting() {
    start();
    answers = false;
    askFar("start");
    askFar("other", "delete", 0);
    ask("migrate_to", 0);
    takenByNode2();
    assertEquals(List.of(MOVE_BEGINS, "node1: far_migrate_to_0 rc 0"), deeds());
    world.pass(Duration.ofSeconds(11));
    assertEquals(
        List.of("closed", "refused db_start_0 on far" + UNHEARD, "refused other_delete_0 on far: the remote node was handed on to another member"),
        deeds().stream().sorted().toList());
  }

  /// The node is well, and tells the other member of the end of what is under way there. A failure that was told would stay.
  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayFailsNothingWhereAnotherMemberTakesIt() {
    start();
    askFar("stop");
    ask("migrate_to", 0);
    deeds();
    opened.getLast().breaks();
    world.settle();
    askFar("other", "start", 0);
    world.pass(Duration.ofSeconds(25));
    assertEquals(List.of(), deeds(), "the other member may be about to connect");
    takenByNode2();
    assertEquals(
        List.of("refused db_stop_0 on far" + UNHEARD, "refused other_start_0 on far: the remote node is not connected to node1"),
        deeds().stream().sorted().toList(),
        "the node may have told this one that it has ended");
    world.pass(Duration.ofMinutes(2));
    assertEquals(List.of(), deeds());
    var history = XmlWriter.compact(connections.runner().state());
    assertFalse(history.contains("far_last_failure_0"), history);
    ask("monitor", 0);
    assertEquals(List.of("node1: far_monitor_0 rc 7"), deeds(), "what is asked of it is told nonetheless");
  }

  /// Who has it by now may have been lost before it could say so, and the cluster goes by what is known of this one. Told that it has failed
  /// it would have the node fenced.
  @Test
  void aConnectionThatWasTakenOverHasNotFailedWhereTheClusterCountsOnItStill() {
    for (var what : List.of("migrate_to", "monitor")) {
      start();
      ask("migrate_to", 0);
      deeds();
      takenByNode2();
      deeds();
      var interval = what.equals("monitor") ? 10_000 : 0;
      ask(what, interval);
      assertEquals(
          List.of("refused far_%s_%d on node1: another member has taken the connection over".formatted(what, interval)),
          deeds().stream().filter(it -> !it.endsWith(": ") && !it.equals(MOVE_BEGINS)).toList(),
          "and once more what is known");
      assertEquals(List.of(), connections.runner().knownResources());
      isTaken = false;
      ask("start", 0);
      assertTrue(deeds().contains("up"));
      ask("stop", 0);
      cib = null;
    }
  }

  /// It is recorded before it begins, also where nothing else is.
  private static final String MOVE_BEGINS = "node1: far_migrate_to_0 rc 193";

  private static final List<String> LOST =
      List.of("far: db_stop_0 rc 1 the connection to the remote node was lost: reset", "node1: far_asyncmon_0 rc 1 Simulated failure");

  private List<String> told() {
    return deeds().stream().filter(it -> !it.startsWith("refused far_migrate_to")).sorted().toList();
  }

  private void loseWhatIsGivenAway() {
    loseWhatIsGivenAway("60s");
  }

  private void loseWhatIsGivenAway(String clusterDelay) {
    start();
    askFar("stop");
    cib("true", "node1");
    var set = "<cluster_property_set id=\"o\">";
    var written = XmlWriter.compact(cib);
    assertTrue(written.contains(set), written);
    cib = TestCib.xml(written.replace(set, set + "<nvpair id=\"o-d\" name=\"cluster-delay\" value=\"%s\"/>".formatted(clusterDelay)));
    connections.cibChanged(cib);
    ask("migrate_to", 0);
    deeds();
    opened.getLast().breaks();
    assertEquals(List.of(), deeds());
  }

  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayHasFailedWhereNobodyTakesItInTime() {
    loseWhatIsGivenAway();
    world.pass(Duration.ofSeconds(29));
    assertEquals(List.of(), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(LOST, told(), "the DC waits for the cluster-delay, 60 s, beyond the time of the stop");

    loseWhatIsGivenAway("20s");
    world.pass(Duration.ofSeconds(9));
    assertEquals(List.of(), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(LOST, told());
  }

  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayIsWaitedForLongerWhereNothingIsUnderWay() {
    start();
    ask("migrate_to", 0);
    deeds();
    opened.getLast().breaks();
    world.pass(GivingAway.PATIENCE.minusSeconds(1));
    assertEquals(List.of(), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(LOST.getLast()), told());
  }

  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayHasFailedAsSoonAsItIsClearThatNobodyTakesIt() {
    loseWhatIsGivenAway();
    cib = TestCib.xml(XmlWriter.compact(cib).replace(" connection=", " moved_in_vain=\"" + MOVE + "\" connection="));
    connections.cibChanged(cib);
    assertEquals(LOST, told(), "it was tried in vain");

    loseWhatIsGivenAway();
    cib = TestCib.xml(XmlWriter.compact(cib).replace("<status>", "<status><node_state id=\"2\" uname=\"node2\" crmd=\"0\"/>"));
    connections.cibChanged(cib);
    assertEquals(LOST, told(), "the other member is lost");

    loseWhatIsGivenAway();
    ask("monitor", 10_000);
    assertEquals(List.of(LOST.getFirst(), "node1: far_monitor_10000 rc 1 lost: reset"), told(), "the cluster counts on it; it is told once");
    ask("stop", 0);
  }

  /// What the cluster does next takes the place of what was under way. Another member may have the node by then.
  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayAndIsStoppedOrMadeAnewLeavesNothingUnderWay() {
    for (var next : List.of("stop", "start", "migrate_from")) {
      for (var taken : List.of(false, true)) {
        loseWhatIsGivenAway();
        isTaken = taken;
        ask(next, 0);
        world.pass(Duration.ofSeconds(2)); // it waits to read the CIB
        isTaken = false;
        var deeds = deeds();
        var db = taken ? "refused db_stop_0 on far" + UNHEARD : LOST.getFirst();
        assertTrue(deeds.contains(db), next + ": " + deeds);
        assertTrue(deeds.contains("node1: far_" + next + "_0 rc 0"), deeds.toString());
        assertEquals(next.equals("stop") && !taken, deeds.contains("down"), deeds.toString());
        world.pass(GivingAway.PATIENCE.plusSeconds(1));
        assertEquals(List.of(), deeds());
        ask("stop", 0);
        deeds();
      }
    }
  }

  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayIsNotForgottenWithItsHistory() {
    loseWhatIsGivenAway();
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    deeds();
    world.pass(GivingAway.PATIENCE.plusSeconds(1));
    assertEquals(LOST, told());
  }

  /// What was under way has ended with it.
  @Test
  void aConnectionThatIsLostAfterItWasGivenAwayIsNotWaitedForOnceItsNodeWasFenced() {
    loseWhatIsGivenAway();
    cib = TestCib.xml("<cib><status><node_state id='far' uname='far' remote_node='true' in_ccm='0' node_fenced='5'/></status></cib>".replace('\'', '"'));
    connections.cibChanged(cib);
    assertEquals(List.of("node1: far_asyncmon_0 rc 1 Simulated failure", "refused db_stop_0 on far: the remote node was fenced"), told());
  }

  /// Nobody else can have the connection any more; the executor may only have been killed meanwhile.
  @Test
  void anExecutorThatIsKilledWhileItsConnectionIsMovedInVainIsWaitedForAfterwards() {
    returnsWithin = Duration.ofSeconds(15);
    loseWhatIsGivenAway();
    cib = TestCib.xml(XmlWriter.compact(cib).replace(" connection=", " moved_in_vain=\"" + MOVE + "\" connection="));
    connections.cibChanged(cib);
    assertEquals(
        List.of("forget attributes of far", "refused db_stop_0 on far: the executor of the remote node was lost, and is back", "up"), told());
    assertNotNull(connections.on(FAR));
  }

  /// Nobody else knows of it, until the connection is stopped or made again.
  @Test
  void aConnectionThatIsLostWithItsNodeAfterItWasGivenAwayHasFailedOnceTheCibCanBeChanged() {
    for (var stopped : new boolean[] {false, true}) {
      start();
      cib = TestCib.xml("<cib><status><node_state id='far' uname='far' remote_node='true' connection='node1' node_fenced='5'/></status></cib>".replace('\'', '"'));
      ask("migrate_to", 0);
      deeds();
      refusals = 2;
      opened.getLast().breaks();
      assertEquals("not written", deeds().getLast());
      if (stopped) {
        ask("stop", 0);
        deeds();
      }
      world.pass(Duration.ofSeconds(3));
      assertEquals(stopped ? List.of() : List.of("not written", "node1: far_asyncmon_0 rc 1 Simulated failure"), deeds());
      assertEquals(!stopped, XmlWriter.compact(connections.runner().state()).contains("far_last_failure_0"));
      ask("stop", 0);
    }
  }

  /// The monitor runs just now, so that the node tells of its end later.
  @Test
  void aMonitorThatIsBeingCancelledWhenTheNodeIsHandedOnIsNotWaitedFor() {
    start();
    askFar("monitor", 10_000);
    tellResult(0, 0);
    deeds();
    askFar("cancel", 10_000);
    assertEquals(List.of(), deeds());
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    takenByNode2();
    assertEquals(List.of("closed", "refused db_cancel_0 on far: "), deeds().stream().sorted().toList());
  }

  /// It could make the cluster believe so of another node's connection.
  @Test
  void aNodeThatIsTakenOverCannotSayThatItHasWhatOnlyMembersHave() {
    ask("migrate_from", 0);
    deeds();
    opened.getLast().tell(told("db", "start", 0, KEY));
    assertEquals(List.of("far: db_start_0 rc 0"), deeds());
    saidOfAll = AgentName.REMOTE;
    opened.getLast().tell(told("other", "start", 0, KEY));
    assertEquals(List.of(), deeds());
    saidOfAll = new AgentName("stonith", "", "fence_x");
    opened.getLast().tell(told("st", "start", 0, KEY));
    assertEquals(List.of(), deeds());
  }

  /// A failure that comes after a success must not be taken for the earlier.
  @Test
  void whatANodeThatIsTakenOverTellsOfAResourceIsHeardInOrderAlthoughItsAgentIsAskedForFirst() {
    ask("migrate_from", 0);
    slow = true;
    opened.getLast().tell(told("start", 0, KEY));
    opened.getLast().tell(told("monitor", 10_000, KEY));
    world.settle();
    late.removeFirst().run();
    opened.getLast().tell(told("stop", 0, KEY));
    world.settle();
    late.forEach(Runnable::run);
    var told = deeds();
    assertEquals(
        List.of("far: db_start_0 rc 0", "far: db_monitor_10000 rc 0", "far: db_stop_0 rc 0"),
        told.subList(told.size() - 3, told.size()));
  }

  /// A node that says nothing of the agents could have this member keep gigabytes.
  @Test
  void aNodeThatTellsWithoutEndOfWhatItsAgentIsAskedForIsCutOff() {
    ask("migrate_from", 0);
    slow = true;
    deeds();
    for (var at = 0; at < 20; at++) {
      opened.getLast().tell(told("db" + at % 2, "monitor", 10_000, "x".repeat(1 << 20)));
    }
    world.settle();
    assertTrue(deeds().contains("closed"));
    assertNull(connections.on(FAR));
  }

  /// What is no whole result is not counted otherwise, and its names are kept.
  @Test
  void aNodeThatMakesUpLongNamesOfWhatOthersHaveNamedIsCutOff() {
    ask("migrate_from", 0);
    deeds();
    for (var at = 0; at < 20; at++) {
      var name = at + "x".repeat(100_000);
      opened.getLast().tell(told(name, "monitor", 10_000, "").without("lrmd_exec_rc"));
      assertEquals(at >= 10, deeds().contains("closed"), "after " + at);
      if (at >= 10) {
        break;
      }
    }
    assertNull(connections.on(FAR));
  }

  /// Nobody else knows of it.
  @Test
  void whatIsLookedForAndFoundIsRecordedThoughItWasForgottenMeanwhile() {
    runsWith("old");
    configured("web");
    start();
    assertEquals(List.of("db monitor"), askedForByItself());
    busy = true;
    Objects.requireNonNull(connections.on(FAR)).forget(List.of(DB), _ -> {});
    deeds();
    tellResult(0, 0);
    assertEquals(List.of("far: db_monitor_0 rc 0"), deeds());
  }

  @Test
  void whatIsAskedWhileTheNodeIsHandedOnIsRefusedOnceTheDcCanAskTheOtherMember() {
    start();
    ask("migrate_to", 0);
    anotherConnects();
    deeds();
    askFar("start");
    assertEquals(List.of(), deeds());
    takenByNode2();
    assertEquals(
        List.of("refused db_start_0 on far: the remote node is not connected to node1", "closed"),
        deeds().stream().sorted(Comparator.reverseOrder()).toList());
  }

  @Test
  void theDcIsNotKeptWaitingWhereTheOtherMemberNeverTellsThatItHasTheNode() {
    refusedWhileHandedOn();
    world.pass(HandOver.PATIENCE.plusSeconds(1));
    assertEquals(List.of("refused db_start_0 on far: the remote node was handed on to another member"), deeds());
  }

  @Test
  void theCibTellsOfTheOtherMemberToo() {
    start();
    ask("migrate_to", 0);
    deeds();
    cib =
        TestCib.xml(
            "<cib><status><node_state id=\"far\" uname=\"far\" remote_node=\"true\""
                + " connection=\"node2\"/></status></cib>");
    ask("stop", 0);
    assertEquals(List.of("closed", "node1: far_stop_0 rc 0"), deeds());
  }

  @Test
  void aMigrationThatNobodyTookUpEndsAsAStop() {
    start();
    ask("migrate_to", 0);
    deeds();
    ask("stop", 0);
    assertTrue(deeds().contains("down"));
  }

  @Test
  void aStopThatComesBeforeTheNewsOfTheOtherMemberSaysNothing() {
    start();
    ask("migrate_to", 0);
    deeds();
    isTaken = true;
    ask("stop", 0);
    assertEquals(List.of("closed", "node1: far_stop_0 rc 0"), deeds());
  }

  /// An exception would end the controller, and with it all connections of this member.
  @Test
  void noResultHoweverOddEndsTheController() {
    start();
    ask("monitor", 10_000);
    askFar("start");
    var random = new SplittableRandom(Long.getLong("fuzz.seed", 5));
    var odd = List.of("", "-1", "7", "2147483648", "9".repeat(30), "a b", "x".repeat(5_000), "1:2:0:x");
    for (var count = 0; count < 20_000; count++) {
      var message =
          Element.of(
              random.nextInt(3) == 0 ? "lrmd_reply" : "lrmd_notify",
              "lrmd_op", random.nextInt(9) == 0 ? "lrmd_rsc_poke" : "lrmd_rsc_exec",
              "lrmd_rsc_id", random.nextInt(4) == 0 ? "far" : "db",
              "lrmd_rsc_action", random.nextBoolean() ? "monitor" : "start",
              "lrmd_rsc_interval", random.nextBoolean() ? "0" : "10000",
              "lrmd_callid", "" + random.nextInt(12),
              "lrmd_rc", "" + random.nextInt(-5, 9),
              "lrmd_exec_rc", "" + random.nextInt(-1, 200),
              "lrmd_exec_op_status", "" + random.nextInt(-2, 16),
              "lrmd_rsc_deleted", "" + random.nextInt(2),
              "lrmd_run_time", "" + random.nextLong(),
              "lrmd_exec_time", "" + random.nextInt(),
              "lrmd_rsc_userdata_str", random.nextBoolean() ? KEY : "");
      for (var times = random.nextInt(3); times > 0; times--) {
        var name = message.attributeName(random.nextInt(message.attributeCount()));
        message = message.with(name, odd.get(random.nextInt(odd.size())));
      }
      opened
          .getLast()
          .tell(
              message.is("lrmd_reply")
                  ? RemoteXml.reply(message, random.nextInt(30))
                  : RemoteXml.told(message));
      world.settle();
    }
    ask("stop", 0);
    assertTrue(deeds().stream().anyMatch(it -> it.startsWith("node1: far_stop_0")));
  }

  private static final String STRANGER = "node1: far_monitor_10000 rc 1 lost: another member has connected to the node";

  /// The CIB has time to name it.
  @Test
  void aStrangerThatConnectsIsALoss() {
    start();
    ask("monitor", 10_000);
    deeds();
    anotherConnects();
    assertEquals(List.of("closed"), deeds());
    world.pass(Duration.ofSeconds(6));
    assertEquals(List.of(STRANGER), deeds());
  }

  /// What is known of the connection is cleaned up as this member has just taken it over, and the member before is asked for it. This one
  /// never reads that it had it.
  @Test
  void whoHasTheNodeAnewIsNotTakenForWhoHadItBefore() {
    for (var since : List.of(5, 9, 0)) {
      var node2 = "<cib><status><node_state id='far' uname='far' remote_node='true' in_ccm='%d' connection='node2'/></status></cib>";
      cib = TestCib.xml(node2.formatted(5));
      start();
      ask("monitor", 10_000);
      deeds();
      cib = TestCib.xml(node2.formatted(since));
      connections.cibChanged(cib);
      anotherConnects();
      world.pass(Duration.ofSeconds(6));
      assertEquals(since != 9, deeds().contains(STRANGER), "since " + since);
      ask("stop", 0);
      deeds();
    }
  }

  /// The node may be removed by then, and would be fenced as one of which nothing is known but that.
  @Test
  void aStopDuringWhichAllIsRefreshedIsToldToTheDcAndLeavesNothing() {
    start();
    refusals = 1;
    ask("stop", 0);
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    refreshed = true;
    deeds();
    world.pass(Duration.ofSeconds(3));
    assertEquals(List.of("down", "refused far_stop_0 on node1: "), deeds());
    assertEquals(Set.of(OcfCode.OK.number()), refusedWith, "it has ended well");
    assertFalse(knowsOfTheConnection());
  }

  /// The member that had asked for it was lost as it gave the node away: nobody would ever do anything with the resource.
  @Test
  void whatIsBeingMigratedAwayAndNobodyHearsOfIsLookedForByWhoTakesTheNodeOver() {
    var resources = "<resources><primitive id='far' class='ocf' provider='pacemaker' type='remote'/></resources>";
    var begun =
        """
        <cib><configuration>%s</configuration><status>
          <node_state id='3' uname='node3'><lrm id='3'><lrm_resources><lrm_resource id='db' class='ocf' provider='heartbeat' type='Dummy'>
            <lrm_rsc_op id='db_last_0' operation='monitor' interval='0' call-id='5' rc-code='7' op-status='0'/></lrm_resource></lrm_resources></lrm></node_state>
          <node_state id='far' uname='far' remote_node='true' in_ccm='1700' connection='node2'><lrm id='far'><lrm_resources>
          <lrm_resource id='db' class='ocf' provider='heartbeat' type='Dummy'>
            <lrm_rsc_op id='db_last_0' operation='start' interval='0' call-id='6' rc-code='0' op-status='0'/>
            <lrm_rsc_op id='db_migrate_to_0' operation='migrate_to' interval='0' migrate_target='node3' transition-key='%s' call-id='-1' rc-code='193' op-status='-1'/>
          </lrm_resource></lrm_resources></lrm></node_state></status></cib>
        """
            .formatted(resources, KEY);
    for (var each : new String[] {"", KEY, null, "asked for since"}) {
      underWay = "asked for since".equals(each) ? "" : each; // it has not reached the executor as that answers
      cib = TestCib.xml(begun.replace(KEY, "9" + KEY).replace("'-1'/>", "'0'/>"));
      ask("migrate_from", 0);
      if ("asked for since".equals(each)) {
        askFar("migrate_to");
      }
      deeds();
      changes.clear();
      cib = TestCib.xml(begun); // as who had the node has recorded it by now
      world.pass(UnheardMigrations.AFTER.minusSeconds(1));
      assertEquals(List.of(), changes, "who had the node may still record it");
      world.pass(Duration.ofSeconds(2));
      var deleted = new ArrayList<String>();
      changes.forEach(it -> it.forEach(op -> deleted.add(op.section())));
      for (var id : List.of("far", "3")) {
        assertEquals("".equals(each), deleted.contains("//node_state[@id='%s']/lrm/lrm_resources/lrm_resource[@id='db']".formatted(id)), each + ": " + deleted);
      }
      ask("stop", 0);
      deeds();
    }
  }

  /// Two nodes are parted, and each has quorum.
  private void node2Is(String expected, boolean quorum) {
    cib =
        TestCib.xml(
            """
            <cib have-quorum="%d"><status><node_state id="2" uname="node2" in_ccm="0" crmd="0" expected="%s"/>
              <node_state id="far" uname="far" remote_node="true" in_ccm="1700" connection="node1"/></status></cib>"""
                .formatted(quorum ? 1 : 0, expected));
    connections.cibChanged(cib);
    world.settle();
  }

  private void overtakenByNode2(boolean quorum) {
    node2Is("member", quorum);
    start();
    ask("monitor", 10_000);
    askFar("stop");
    deeds();
    anotherConnects();
    assertEquals(List.of("closed"), deeds());
  }

  /// The node is well, and would be fenced for the time that the fencing of the other member takes. Before that is over both would use it.
  @Test
  void whoWasOvertakenByAMemberThatIsFencedConnectsAgainThen() {
    for (var seconds : List.of(1, 20)) {
      overtakenByNode2(true);
      var before = attempts;
      world.pass(Duration.ofSeconds(seconds));
      askFar("start");
      assertEquals(List.of(), deeds(), "after " + seconds);
      assertEquals(before, attempts);
      node2Is("down", true);
      world.pass(Duration.ofSeconds(5));
      assertEquals(before + 1, attempts);
      var told = deeds();
      assertTrue(told.contains("up"), told.toString());
      assertTrue(told.contains("refused db_stop_0 on far: the connection to the remote node was made anew"), told.toString());
      assertTrue(told.contains("refused db_start_0 on far: the remote node is not connected to node1"), told.toString());
      assertEquals(List.of(), told.stream().filter(it -> it.contains(" rc 1")).toList());
      ask("stop", 0);
      deeds();
    }
  }

  @Test
  void whoWasOvertakenByAMemberThatIsNotFencedNeverConnectsAgainByItself() {
    for (var quorum : List.of(true, false)) {
      overtakenByNode2(quorum);
      var before = attempts;
      world.pass(Duration.ofSeconds(6));
      assertEquals(!quorum, deeds().contains(STRANGER), "who has no quorum fences nobody");
      world.pass(Duration.ofSeconds(60));
      assertEquals(quorum, deeds().contains(STRANGER));
      node2Is("down", quorum);
      world.pass(Duration.ofSeconds(10));
      assertEquals(before, attempts);
      ask("stop", 0);
      deeds();
    }
  }

  /// Its agents may run on, and no probe finds them.
  @Test
  void whoConnectsAgainToAnotherExecutorThatEndsNothingHasLostTheConnection() {
    process = "5a";
    overtakenByNode2(true);
    process = "5b";
    node2Is("down", true);
    world.pass(Duration.ofSeconds(20));
    var told = deeds();
    assertFalse(told.contains("up"), told.toString());
    assertTrue(told.stream().anyMatch(it -> it.startsWith("node1: far_monitor_10000 rc 1")), told.toString());
  }

  private boolean knowsOfTheConnection() {
    return connections.runner().knownResources().contains(new ResourceId("far"));
  }

  /// This member was cut off, and is back before it was fenced. Told that the connection has failed the cluster would fence the node,
  /// which is well.
  @Test
  void whoWasOvertakenByAMemberThatTheCibNamesHasNothingToTell() {
    start();
    ask("monitor", 10_000);
    askFar("stop");
    deeds();
    anotherConnects();
    takenByNode2();
    world.pass(Duration.ofSeconds(90));
    var told = deeds();
    assertEquals(List.of(), told.stream().filter(it -> it.contains(" rc 1")).toList());
    assertTrue(told.contains("refused db_stop_0 on far" + UNHEARD), "who asked for it on this side waits for it");
    assertFalse(knowsOfTheConnection());
  }

  /// The line to the node is cut, so that it says nothing of that.
  @Test
  void whoWasOvertakenUnnoticedHasNothingToTellEither() {
    start();
    ask("monitor", 10_000);
    takenByNode2();
    deeds();
    assertNotNull(connections.on(FAR), "what the CIB says may be another side's");
    opened.getLast().breaks();
    world.pass(Duration.ofSeconds(90));
    assertEquals(List.of(), deeds().stream().filter(it -> it.contains(" rc 1")).toList());
    assertFalse(knowsOfTheConnection());
  }

  /// Where nobody hears that for long it has failed. That is over, too, when the member is back.
  @Test
  void whoWasOvertakenAndCutOffForLongForgetsTheConnectionBeforeItIsLetIn() {
    start();
    ask("monitor", 10_000);
    anotherConnects();
    world.pass(Duration.ofSeconds(40));
    assertTrue(deeds().contains(STRANGER));
    isTaken = true;
    cib = TestCib.xml("<cib><status><node_state id=\"far\" uname=\"far\" remote_node=\"true\" connection=\"node2\"/></status></cib>");
    connections.beforeJoining(List.of(), () -> deeds.add("let in, knows of it: " + knowsOfTheConnection()));
    assertEquals(List.of("let in, knows of it: false"), deeds());
  }

  @Test
  void whoWasOvertakenMayBeAskedToConnectAgain() {
    start();
    anotherConnects();
    takenByNode2();
    deeds();
    isTaken = false;
    cib = null;
    start();
    assertTrue(knowsOfTheConnection());
    ask("monitor", 10_000);
    deeds();
    opened.getLast().breaks();
    assertTrue(deeds().stream().anyMatch(it -> it.startsWith("node1: far_monitor_10000 rc 1")), "a loss like any other");
  }

  /// What the CIB has of the node is from before it was connected.
  @Test
  void aStartThatTheCibDoesNotKnowOfIsNotOverYet() {
    refusals = 2;
    ask("start", 0);
    assertEquals(List.of("forget attributes of far", "not written"), deeds());
    world.pass(Duration.ofSeconds(3));
    assertEquals(List.of("not written", "up", "node1: far_start_0 rc 0"), deeds());
  }

  @Test
  void aStartThatTheCibNeverKnowsOfHasFailedAndTheConnectionIsClosed() {
    refusals = Integer.MAX_VALUE;
    ask("start", 0);
    world.pass(Duration.ofSeconds(25));
    var told = new LinkedHashSet<>(deeds());
    told.remove("not written");
    assertEquals(
        List.of(
            "forget attributes of far",
            "closed",
            "node1: far_start_0 rc 1 the CIB cannot be told that it is connected"),
        List.copyOf(told));
    assertNull(connections.on(FAR));
  }

  @Test
  void aConnectionThatTheCibKnowsOfNoMoreAtOnceIsNotSaidToBeThere() {
    refusals = 1;
    ask("migrate_from", 0);
    assertEquals(List.of("not written"), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("node1: far_migrate_from_0 rc 0"), deeds());
  }

  @Test
  void aStopThatTheCibDoesNotKnowOfIsToldAgain() {
    start();
    refusals = 1;
    ask("stop", 0);
    assertEquals(List.of("closed", "forget attributes of far", "not written"), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("down", "node1: far_stop_0 rc 0"), deeds());
  }

  /// What it says of the node would be older than the start.
  @Test
  void aStopThatTheCibDoesNotKnowOfSaysNothingOnceItIsStartedAgain() {
    start();
    refusals = 1;
    ask("stop", 0);
    deeds();
    ask("start", 0);
    world.pass(Duration.ofSeconds(3));
    assertFalse(deeds().contains("down"));
    assertNotNull(connections.on(FAR));
  }

  @Test
  void aStrangerThatConnectsBeforeTheCibKnowsOfTheNodeIsALoss() {
    unanswered = true;
    ask("start", 0);
    deeds();
    anotherConnects();
    assertEquals(
        List.of(
            "closed",
            "node1: far_start_0 rc 1 lost again at once: another member has connected to the node"),
        deeds());
    unanswered = false;
    ask("stop", 0);
    assertEquals(List.of("down", "forget attributes of far", "node1: far_stop_0 rc 0"), deeds());
  }

  /// The other one's entry must not be said to be down.
  @Test
  void aStopAfterAnotherMemberHasConnectedLeavesItsEntryAlone() {
    unanswered = true;
    ask("start", 0);
    anotherConnects();
    deeds();
    unanswered = false;
    isTaken = true;
    ask("stop", 0);
    assertEquals(List.of("node1: far_stop_0 rc 0"), deeds());
  }

  @Test
  void whatIsAskedOfANodeThatIsNotConnectedIsRefusedAndNotRecorded() {
    askFar("start");
    assertEquals(
        List.of("refused db_start_0 on far: the remote node is not connected to node1"), deeds());
  }

  private void cib(String fencing, String connection) {
    cib =
        TestCib.xml(
            """
            <cib><configuration><crm_config><cluster_property_set id="o">
                <nvpair id="o-f" name="fencing-enabled" value="%s"/></cluster_property_set></crm_config>
              </configuration><status><node_state id="far" uname="far" remote_node="true" connection="%s">
                <lrm id="far"><lrm_resources><lrm_resource id="db" class="ocf" provider="heartbeat" type="Dummy">
                  <lrm_rsc_op id="db_last_0" operation="start" call-id="41"/></lrm_resource></lrm_resources></lrm>
              </node_state></status></cib>"""
                .formatted(fencing, connection));
  }

  @Test
  void whatCannotBeStoppedOnALostNodeThatNobodyMayFenceHasFailedAndTheNodeIsConnectedAgain() {
    start();
    cib("false", "node1");
    reachable = false;
    opened.getLast().breaks();
    deeds();
    askFar("stop");
    assertEquals(
        List.of("far: db_stop_0 rc 1 the remote node is not connected to node1"), deeds());
    assertEquals("42", calls.getLast(), "it comes after what is recorded");
    var before = attempts;
    world.pass(Duration.ofSeconds(15));
    askFar("stop");
    assertEquals(
        List.of("far: db_stop_0 rc 1 the remote node is not connected to node1"),
        deeds(),
        "also while it is tried");
    world.pass(Duration.ofSeconds(85));
    assertTrue(attempts > before + 4, "tried %d times".formatted(attempts - before));
    assertEquals(List.of(), deeds());
    reachable = true;
    world.pass(Duration.ofSeconds(20));
    assertEquals(List.of("forget attributes of far", "up"), deeds());
    world.pass(Duration.ofSeconds(60));
    assertEquals(List.of(), deeds(), "connected once");
  }

  @Test
  void whatTheClusterHasDoneWithALostConnectionEndsTheAttempts() {
    start();
    cib("false", "node1");
    reachable = false;
    opened.getLast().breaks();
    askFar("stop");
    deeds();
    ask("stop", 0);
    assertTrue(deeds().contains("node1: far_stop_0 rc 0"));
    reachable = true;
    world.pass(Duration.ofSeconds(60));
    assertEquals(List.of(), deeds());
    assertNull(connections.on(FAR));
  }

  @Test
  void whatWasForgottenIsNotConnectedAgainForTheClusterMakesItElsewhere() {
    start();
    cib("false", "node1");
    reachable = false;
    opened.getLast().breaks();
    deeds();
    askFar("stop");
    world.pass(Duration.ofSeconds(12)); // it is being tried
    connections.runner().forget(List.of(new ResourceId("far")), _ -> {});
    deeds();
    ask("monitor", 0);
    assertEquals(List.of("node1: far_monitor_0 rc 7"), deeds(), "another member is to start it");
    reachable = true;
    var before = opened.size();
    world.pass(Duration.ofSeconds(60));
    assertEquals(before, opened.size(), "it is another member's now");
    assertNull(connections.on(FAR));
  }

  @Test
  void whatCannotBeStoppedOnALostNodeIsNotRecordedWhereItCanBeFencedOrAnotherMemberHasIt() {
    start();
    reachable = false;
    opened.getLast().breaks();
    deeds();
    for (var other : List.of(List.of("true", "node1"), List.of("false", "node2"))) {
      cib(other.get(0), other.get(1));
      askFar("stop");
      assertEquals(
          List.of("refused db_stop_0 on far: the remote node is not connected to node1"),
          deeds(),
          other::toString);
    }
    world.pass(Duration.ofSeconds(60));
    assertEquals(List.of(), deeds());
  }

  private void hostHaSays(String state, String connection) {
    hostHaSays(state, connection, "5", "1");
  }

  private void hostHaSays(String state, String connection, String since, String lost) {
    cib =
        TestCib.xml(
            """
            <cib have-quorum="1"><status><node_state id="far" uname="far" remote_node="true"
              in_ccm="%s" host_ha="%s" host_ha_lost="%s" connection="%s"/></status></cib>"""
                .formatted(since, state, lost, connection));
    connections.cibChanged(cib);
    world.settle();
  }

  /// Two members that both made it would take the node from each other.
  @Test
  void aLostConnectionOfAHostIsMadeAnewByTheMemberThatTheCibNames() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("monitor", 10_000);
    ask("migrate_to", 0);
    opened.getLast().breaks();
    deeds();
    var before = attempts;

    hostHaSays("SUSPECT", "node1");
    hostHaSays("SUSPECT", "node2");
    hostHaSays("AVAILABLE", "node2");
    world.pass(Duration.ofSeconds(5));
    assertEquals(before, attempts, "the member that it was given to has it");

    hostHaSays("AVAILABLE", "node1");
    assertEquals(before + 1, attempts);
    assertNotNull(connections.on(FAR));
  }

  /// Host HA would never say what becomes of it.
  @Test
  void aLostConnectionOfAHostIsToldUntilTheCibHasIt() {
    start();
    hostHaSays("AVAILABLE", "node1");
    refusals = 2;
    opened.getLast().breaks();
    assertEquals(List.of("not written"), deeds());
    world.pass(Duration.ofSeconds(5));
    assertEquals(List.of("not written", "lost by node1"), deeds());
  }

  /// Its failure would count as later than the stop or start: the connection for failed, and the host for to be fenced.
  @Test
  void aLostConnectionThatIsBeingMadeAnewAndIsStoppedOrStartedHasNotFailed() {
    for (var next : List.of("stop", "start")) {
      reachable = true;
      start();
      hostHaSays("AVAILABLE", "node1");
      reachable = false;
      opened.getLast().breaks();
      deeds();
      var before = attempts;
      hostHaSays("DISABLED", "node1");
      assertTrue(attempts > before, "it is being made anew");
      ask(next, 0);
      var told = deeds();
      assertTrue(told.stream().noneMatch(it -> it.contains("asyncmon")), told.toString());
      ask("stop", 0);
      deeds();
    }
  }

  /// Nobody would make the connection anew, nor ask the host by another one.
  @Test
  void aLostConnectionOfAHostIsToldAgainWhereTheCibOfAnotherSideHasWon() {
    start();
    hostHaSays("AVAILABLE", "node1");
    opened.getLast().breaks();
    hostHaSays("SUSPECT", "node1");
    hostHaSays("SUSPECT", "node1", "5", "0");
    deeds();
    join();
    world.settle();
    assertEquals(List.of("lost by node1", "says what it runs"), deeds().stream().sorted().toList());
  }

  @Test
  void aLostConnectionOfAHostIsToldAgainWhereThatCibHasWonWhileItWasBeingMade() {
    start();
    hostHaSays("AVAILABLE", "node1");
    reachable = false;
    opened.getLast().breaks();
    hostHaSays("AVAILABLE", "node1");
    deeds();
    join();
    hostHaSays("SUSPECT", "node1", "5", "0");
    world.pass(Duration.ofSeconds(15));
    assertTrue(deeds().contains("lost by node1"));
  }

  /// The member that the CIB names can be lost, or have lost the connection with its controller.
  @Test
  void aLostConnectionOfAHostIsClaimedNoMoreWhereItIsAnotherMembersByTheCibOfAnotherSide() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("monitor", 10_000);
    opened.getLast().breaks();
    hostHaSays("SUSPECT", "node1");
    deeds();
    isTaken = true;
    join();
    hostHaSays("SUSPECT", "node2", "5", "0");
    ask("monitor", 0);
    assertEquals(List.of("says what it runs", "node1: far_monitor_0 rc 7"), deeds(), "a probe tells the truth at once");
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of(), connections.runner().knownResources());
    deeds();
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), deeds(), "its monitor tells nothing any more");
  }

  @Test
  void aConnectionThatIsLostWhileItIsHandedOverIsStillPartOfThat() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("migrate_to", 0);
    isTaken = true;
    opened.getLast().breaks();
    world.settle();
    hostHaSays("AVAILABLE", "node2", "5", "0");
    world.pass(Duration.ofSeconds(5));
    assertEquals(List.of(new ResourceId("far")), connections.runner().knownResources());
  }

  @Test
  void aLostConnectionOfAHostIsMadeAnewOnceTheOtherMemberHasStoppedIts() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("monitor", 10_000);
    opened.getLast().breaks();
    deeds();
    var before = attempts;
    hostHaSays("AVAILABLE", "node2");
    assertEquals(before, attempts);
    cib = TestCib.xml(XmlWriter.compact(cib).replace("in_ccm=\"5\"", "in_ccm=\"0\""));
    connections.cibChanged(cib);
    world.settle();
    assertEquals(before + 1, attempts);
  }

  /// The other member has it and says so; this one would name itself, and the node be taken for lost.
  @Test
  void aMemberSaysNothingOfAConnectionThatItHasGivenAwayAndLoses() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("migrate_to", 0);
    deeds();
    hostHaSays("AVAILABLE", "node2");
    opened.getLast().breaks();
    assertEquals(List.of("closed"), deeds());
    ask("monitor", 0);
    assertEquals(List.of("node1: far_monitor_0 rc 7"), deeds());
  }

  @Test
  void aMemberThatDoesNotKnowYetThatTheOtherHasTheConnectionDoesNotNameItselfEither() {
    start();
    hostHaSays("AVAILABLE", "node1");
    ask("migrate_to", 0);
    deeds();
    isTaken = true;
    opened.getLast().breaks();
    assertEquals(List.of(), deeds());

    start();
    isTaken = false;
    ask("migrate_to", 0);
    deeds();
    opened.getLast().breaks();
    assertEquals(List.of("lost by node1"), deeds(), "nobody else has it");
  }

  @Test
  void aHostThatIsLostWhileItsConnectionIsBeingMadeIsHostHasAffairAndNoFailedStart() {
    hostHaSays("AVAILABLE", "node2");
    unanswered = true;
    ask("start", 0);
    deeds();
    opened.getLast().breaks();
    unanswered = false;
    assertEquals(List.of("lost by node1", "node1: far_start_0 rc 0"), deeds());
  }

  /// The host was stopped in good order, and this member has not heard of that yet, or the DC has not said so yet. A start that
  /// counted as made would then be lost, and the host be fenced.
  @Test
  void aStartThatIsRefusedIsNotHostHasAffairForWhatWasSaidBeforeTheHostWasStoppedInOrder() {
    hostHaSays("AVAILABLE", "node1", "5", "0");
    reachable = false;
    ask("start", 0);
    assertEquals(List.of(), deeds(), "what the CIB says is from before the order");
    hostHaSays("AVAILABLE", "node1", "0", "0");
    world.pass(Duration.ofSeconds(5));
    assertEquals(List.of(), deeds(), "nobody has said so yet");
    hostHaSays("INELIGIBLE", "node1", "0", "0");
    world.pass(Duration.ofSeconds(20));
    assertEquals(
        List.of("node1: far_start_0 rc 1 refused by 10.0.0.9"), List.copyOf(new LinkedHashSet<>(deeds())));
  }

  @Test
  void aStartThatIsRefusedIsHostHasAffairWhereThatLooksForSignsOfLife() {
    hostHaSays("SUSPECT", "node2", "5", "0");
    reachable = false;
    ask("start", 0);
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("lost by node1", "node1: far_start_0 rc 0"), deeds());
  }

  /// A person has said that its power is off, and was wrong: nobody else would make the connection anew.
  @Test
  void aConnectionToAHostThatIsHeldToBeFencedIsLostAndMadeAnewWhenItIsNot() {
    start();
    hostHaSays("FENCING", "node1");
    var fenced = XmlWriter.compact(cib).replace("in_ccm=\"5\"", "in_ccm=\"0\" node_fenced=\"9\"");
    cib = TestCib.xml(fenced.replace("FENCING", "FENCED"));
    connections.cibChanged(cib);
    assertEquals(List.of("lost by node1", "closed"), deeds());
    assertNull(connections.on(FAR));

    cib = TestCib.xml(fenced.replace("FENCING", "INELIGIBLE"));
    connections.cibChanged(cib);
    assertEquals(List.of("forget attributes of far", "up"), deeds());
    assertNotNull(connections.on(FAR));
    connections.cibChanged(TestCib.xml(fenced.replace("FENCING", "FENCED")));
    assertEquals(List.of(), deeds(), "that is from before it was made");
  }

  /// A person has cleared it before it was up again: nothing runs there that a failure would be about, and it would not be
  /// connected when it is up.
  @Test
  void aConnectionToAFencedHostThatWasClearedIsTriedUntilTheHostIsThere() {
    for (var left : List.of("INELIGIBLE", "")) {
      reachable = true;
      start();
      ask("monitor", 10_000);
      hostHaSays("FENCING", "node1");
      opened.getLast().breaks();
      reachable = false;
      var fenced = XmlWriter.compact(cib).replace("in_ccm=\"5\"", "in_ccm=\"0\" node_fenced=\"9\"");
      cib = TestCib.xml(fenced.replace("FENCING", "FENCED"));
      connections.cibChanged(cib);
      deeds();

      cib = TestCib.xml(fenced.replace("FENCING", left));
      connections.cibChanged(cib);
      world.pass(Duration.ofMinutes(5));
      assertEquals(List.of(), deeds(), "neither made nor failed");
      reachable = true;
      world.pass(Duration.ofSeconds(12));
      assertEquals(List.of("forget attributes of far", "up"), deeds());
      assertNotNull(connections.on(FAR));
      ask("stop", 0);
      deeds();
    }
  }

  private void wantsToStop() {
    opened
        .getLast()
        .tell(
            RemoteXml.told(
                Element.of(
                    RemoteXml.PROXY,
                    RemoteXml.PROXY_OPERATION,
                    RemoteXml.STOP_ASKED,
                    RemoteXml.PROXY_SESSION,
                    "0")));
  }

  @Test
  void aNodeThatIsToEndHasTheClusterStopWhatRunsThere() {
    start();
    wantsToStop();
    assertEquals(
        List.of("forwarded " + RemoteXml.STOP_AGREED, "shutdown of far is 1700000000"), deeds());
  }

  @Test
  void aNodeThatSaysSoWithoutEndDoesNotHaveTheClusterPlanWithoutEnd() {
    start();
    for (var count = 0; count < 1000; count++) {
      wantsToStop();
    }
    assertEquals(2, deeds().size());
    world.pass(StopRequests.PAUSE.plusSeconds(1));
    deeds.clear();
    wantsToStop();
    assertEquals(2, deeds().stream().filter(it -> it.contains("far is") || it.startsWith("forw")).count());
  }

  /// A result of a resource that the node was asked for.
  private static Element told(String operation, int interval, String key) {
    return told("db", operation, interval, key);
  }

  private static Element told(String resource, String operation, int interval, String key) {
    return RemoteXml.told(
        Element.of(
            "lrmd_notify",
            "lrmd_op",
            RemoteXml.EXECUTE,
            "lrmd_rsc_id",
            resource,
            "lrmd_rsc_action",
            operation,
            "lrmd_rsc_interval",
            "" + interval,
            "lrmd_callid",
            "8",
            "lrmd_exec_rc",
            "0",
            "lrmd_exec_op_status",
            "0",
            "lrmd_rsc_userdata_str",
            key));
  }

  /// As the member that had the node before had it do for host HA.
  @Test
  void whatAnotherMemberHasANodeDoByItselfStandsInNoHistory() {
    start();
    askFar("start");
    deeds();
    opened.getLast().tell(told("monitor", 0, TransitionKey.unplanned(5, 0).toString()));
    assertEquals(List.of(), deeds());
    opened.getLast().tell(told("monitor", 0, KEY));
    // told directly, too: the result of the start that is under way may take its place in the CIB at once
    assertEquals(List.of("far: db_monitor_0 rc 0", "refused db_monitor_0 on far: "), deeds());
  }

  /// A failure of the future would not expire before that has come.
  @Test
  void whatAHostWhoseClockIsAheadTellsIsRecordedAsOfNow() {
    start();
    askFar("monitor", 10_000);
    var now = world.now().getEpochSecond();
    opened.getLast().tell(at(now + 10_000, told("monitor", 10_000, KEY)));
    world.settle();
    assertEquals(now, Long.parseLong(changed.getLast()));
    opened.getLast().tell(at(now - 10_000, told("stop", 0, KEY)));
    world.settle();
    assertEquals(now - 10_000, Long.parseLong(changed.getLast()));
  }

  private static Element at(long seconds, Element message) {
    var time = Long.toString(seconds);
    return message.with("lrmd_run_time", time).with("lrmd_rcchange_time", time);
  }

  @Test
  void aNodeThatTellsOfOperationsNobodyAskedForIsNotListenedTo() {
    start();
    askFar("start");
    for (var count = 1; count <= 2 * TellingLimit.UNKNOWN_MAX; count++) {
      opened.getLast().tell(told("monitor", count, KEY));
    }
    world.settle();
    assertTrue(opened.getLast().closed);
  }

  private void join() {
    connections.beforeJoining(List.of(), () -> deeds.add("says what it runs"));
  }

  @Test
  void aMemberSaysOfItsConnectionsBeforeItSaysWhatItRuns() {
    join();
    assertEquals(List.of("says what it runs"), deeds());
    start();
    join();
    world.settle();
    assertEquals(List.of("up", "says what it runs"), deeds());
  }

  @Test
  void aMemberDoesNotWaitWithoutEndForWhatItSaysOfItsConnections() {
    start();
    unanswered = true;
    join();
    world.pass(Duration.ofSeconds(4));
    assertEquals(List.of("up"), deeds());
    world.pass(Duration.ofSeconds(2));
    assertEquals(List.of("says what it runs"), deeds());
  }

  @Test
  void monitorsThatALostMemberHadAskedForAreToldOfHoweverManyResourcesThereAre() {
    start();
    for (var number = 1; number <= 3 * TellingLimit.UNKNOWN_MAX; number++) {
      var resource = "db" + number;
      askFar(resource, "monitor", 0); // the probe; what the lost member had asked for recurs there
      opened.getLast().tell(told(resource, "monitor", 0, KEY));
      opened.getLast().tell(told(resource, "monitor", 10_000, KEY));
      world.pass(Duration.ofMillis(50));
    }
    assertFalse(opened.getLast().closed, "a node that is well is not cut off, which would have it fenced");
    deeds.clear();
    for (var count = 1; count <= 20 * TellingLimit.UNKNOWN_MAX && !opened.getLast().closed; count++) {
      opened.getLast().tell(told("db1", "monitor", count, KEY));
      world.pass(Duration.ofMillis(50));
    }
    assertTrue(opened.getLast().closed, "but not without end");
  }

  @Test
  void aProbeFindsTheConnectionThatIsThere() {
    ask("monitor", 0);
    assertEquals(List.of("node1: far_monitor_0 rc 7"), deeds());
    start();
    ask("monitor", 0);
    assertEquals(List.of("node1: far_monitor_0 rc 0"), deeds());
  }

  // What the controller is asked

  @Override
  public NodeName nodeName() {
    return new NodeName("node1");
  }

  @Override
  public CibNodeId nodeId() {
    return new CibNodeId("1");
  }

  @Override
  public SecureStreams network() {
    return this;
  }

  @Override
  public void prepare() {
    prepared++;
  }

  @Override
  public @Nullable Element cib() {
    return cib;
  }

  @Override
  public void expect(Predicate<Element> written, Duration limit, Runnable then) {
    var asked = new Expected(written, then);
    expected.add(asked);
    world.after(
        limit,
        () -> {
          if (expected.remove(asked)) {
            then.run();
          }
        });
  }

  @Override
  public void writeIfThere(List<CibOp> changes, Consumer<Boolean> done) {
    var first = changes.getFirst().section();
    if (first.equals("/cib/status/node_state[@id='1'][lrm/lrm_resources/lrm_resource[@id='far']]")
        || first.startsWith("/cib/status/node_state[@id='far'][lrm/lrm_resources/")) {
      if (refreshed) {
        world.post(() -> done.accept(false));
      } else {
        writeAndTell(changes, done);
      }
      return;
    }
    for (var change : changes) {
      var mine = change.section().replace("not(@connection) or ", "");
      var others = mine.matches(".*\\[@id='far']\\[@connection!='node1'\\]");
      assertTrue(mine.equals("status") || others || mine.matches(".*\\[@id='far']\\[@connection='node1'( or .*)?].*"), mine);
    }
    if (isTaken) {
      world.post(() -> done.accept(false));
    } else {
      writeAndTell(changes, done);
    }
  }

  @Override
  public void writeAndTell(List<CibOp> changes, Consumer<Boolean> done) {
    if (refusals > 0) {
      refusals--;
      deeds.add("not written");
      world.post(() -> done.accept(false));
    } else {
      write(changes, () -> done.accept(true));
    }
  }

  @Override
  public void write(List<CibOp> changes, Runnable done) {
    this.changes.add(changes);
    for (var change : changes) {
      var xml = change.xml() == null ? null : TestCib.xml(change.xml());
      if (xml == null) {
        if (change.section().contains("@transition-key=")) {
          deeds.add("deleted " + change.section().replaceAll(".*lrm_rsc_op.@id='([^']*)'.*", "$1"));
        }
        continue;
      }
      var history = xml.find(it -> it.is(HistoryEntry.ELEMENT));
      if (history != null) {
        calls.add(history.get("call-id", ""));
        changed.add(history.get("last-rc-change", ""));
        deeds.add(
            "%s: %s rc %s %s"
                .formatted(
                    xml.get("uname"),
                    history.get("operation_key"),
                    history.get("rc-code"),
                    history.get("exit-reason", ""))
                .strip());
      } else if (xml.has("node_fenced")) {
        deeds.add("up");
      } else if (xml.has("moved_in_vain")) {
        deeds.add("moved in vain: " + xml.get("moved_in_vain"));
      } else if ("1".equals(xml.get("host_ha_lost"))) {
        deeds.add("lost by " + xml.get("connection"));
      } else if ("0".equals(xml.get("in_ccm"))) {
        deeds.add("down");
      }
    }
    if (!unanswered) {
      world.post(done);
    }
  }

  @Override
  public void acknowledge(HistoryEntry operation) {
    refusedWith.add(operation.rc(0));
    deeds.add(
        "refused %s on %s: %s"
            .formatted(
                operation.key(), operation.node(), operation.xml().get("exit-reason", "")));
  }

  @Override
  public @Nullable String objection(OperationName operation) {
    return leaving && Task.START.is(operation) ? "this node is shutting down" : null;
  }

  @Override
  public @Nullable String objection(OperationRequest migration) {
    return objection(migration.operation());
  }

  @Override
  public void reported(NodeName node, OperationResult result) {}

  @Override
  public void setAttribute(String name, NodeName node, @Nullable String value) {
    deeds.add("%s of %s is %s".formatted(name, node, value));
  }

  @Override
  public ProxyRoom commandRoom() {
    return new ProxyRoom();
  }

  @Override
  public OnTheirWay onTheirWay() {
    return onTheirWay;
  }

  @Override
  public TellingRoom tellingRoom() {
    return tellingRoom;
  }

  @Override
  public boolean isVisited(NodeName node) {
    return false;
  }

  @Override
  public void sends(NodeName source, OperationRequest migration) {
    deeds.add("%s sends %s to %s with %s".formatted(source, migration.resource(), migration.metaValue("migrate_target"), migration.ownParameters()));
  }

  @Override
  public boolean tookResult(NodeName node, OperationResult result) {
    return false;
  }

  @Override
  public void forgetAttributes(NodeName node) {
    deeds.add("forget attributes of " + node);
  }
}
