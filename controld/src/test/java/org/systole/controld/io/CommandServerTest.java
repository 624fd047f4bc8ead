package org.systole.controld.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.AgentName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.Reason;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;

/// The commands' socket of node1; node2 is DC, node3's controller is away.
final class CommandServerTest {
  private static final CtlMessage.FailResource FAIL =
      new CtlMessage.FailResource(
          new ResourceId("web"), named("node1"), "ocf", "heartbeat", "Dummy");
  private static final List<CtlMessage.Request> CHANGES =
      List.of(
          new CtlMessage.RemoveNode(named("node3")),
          new CtlMessage.ClearHistory("web", "node1"),
          new CtlMessage.ClearHistory("", ""),
          FAIL,
          new CtlMessage.AskDevice(named("node2"), "ipmi", named("node3"), 20_000),
          new CtlMessage.Shutdown(),
          new CtlMessage.Elect());

  private final TestWorld world = new TestWorld();
  private final CommandServer.Host host = mock(CommandServer.Host.class);
  private final CommandServer server = new CommandServer(world, host);
  private final List<PeerMessage> sent = new ArrayList<>();
  private TestClient<CtlMessage.Request, CtlMessage.Reply, NoEvent> root = serve();
  private long lastRaw = 1_000_000;

  private TestClient<CtlMessage.Request, CtlMessage.Reply, NoEvent> serve() {
    RpcServer.serve(world, CtlMessage.SOCKET, World.Access.GROUP, CtlMessage.PROTOCOL, server);
    return world.client(CtlMessage.SOCKET, CtlMessage.PROTOCOL, TestWorld.ROOT);
  }

  @BeforeEach
  void cluster() {
    when(host.nodeName()).thenReturn(named("node1"));
    when(host.state()).thenReturn(State.NOT_DC);
    when(host.dcName()).thenReturn(named("node2"));
    when(host.dcId()).thenReturn(id(2));
    when(host.online()).thenReturn(ids(1, 2));
    for (var id = 1; id <= 3; id++) {
      when(host.nodeId(named("node" + id))).thenReturn(id(id));
      when(host.nodeName(id(id))).thenReturn(named("node" + id));
      when(host.isOnline(id(id))).thenReturn(id < 3);
      when(host.isMember(id(id))).thenReturn(id < 3);
    }
    when(host.memberFor(any())).thenAnswer(call -> call.getArgument(0));
    when(host.nodeId(named("elsewhere"))).thenReturn(null);
    doAnswer(call -> sent.add(call.getArgument(1))).when(host).send(any(), any());
    answerHistory(null);
  }

  private void answerHistory(@Nullable String problem) {
    doAnswer(
            call -> {
              call.<Consumer<@Nullable String>>getArgument(2).accept(problem);
              return null;
            })
        .when(host)
        .clearHistory(any(), any(), any());
  }

  private static CtlMessage.Reply refused(CtlMessage.@Nullable Reply answer, Reason reason) {
    var refusal = assertInstanceOf(CtlMessage.Refused.class, answer);
    assertEquals(reason, refusal.reason(), refusal.why());
    return refusal;
  }

  /// The last request that was passed on is answered by the other controller.
  private void answers(CtlMessage.Reply reply) {
    var relay = assertInstanceOf(PeerMessage.Relay.class, sent.getLast());
    server.answered(
        new PeerMessage.RelayAnswer(relay.number(), CtlMessage.PROTOCOL.reply(0, reply)));
    world.settle();
  }

  /// The answer to a message that cannot be made of types.
  private CtlMessage.@Nullable Reply answerTo(String type, String body) {
    var id = ++lastRaw;
    var frame = "{\"v\":1,\"id\":%d,\"type\":\"%s\",\"body\":%s}".formatted(id, type, body);
    root.sendRaw(frame.getBytes(UTF_8));
    return root.answerTo(id);
  }

  @Test
  void onlyThePrivilegedMayChangeAnything() {
    var member = world.client(CtlMessage.SOCKET, CtlMessage.PROTOCOL, TestWorld.MEMBER);
    for (var change : CHANGES) {
      refused(member.answer(change), Reason.DENIED);
    }
    verify(host, never()).offer(any());
    verify(host, never()).clearHistory(any(), any(), any());
    verify(host, never()).recordPretendedFailure(any(), any(), any());
    verify(host, never()).send(any(), any());
  }

  @Test
  void membersOfTheGroupMayQuery() {
    var member = world.client(CtlMessage.SOCKET, CtlMessage.PROTOCOL, TestWorld.MEMBER);
    var nodes = new CtlMessage.Nodes(named("node1"), List.of(), true, 7);
    when(host.nodes()).thenReturn(nodes);
    assertEquals(
        new CtlMessage.State(named("node1"), "S_NOT_DC", named("node2")),
        member.answer(new CtlMessage.StateQuery(null)));
    assertEquals(new CtlMessage.Dc(named("node2")), member.answer(new CtlMessage.DcQuery()));
    assertEquals(nodes, member.answer(new CtlMessage.NodesQuery()));
  }

  @Test
  void aRequestAboutThisNodeIsServedHere() {
    assertEquals(new CtlMessage.Done(), root.answer(FAIL));
    verify(host)
        .recordPretendedFailure(
            new ResourceId("web"), named("node1"), new AgentName("ocf", "heartbeat", "Dummy"));
    assertEquals(new CtlMessage.Done(), root.answer(new CtlMessage.ClearHistory("web", "node1")));
    verify(host).clearHistory(eq("web"), eq(named("node1")), any());
    assertEquals(new CtlMessage.Done(), root.answer(new CtlMessage.Shutdown()));
    verify(host).offer(new Input.ShutdownRequested("a command asks for it"));
    assertEquals(new CtlMessage.Done(), root.answer(new CtlMessage.Elect()));
    verify(host).offer(new Input.ElectionCalled("a command asks for it"));
    assertEquals(List.of(), sent);
  }

  @Test
  void aHistoryThatCannotBeClearedIsReported() {
    answerHistory("the executor is busy");
    var refusal =
        refused(root.answer(new CtlMessage.ClearHistory("web", "node1")), Reason.FAILED);
    assertEquals(new CtlMessage.Refused(Reason.FAILED, "the executor is busy"), refusal);
  }

  @Test
  void aRequestAboutAnotherNodeIsPassedOnAndItsAnswerPassedBack() {
    var id = root.ask(new CtlMessage.StateQuery(named("node2")));
    assertNull(root.answerTo(id));
    answers(new CtlMessage.State(named("node2"), "S_IDLE", named("node2")));
    assertEquals(new CtlMessage.State(named("node2"), "S_IDLE", named("node2")), root.answerTo(id));
    world.pass(Duration.ofMinutes(2)); // it is not answered once more
  }

  @Test
  void eachNodeIsAskedForItsAgentsAndDevicesItself() {
    var told = new CtlMessage.Inventory(named("node1"), "{}");
    doAnswer(
            call -> {
              call.<Consumer<CtlMessage.Reply>>getArgument(1).accept(told);
              return null;
            })
        .when(host)
        .inventory(eq(List.of("lsb:x")), any());
    var member = world.client(CtlMessage.SOCKET, CtlMessage.PROTOCOL, TestWorld.MEMBER);
    assertEquals(told, member.answer(new CtlMessage.InventoryQuery(null, List.of("lsb:x"))));
    assertEquals(List.of(), sent);
    var inventory = member.ask(new CtlMessage.InventoryQuery(named("node2"), List.of()));
    answers(new CtlMessage.Inventory(named("node2"), "{}"));
    assertEquals(new CtlMessage.Inventory(named("node2"), "{}"), member.answerTo(inventory));
    var device = root.ask(new CtlMessage.AskDevice(named("node2"), "ipmi", named("node3"), 20_000));
    answers(new CtlMessage.Done());
    assertEquals(new CtlMessage.Done(), root.answerTo(device));
    refused(
        root.answer(new CtlMessage.InventoryQuery(named("node3"), List.of())), Reason.UNREACHABLE);
  }

  @Test
  void anAnswerThatDoesNotComeIsNotWaitedForForEver() {
    var id = root.ask(new CtlMessage.ClearHistory("web", "node2"));
    world.pass(Duration.ofSeconds(59));
    assertNull(root.answerTo(id));
    world.pass(Duration.ofSeconds(1));
    refused(root.answerTo(id), Reason.UNREACHABLE);
    answers(new CtlMessage.Done()); // too late, and harmless
  }

  @Test
  void anAnswerThatIsNoMessageIsAFailure() {
    var id = root.ask(new CtlMessage.StateQuery(named("node2")));
    var relay = assertInstanceOf(PeerMessage.Relay.class, sent.getLast());
    server.answered(new PeerMessage.RelayAnswer(relay.number(), new byte[] {'{'}));
    world.settle();
    refused(root.answerTo(id), Reason.FAILED);
  }

  @Test
  void anUnknownOrOfflineNodeIsNotWaitedFor() {
    refused(root.answer(new CtlMessage.StateQuery(named("elsewhere"))), Reason.UNKNOWN);
    refused(root.answer(new CtlMessage.StateQuery(named("node3"))), Reason.UNREACHABLE);
    assertEquals(List.of(), sent);
  }

  @Test
  void theDcIsAskedForItsWork() {
    var id = root.ask(new CtlMessage.WorkQuery());
    answers(new CtlMessage.Work(true, "S_IDLE", List.of(), null));
    assertEquals(new CtlMessage.Work(true, "S_IDLE", List.of(), null), root.answerTo(id));

    when(host.dcId()).thenReturn(null);
    refused(root.answer(new CtlMessage.WorkQuery()), Reason.UNREACHABLE);

    when(host.isDc()).thenReturn(true);
    when(host.work()).thenReturn(new CtlMessage.Work(false, "S_POLICY_ENGINE", List.of(), null));
    assertEquals(
        new CtlMessage.Work(false, "S_POLICY_ENGINE", List.of(), null),
        root.answer(new CtlMessage.WorkQuery()));
  }

  @Test
  void aRequestPassedOnToAFormerDcIsRefused() {
    server.relayed(
        id(2),
        new PeerMessage.Relay(9, CtlMessage.PROTOCOL.request(0, new CtlMessage.WorkQuery())));
    var answer = assertInstanceOf(PeerMessage.RelayAnswer.class, sent.getLast());
    assertEquals(9, answer.number());
    assertTrue(new String(answer.frame()).contains("no longer DC"));
  }

  @Test
  void aRequestPassedOnIsServedAndAnswered() {
    server.relayed(id(2), new PeerMessage.Relay(9, CtlMessage.PROTOCOL.request(0, FAIL)));
    verify(host).recordPretendedFailure(eq(new ResourceId("web")), any(), any());
    verify(host).send(eq(id(2)), any(PeerMessage.RelayAnswer.class));
  }

  /// The node that asks may run a newer build. It does not wait a minute for nothing.
  @Test
  void aRequestPassedOnThatIsNotUnderstoodIsRefused() {
    var id = root.ask(new CtlMessage.StateQuery(named("node2")));
    var relay = assertInstanceOf(PeerMessage.Relay.class, sent.getLast());
    var later = new String(relay.frame(), UTF_8).replace("StateQuery", "StateOfTomorrow");
    server.relayed(id(2), new PeerMessage.Relay(relay.number(), later.getBytes(UTF_8)));
    assertTrue(world.logged("Cannot read a request passed on"));

    server.answered(assertInstanceOf(PeerMessage.RelayAnswer.class, sent.getLast()));
    world.settle();
    var why = assertInstanceOf(CtlMessage.Refused.class, root.answerTo(id)).why();
    assertTrue(why.contains("node1 does not understand") && why.contains("StateOfTomorrow"), why);
  }

  @Test
  void whatConcernsARemoteNodeGoesToTheMemberThatIsConnectedToIt() {
    when(host.memberFor(named("far"))).thenReturn(named("node2"));
    var id = root.ask(new CtlMessage.ClearHistory("web", "far"));
    answers(new CtlMessage.Done());
    assertEquals(new CtlMessage.Done(), root.answerTo(id));
    when(host.memberFor(named("far"))).thenReturn(named("node1"));
    root.answer(new CtlMessage.ClearHistory("web", "far"));
    verify(host).clearHistory(eq("web"), eq(named("far")), any());
    when(host.recordPretendedFailure(any(), eq(named("far")), any())).thenReturn("it is gone");
    var fail = new CtlMessage.FailResource(new ResourceId("web"), named("far"), "ocf", "x", "Dummy");
    refused(root.answer(fail), Reason.UNREACHABLE);
  }

  @Test
  void aHistoryIsClearedOnAllNodesThatAreThere() {
    var id = root.ask(new CtlMessage.ClearHistory("web", ""));
    assertNull(root.answerTo(id), "node2 has not answered");
    verify(host, times(1)).clearHistory(eq("web"), eq(named("node1")), any());
    answers(new CtlMessage.Done());
    assertEquals(new CtlMessage.Done(), root.answerTo(id));
  }

  @Test
  void aHistoryThatOneNodeDoesNotClearIsNotCleared() {
    var id = root.ask(new CtlMessage.ClearHistory("web", ""));
    answers(new CtlMessage.Refused(Reason.FAILED, "the executor is busy"));
    refused(root.answerTo(id), Reason.FAILED);

    when(host.online()).thenReturn(List.of());
    refused(root.answer(new CtlMessage.ClearHistory("web", "")), Reason.UNREACHABLE);
  }

  @Test
  void aRemoteNodeThatHasJustBeenLostIsLeftOutAsAMemberThatIsNotThere() {
    when(host.online()).thenReturn(List.of(id(1)));
    when(host.remoteNodes()).thenReturn(List.of(named("far")));
    when(host.memberFor(named("far"))).thenReturn(named("node2"));
    var id = root.ask(new CtlMessage.ClearHistory("", ""));
    answers(new CtlMessage.Refused(Reason.UNREACHABLE, "no member is connected to it"));
    assertEquals(new CtlMessage.Done(), root.answerTo(id));

    id = root.ask(new CtlMessage.ClearHistory("", ""));
    answers(new CtlMessage.Refused(Reason.FAILED, "its executor is busy"));
    refused(root.answerTo(id), Reason.FAILED);
  }

  @Test
  void aMemberIsNotRemoved() {
    when(host.isDc()).thenReturn(true);
    refused(root.answer(new CtlMessage.RemoveNode(named("node2"))), Reason.NOT_NOW);
    verify(host, never()).removeNode(any(), any());
  }

  @Test
  void anInvalidNodeNameIsNotRemoved() {
    when(host.isDc()).thenReturn(true);
    for (var name : List.of("", "node3\\n", "\\u0000")) {
      refused(answerTo("RemoveNode", "{\"node\":\"%s\"}".formatted(name)), Reason.UNKNOWN);
    }
    refused(answerTo("RemoveNode", "{}"), Reason.UNKNOWN);
    for (var name : List.of("\t", "node3\n", "\0")) {
      refused(root.answer(new CtlMessage.ClearHistory("web", name)), Reason.UNKNOWN);
    }
    verify(host, never()).removeNode(any(), any());
    verify(host, never()).clearHistory(any(), any(), any());
  }

  @Test
  void aFailureOfNoResourceOrOfNoNodeIsNotPretended() {
    var rest = "\"standard\":\"ocf\",\"provider\":\"heartbeat\",\"type\":\"Dummy\"}";
    for (var names :
        List.of(
            "\"resource\":\"\",\"node\":\"node1\",",
            "\"resource\":\"a\\t\",\"node\":\"node1\",",
            "\"resource\":\"web\",\"node\":\"\",",
            "\"node\":\"node1\",")) {
      refused(answerTo("FailResource", "{" + names + rest), Reason.UNKNOWN);
    }
    verify(host, never()).recordPretendedFailure(any(), any(), any());
  }

  @Test
  void aNodeThatTheNodeListHasIsNotRemoved() {
    when(host.isDc()).thenReturn(true);
    when(host.isConfigured(id(3))).thenReturn(true);
    var answer = refused(root.answer(new CtlMessage.RemoveNode(named("node3"))), Reason.NOT_NOW);
    assertTrue(((CtlMessage.Refused) answer).why().contains("corosync.conf"));
    verify(host).removeOnceUnlisted(named("node3"));
    verify(host, never()).removeNode(any(), any());
  }

  /// The cluster would not know how it is, and have it fenced.
  @Test
  void aRemoteNodeThatTheConfigurationHasIsNotRemoved() {
    when(host.isDc()).thenReturn(true);
    for (var by : List.of("far", "vm")) {
      when(host.madeBy(named("far"))).thenReturn(by);
      var id = root.ask(new CtlMessage.RemoveNode(named("far")));
      assertNull(root.answerTo(id), "it may have been taken out this moment");
      world.pass(Duration.ofSeconds(1));
      var answer = refused(root.answerTo(id), Reason.NOT_NOW);
      assertTrue(((CtlMessage.Refused) answer).why().contains("by the resource " + by));
    }
    verify(host, never()).removeNode(any(), any());

    root.ask(new CtlMessage.RemoveNode(named("far")));
    when(host.madeBy(named("far"))).thenReturn(null);
    server.cibChanged();
    verify(host).removeNode(eq(named("far")), any());
  }

  /// As long as they are there, the scheduler has the node, and, knowing nothing of it, would have it fenced.
  @Test
  void aRemoteNodeIsRemovedWhenTheHistoriesOfItsConnectionAreGone() {
    when(host.isDc()).thenReturn(true);
    when(host.remembersConnection(named("far"))).thenReturn(true);
    root.ask(new CtlMessage.RemoveNode(named("far")));
    world.pass(Duration.ofSeconds(3));
    server.cibChanged();
    verify(host, never()).removeNode(any(), any());
    when(host.remembersConnection(named("far"))).thenReturn(false);
    server.cibChanged();
    server.cibChanged();
    verify(host).removeNode(eq(named("far")), any());

    // configured anew meanwhile
    when(host.remembersConnection(named("back"))).thenReturn(true);
    var id = root.ask(new CtlMessage.RemoveNode(named("back")));
    world.pass(Duration.ofSeconds(3));
    when(host.madeBy(named("back"))).thenReturn("back");
    server.cibChanged();
    world.pass(Duration.ZERO);
    refused(root.answerTo(id), Reason.NOT_NOW);

    when(host.remembersConnection(named("other"))).thenReturn(true);
    var other = root.ask(new CtlMessage.RemoveNode(named("other")));
    world.pass(Duration.ofSeconds(20));
    var answer = refused(root.answerTo(other), Reason.NOT_NOW);
    assertTrue(((CtlMessage.Refused) answer).why().contains("would be fenced"));
    verify(host, never()).removeNode(eq(named("other")), any());
    verify(host, never()).removeNode(eq(named("back")), any());
  }

  /// What runs there would be started elsewhere at once, as nothing would tell of it any more.
  @Test
  void aRemoteNodeThatMayRunSomethingIsNotRemoved() {
    when(host.isDc()).thenReturn(true);
    for (var remembered : new boolean[] {false, true}) {
      when(host.remembersConnection(named("far"))).thenReturn(remembered);
      when(host.mayRunOn(named("far"))).thenReturn(List.of("a", "b"));
      var id = root.ask(new CtlMessage.RemoveNode(named("far")));
      assertNull(root.answerTo(id), "that it has ended may be on its way");
      world.pass(Duration.ofSeconds(remembered ? 20 : 1));
      var answer = refused(root.answerTo(id), Reason.NOT_NOW);
      assertTrue(((CtlMessage.Refused) answer).why().contains("may still run a, b"));
      verify(host, never()).removeNode(any(), any());
    }

    when(host.remembersConnection(named("far"))).thenReturn(false);
    root.ask(new CtlMessage.RemoveNode(named("far")));
    when(host.mayRunOn(named("far"))).thenReturn(List.of());
    server.cibChanged();
    verify(host).removeNode(eq(named("far")), any());
  }

  @Test
  void onlySoManyRemovalsAreWaitedFor() {
    when(host.isDc()).thenReturn(true);
    when(host.remembersConnection(any())).thenReturn(true);
    for (var at = 0; at < 1000; at++) {
      root.ask(new CtlMessage.RemoveNode(named("far" + at)));
    }
    refused(root.answer(new CtlMessage.RemoveNode(named("far"))), Reason.NOT_NOW);
  }

  @Test
  void aNodeThatIsGoneIsRemovedByTheDc() {
    when(host.isDc()).thenReturn(true);
    for (var fine : new boolean[] {true, false}) {
      doAnswer(
              call -> {
                call.<Consumer<Boolean>>getArgument(1).accept(fine);
                return null;
              })
          .when(host)
          .removeNode(any(), any());
      for (var node : List.of("node3", "elsewhere")) {
        var answer = root.answer(new CtlMessage.RemoveNode(named(node)));
        assertEquals(fine, answer instanceof CtlMessage.Done, node);
      }
    }
  }

  @Test
  void onlySoManyRequestsWaitForOthers() {
    for (var i = 0; i < 1000; i++) {
      root.ask(new CtlMessage.StateQuery(named("node2")));
    }
    refused(root.answer(new CtlMessage.StateQuery(named("node2"))), Reason.NOT_NOW);
    answers(new CtlMessage.Done());
    assertNull(root.answer(new CtlMessage.StateQuery(named("node2"))), "there is room again");
  }
}
