package org.systole.common.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection;
import org.systole.common.world.Log;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

final class ProtocolTest {
  enum Size {
    SMALL,
    LARGE
  }

  record Part(String name, @Nullable String value) {}

  sealed interface Talk {
    Protocol<Talk> PROTOCOL = Protocol.of("talk", 1, Talk.class, new Brief());

    record Say(String text, int times, boolean aloud) implements Talk, Allowed.ToMembers {}

    record Many(List<Part> parts, Map<String, Part> named, @Nullable String note) implements Talk {}

    record Sized(Size size) implements Talk {}

    record Names(List<String> names) implements Talk {}
  }

  /// One that cannot be made of nothing.
  record Fussy(List<String> names) implements Talk2 {
    Fussy {
      names = List.copyOf(names);
    }
  }

  sealed interface Talk2 {
    Protocol<Talk2> PROTOCOL = Protocol.of("talk2", 1, Talk2.class);
  }

  private static final class Brief implements ShortForm<Talk> {
    @Override
    public boolean write(Talk message, FrameWriter to) {
      return false;
    }

    @Override
    public Talk read(int kind, FrameReader from) throws ProtocolException {
      return new Talk.Names(from.texts());
    }
  }

  private static byte[] frame(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Talk decode(String text) throws ProtocolException {
    return Talk.PROTOCOL.decode(frame(text)).body();
  }

  private static void refused(String body) {
    assertThrows(ProtocolException.class, () -> decode("{\"v\":1,\"id\":1," + body + "}"), body);
  }

  @Test
  void aRefusalSaysWhereSomethingIsWrongAndNeitherWhatIsThereNorInWhatClass() {
    for (var frame :
        List.of(
            "{\"v\":1,\"type\":\"Fussy\",\"body\":{}}",
            "{\"v\":1,\"type\":\"Fussy\",\"body\":{\"names\":{\"pa55\":1}}}",
            "{\"v\":1,\"type\":\"Fussy\",\"body\":{\"names\":[pa55]}}")) {
      var why =
          assertThrows(ProtocolException.class, () -> Talk2.PROTOCOL.decode(frame(frame)))
              .getMessage();
      assertTrue(why.startsWith("talk2: not a message: "), why);
      assertFalse(why.contains("java") || why.contains("systole") || why.contains("pa55"), why);
    }
  }

  @Test
  void whatIsEncodedIsDecoded() throws ProtocolException {
    for (var message :
        List.of(
            new Talk.Say("a", -7, true),
            new Talk.Many(List.of(new Part("p", null)), Map.of("k", new Part("q", "v")), null),
            new Talk.Sized(Size.LARGE))) {
      var decoded = Talk.PROTOCOL.decode(Talk.PROTOCOL.encode(9, message));
      assertEquals(new Protocol.Envelope<>(9, message), decoded);
    }
  }

  @Test
  void anUnknownFieldIsIgnoredWhereverItIs() throws ProtocolException {
    assertEquals(
        new Talk.Say("a", 1, false),
        decode(
            "{\"x\":[{\"body\":{}}],\"v\":1,\"id\":1,\"type\":\"Say\",\"y\":{\"v\":2},\"body\":"
                + "{\"text\":\"a\",\"z\":[[]],\"times\":1,\"aloud\":false},\"w\":null}"));
  }

  @Test
  void whatLacksSomethingIsRefused() {
    refused("\"type\":\"Say\",\"body\":{\"text\":\"a\",\"times\":1}");
    refused("\"type\":\"Say\",\"body\":{\"text\":\"a\",\"aloud\":true}");
    refused("\"type\":\"Say\",\"body\":{\"times\":1,\"aloud\":true}");
    refused("\"type\":\"Say\",\"body\":{\"text\":null,\"times\":1,\"aloud\":true}");
    refused("\"type\":\"Say\",\"body\":{\"text\":\"a\",\"times\":null,\"aloud\":true}");
    refused("\"type\":\"Say\",\"body\":{\"text\":\"a\",\"times\":\"\",\"aloud\":true}");
    refused("\"type\":\"Say\",\"body\":null");
    refused("\"type\":\"Say\"");
    refused("\"type\":\"Many\",\"body\":{\"parts\":[null],\"named\":{}}");
    refused("\"type\":\"Many\",\"body\":{\"parts\":[{\"value\":\"v\"}],\"named\":{}}");
    refused("\"type\":\"Many\",\"body\":{\"parts\":[],\"named\":{\"k\":null}}");
    refused("\"type\":\"Many\",\"body\":{\"parts\":[],\"named\":{\"k\":{}}}");
    refused("\"type\":\"Many\",\"body\":{\"named\":{}}");
    refused("\"type\":\"Sized\",\"body\":{}");
    refused("\"body\":{\"size\":\"SMALL\"},\"type\":\"Sized\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "\"TINY\"", "\"\"", "[]", "true"})
  void anEnumIsNamedAndNothingElse(String size) {
    refused("\"type\":\"Sized\",\"body\":{\"size\":" + size + "}");
  }

  @Test
  void whatNobodyReadsTakesNoMemory() throws ProtocolException {
    var text =
        "{\"v\":1,\"id\":1,\"type\":\"Sized\",\"x\":["
            + "{},".repeat(1_000_000)
            + "{}],\"body\":{\"size\":\"SMALL\",\"y\":["
            + "[],".repeat(1_000_000)
            + "[]]}}";
    var frame = frame(text);
    Talk.PROTOCOL.decode(
        frame("{\"v\":1,\"id\":1,\"type\":\"Sized\",\"body\":{\"size\":\"SMALL\"}}"));

    assertTrue(allocatedBy(() -> Talk.PROTOCOL.decode(frame)) < 1 << 20);
  }

  @Test
  void whatAFrameOnlyClaimsToHaveTakesNoMemory() {
    var frame = new byte[8 << 20];
    frame[1] = 1; // the version
    frame[3] = 1; // the kind, and then how many texts there are
    var at = 4;
    for (var rest = frame.length - 10; rest > 0; rest >>>= 7) {
      frame[at++] = (byte) (rest > 0x7F ? rest | 0x80 : rest);
    }
    for (var octet = 0; octet < 10; octet++) {
      frame[at++] = (byte) 0xFF; // the first one's length is no number
    }

    assertTrue(
        allocatedBy(() -> assertThrows(ProtocolException.class, () -> Talk.PROTOCOL.decode(frame)))
            < 1 << 20);
  }

  private interface Task {
    void run() throws ProtocolException;
  }

  private static long allocatedBy(Task task) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var before = threads.getCurrentThreadAllocatedBytes();
    try {
      task.run();
    } catch (ProtocolException e) {
      throw new IllegalStateException(e);
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /// A client that counts what it is sent and whether it was cut off.
  private static final class Client implements Connection {
    private final boolean privileged;
    private boolean closed;

    Client(boolean privileged) {
      this.privileged = privileged;
    }

    @Override
    public void send(byte[] frame) {}

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public long unsent() {
      return 0;
    }

    @Override
    public Credentials peer() {
      return new Credentials("u", List.of("haclient"), privileged);
    }
  }

  private static final ClientProtocol<Talk, Talk, ClientProtocol.NoEvent> CLIENTS =
      ClientProtocol.of(Talk.PROTOCOL, Talk.class, Talk.class);

  private static void say(
      ClientProtocol<Talk, Talk, ClientProtocol.NoEvent> protocol,
      Client client,
      List<Talk> heard,
      byte[]... frames) {
    var handlers = new ArrayList<ServerHandler>();
    Log log =
        (Log)
            Proxy.newProxyInstance(
                ProtocolTest.class.getClassLoader(), new Class<?>[] {Log.class}, (_, _, _) -> null);
    var world =
        (World)
            Proxy.newProxyInstance(
                ProtocolTest.class.getClassLoader(),
                new Class<?>[] {World.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("listen")) {
                    handlers.add((ServerHandler) arguments[2]);
                    return null;
                  }
                  return log;
                });
    RpcServer.serve(
        world, "talk", World.Access.GROUP, protocol, (_, _, request) -> heard.add(request));
    var conversation = handlers.getFirst().accept(client);
    for (var frame : frames) {
      conversation.received(client, frame);
    }
  }

  @Test
  void aGuestsLongFrameIsNotEvenDecoded() {
    var frame = Talk.PROTOCOL.encode(1, new Talk.Say("a".repeat(70_000), 1, true));
    var heard = new ArrayList<Talk>();
    var guest = new Client(false);
    var own = new Client(true);

    say(CLIENTS, guest, heard, frame);
    assertTrue(guest.closed);
    assertEquals(List.of(), heard);

    say(CLIENTS, own, heard, frame);
    say(CLIENTS.withLongGuestFrames(1 << 20), new Client(false), heard, frame);
    assertEquals(2, heard.size());
  }

  /// What a client may do after each of the frames.
  private static List<Talk> heardAfter(Client client, byte[]... frames) {
    var heard = new ArrayList<Talk>();
    say(CLIENTS, client, heard, frames);
    return heard;
  }

  private static byte[] behalf() {
    var frame = Behalf.frame(FAR);
    assertNotNull(frame);
    return frame;
  }

  private static final Connection.Credentials FAR =
      new Connection.Credentials("root", List.of("root", "wheel"), false, new NodeName("far"));

  @Test
  void whoSpeaksForARemoteUserHasThatUsersRightsFromThenOn() {
    var member = CLIENTS.request(1, new Talk.Say("all may", 1, true));
    var own = CLIENTS.request(2, new Talk.Sized(Size.SMALL));

    assertEquals(2, heardAfter(new Client(true), member, own).size());
    var speaker = new Client(true);
    assertEquals(1, heardAfter(speaker, behalf(), member, own).size());
    assertTrue(speaker.closed);
  }

  @Test
  void nobodyElseSpeaksForOthers() {
    var guest = new Client(false);
    heardAfter(guest, behalf());
    assertTrue(guest.closed);
    var twice = new Client(true);
    heardAfter(twice, behalf(), behalf());
    assertTrue(twice.closed);
    var nobody = new Client(true);
    heardAfter(nobody, frame("behalf\nfar"));
    assertTrue(nobody.closed);
  }

  @Test
  void aUserIsNamedWholeOrNotAtAll() {
    assertEquals(FAR, Behalf.in(behalf()));
    assertEquals("root of far", FAR.who());
    var odd = new Connection.Credentials("root", List.of("a\nb"), false, new NodeName("far"));
    assertNull(Behalf.frame(odd));
  }
}
