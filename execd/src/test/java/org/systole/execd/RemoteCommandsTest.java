package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.OperationResult;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyWindow;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.RemoteExecutor;

/// Commands on a remote node: the test plays them, and the members' ends.
final class RemoteCommandsTest {
  sealed interface Talk {
    record Ask(String what) implements Talk {}

    record Told(String what) implements Talk {}
  }

  private static final ClientProtocol<Talk.Ask, Talk.Told, ClientProtocol.NoEvent> TALK =
      ClientProtocol.of(Protocol.of("talk", 1, Talk.class), Talk.Ask.class, Talk.Told.class);

  private final TestWorld world = new TestWorld();
  private final MemoryStreams network = new MemoryStreams(world);

  @BeforeEach
  void start() {
    RemotedDaemon.start(world, ExecutorUnderTest.LAYOUT, Map.of("PATH", "/bin"), network);
    world.settle();
    world.programs().all().getFirst().exits(0, ""); // mkdir
  }

  private final class Member implements RemoteExecutor.Listener {
    private final RemoteExecutor remote;
    private final List<Element> heard = new ArrayList<>();

    Member(String name) {
      remote = new RemoteExecutor(world, network, "host1", 3121, name, this);
      remote.open(Duration.ofSeconds(10));
      world.settle();
    }

    List<String> operations() {
      return heard.stream().map(it -> it.get("lrmd_ipc_op", "?")).toList();
    }

    String session() {
      return heard.getFirst().get("lrmd_ipc_session", "");
    }

    void says(Element message) {
      remote.forward(message);
      world.settle();
    }

    @Override
    public void connected(RemoteExecutor.Greeting greeting) {}

    @Override
    public void disconnected(String why) {}

    @Override
    public void result(OperationResult result) {}

    @Override
    public void otherClient() {}

    @Override
    public void forwarded(Element message) {
      heard.add(message);
    }
  }

  private TestClient<Talk.Ask, Talk.Told, ClientProtocol.NoEvent> command(String socket) {
    return world.client(socket, TALK, TestWorld.MEMBER);
  }

  private static byte[] frame(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aCommandTalksToTheMemberThatConnectedLast() throws Exception {
    var first = new Member("first");
    var last = new Member("last");
    var command = command("cib");
    var id = command.ask(new Talk.Ask("who"));
    world.settle();

    assertEquals(List.of(), first.operations());
    assertEquals(List.of("new", "request"), last.operations());
    var begun = last.heard.getFirst();
    assertEquals("systole/cib", begun.get("lrmd_ipc_server"));
    assertEquals("alice", begun.get("lrmd_ipc_user"));
    assertEquals(List.of("haclient"), ProxyXml.groupsIn(begun));
    var asked = ProxyXml.frameIn(last.heard.getLast());
    assertNotNull(asked);
    assertEquals(new Talk.Ask("who"), TALK.requestIn(asked).body());

    last.says(ProxyXml.frame("event", last.session(), TALK.reply(id, new Talk.Told("me"))));
    assertEquals(new Talk.Told("me"), command.answerTo(id));

    command.close();
    world.settle();
    assertEquals("destroy", last.operations().getLast());
  }

  @Test
  void withoutAMemberACommandIsToldAtOnce() {
    assertTrue(command("attr").isCutOff());
    var member = new Member("m");
    var command = command("ctl");
    assertFalse(command.isCutOff());
    member.remote.close();
    world.settle();
    assertTrue(command.isCutOff(), "it ends with its member");
  }

  @Test
  void aMemberCanEndACommandAndNoOtherMemberCanSpeakToIt() {
    var other = new Member("other");
    var member = new Member("m");
    var command = command("fence");
    other.says(ProxyXml.frame("event", member.session(), frame("x")));
    assertEquals(List.of("destroy"), other.operations());
    assertFalse(command.isCutOff());
    member.says(ProxyXml.end(member.session()));
    assertTrue(command.isCutOff());
  }

  @Test
  void whatIsNotUnderstoodEndsTheCommand() {
    var member = new Member("m");
    var command = command("cib");
    member.says(ProxyXml.of("event", member.session()).build());
    assertTrue(command.isCutOff());
    assertEquals("destroy", member.operations().getLast());
  }

  @Test
  void aCommandSendsNoMoreAheadThanTheMemberTakes() {
    var member = new Member("m");
    var command = command("cib");
    var noise = new byte[600_000];
    new Random(7).nextBytes(noise);
    for (var at = 0; at < 5; at++) {
      command.sendRaw(noise);
    }
    world.settle();
    assertEquals(List.of("new", "request"), member.operations());
    member.says(ProxyXml.taken(member.session(), member.heard.getLast().textLength()));
    assertEquals(List.of("new", "request", "request"), member.operations());
  }

  /// The connection is that of operations, too: one that it is too slow for is cut off, and the node
  /// fenced.
  @Test
  void whoComesAndGoesDoesNotFillTheConnection() {
    var member = new Member("m");
    for (var at = 0; at < 20_000; at++) {
      var command = command("cib");
      world.settle();
      command.close();
      world.settle();
    }
    var bytes = member.heard.stream().mapToLong(Element::textLength).sum();
    assertTrue(bytes < 4 << 20, bytes + " bytes");
    assertEquals("destroy", member.operations().getLast());
    for (var each : List.copyOf(member.heard)) {
      var id = each.get("lrmd_ipc_session", "");
      if (each.get("lrmd_ipc_op", "").equals("new")) {
        member.remote.forward(ProxyXml.taken(id, each.textLength()));
      }
    }
    world.settle();
    var last = command("cib");
    last.ask(new Talk.Ask("still there"));
    world.settle();
    assertEquals(List.of("new", "request"), member.operations().reversed().subList(0, 2).reversed());
  }

  @Test
  void aCommandThatSaysTooMuchAtOnceIsCutOffBeforeItIsTouched() {
    var member = new Member("m");
    var command = command("cib");
    command.sendRaw(new byte[ProxyXml.REQUEST_MAX + 1]); // however short it could be made
    world.settle();
    assertTrue(command.isCutOff());
    assertEquals(List.of("new", "destroy"), member.operations());
  }

  @Test
  void aCommandThatAsksForTooMuchIsCutOff() {
    var member = new Member("m");
    var command = command("cib");
    var noise = new byte[8 << 20];
    new Random(7).nextBytes(noise);
    for (var at = 0; at < 7; at++) {
      command.sendRaw(noise);
    }
    world.settle();
    assertTrue(command.isCutOff());
    assertEquals("destroy", member.operations().getLast());
    var next = command("cib");
    next.ask(new Talk.Ask("still there"));
    world.settle();
    assertEquals("request", member.operations().getLast());
  }

  /// Each may have much wait for it, and there may be many.
  @Test
  void ofCommandsThatReadNothingTheOneThatTakesMostIsCutOff() {
    var member = new Member("m");
    var long1 = new byte[8 << 20];
    var commands = new ArrayList<TestClient<Talk.Ask, Talk.Told, ClientProtocol.NoEvent>>();
    var ids = new ArrayList<String>();
    for (var at = 0; at < 4; at++) {
      var command = command("cib");
      command.stopsReading();
      commands.add(command);
      ids.add(member.heard.getLast().get("lrmd_ipc_session", ""));
      member.remote.forward(ProxyXml.taken(ids.getLast(), member.heard.getLast().textLength()));
    }
    member.says(ProxyXml.frame("event", ids.get(2), long1));
    for (var at = 0; at < 11; at++) {
      assertEquals(List.of(false, false, false, false), commands.stream().map(TestClient::isCutOff).toList());
      member.says(ProxyXml.frame("event", ids.get(at % 4), long1));
    }
    assertEquals(List.of(false, false, false, false), commands.stream().map(TestClient::isCutOff).toList());
    member.says(ProxyXml.frame("event", ids.get(3), new byte[100]));
    assertEquals(List.of(false, false, true, false), commands.stream().map(TestClient::isCutOff).toList());
    assertEquals("destroy", member.operations().getLast());
    assertEquals(ids.get(2), member.heard.getLast().get("lrmd_ipc_session", ""));
    for (var at = 0; at < 3; at++) {
      member.says(ProxyXml.frame("event", ids.get(3), long1));
    }
    assertFalse(commands.get(3).isCutOff(), "there is room again");
  }

  @Test
  void aFrameComesBackAsItWas() {
    var random = new Random(3);
    for (var length : List.of(1, 255, 256, 70_000)) {
      var noise = new byte[length];
      random.nextBytes(noise);
      assertArrayEquals(noise, ProxyXml.frameIn(ProxyXml.frame("request", "s", noise)));
      var zeros = new byte[length];
      var message = ProxyXml.frame("request", "s", zeros);
      assertTrue(length < 1000 || message.textLength() < length / 10);
      assertArrayEquals(zeros, ProxyXml.frameIn(message));
    }
  }

  @Test
  void aFrameThatIsLongerThanItSaysIsNone() {
    var message = ProxyXml.frame("request", "s", new byte[70_000]);
    var content = message.child(0);
    for (var length : List.of("69999", "70001", "-1", "x", "2000000000")) {
      var lying = content.replace(0, content.child(0).with("length", length));
      assertNull(ProxyXml.frameIn(message.replace(0, lying)));
    }
    var garbage = content.replace(0, content.child(0).with("deflated", "????"));
    assertNull(ProxyXml.frameIn(message.replace(0, garbage)));
  }

  @Test
  void aSessionThatEndsGivesItsShareBack() {
    var sent = new ArrayList<String>();
    var window = new ProxyWindow((session, _, _) -> sent.add(session));
    var long1 = Element.of("m", "text", "a".repeat(900_000));
    assertTrue(window.offer("one", long1));
    assertTrue(window.offer("one", long1));
    assertTrue(window.offer("two", long1));
    assertEquals(List.of("one"), sent);
    window.forget("one");
    assertEquals(List.of("one"), sent, "it is on its way yet");
    window.ended("one");
    assertEquals(List.of("one", "two"), sent);
    window.taken("one", 900_000); // it is forgotten
    window.taken("two", 10_000_000); // more than there was
    assertTrue(window.offer("three", long1));
    assertEquals(List.of("one", "two", "three"), sent);
  }
}
