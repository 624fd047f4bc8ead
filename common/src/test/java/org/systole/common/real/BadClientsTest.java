package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.wire.BlockingClient;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Connection;
import org.systole.common.world.World;

/// A daemon's socket and clients that do not mean well.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BadClientsTest {
  sealed interface Talk {
    ClientProtocol<Said, Said, NoEvent> PROTOCOL =
        ClientProtocol.of(Protocol.of("talk", 1, Talk.class), Said.class, Said.class);

    sealed interface Said extends Talk {}

    sealed interface Heard extends Talk {}

    record Say(String text) implements Said {}

    record Hear(String text) implements Heard {}
  }

  @TempDir private Path root;

  private Layout layout;

  @BeforeEach
  void aDaemonThatRepeats() {
    layout = new Layout(root, root);
    var world = RealWorld.create(layout, Map.of("SYSTOLE_NODE", "a", "PCMK_logfile", "none"), "talker", "talk");
    RpcServer.serve(
        world,
        "talk",
        World.Access.GROUP,
        Talk.PROTOCOL,
        (_, call, request) -> call.reply(request));
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(() -> {}));
  }

  private SocketChannel connect() throws Exception {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(layout.socket("talk")));
    return channel;
  }

  private static ByteBuffer frame(int length, byte[] content) {
    return ByteBuffer.allocate(Integer.BYTES + content.length).putInt(length).put(content).flip();
  }

  private static ByteBuffer frame(String content) {
    var bytes = content.getBytes(StandardCharsets.UTF_8);
    return frame(bytes.length, bytes);
  }

  private void stillWorks() throws Exception {
    try (var client = BlockingClient.open(layout.socket("talk"), Talk.PROTOCOL)) {
      var said = new Talk.Say("hello");
      assertEquals(said, client.call(said, Duration.ofSeconds(60)));
    }
  }

  @Test
  void whatIsNotUnderstoodEndsTheConnectionAndNothingElse() throws Exception {
    for (var bad :
        List.of(
            frame(4, new byte[] {0, 1, 2, 3}),
            frame(-1, new byte[0]),
            frame(0, new byte[0]),
            frame(Connection.FRAME_MAX + 1, new byte[100]),
            frame("{}"),
            frame("[1,2"),
            frame("{\"v\":2,\"id\":1,\"type\":\"Say\",\"body\":{}}"),
            frame("{\"v\":1,\"id\":1,\"type\":\"Say\"}"),
            frame("{\"v\":1,\"id\":1,\"type\":\"Say\",\"body\":7}"),
            frame("{\"v\":1,\"id\":1,\"type\":\"Hear\",\"body\":{\"text\":\"no request\"}}"),
            frame("[".repeat(100_000)),
            ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)))) {
      try (var client = connect()) {
        client.write(bad);
        assertEquals(-1, client.read(ByteBuffer.allocate(100)), () -> "not cut off: " + bad);
      }
      stillWorks();
    }
  }

  @Test
  void aRequestOfAnotherBuildIsRefusedInWordsAndTheConnectionGoesOn() throws Exception {
    try (var client = connect()) {
      client.write(frame("{\"v\":1,\"id\":1,\"type\":\"Shout\",\"body\":{}}"));
      var answer = answer(client);
      assertTrue(answer.contains("NotUnderstood"), answer);
      var refused =
          assertThrows(
              Protocol.NotUnderstoodException.class,
              () -> Talk.PROTOCOL.replyIn(answer.getBytes(StandardCharsets.UTF_8)));
      assertTrue(refused.getMessage().contains("unknown message \"Shout\""), refused.getMessage());

      client.write(frame(new String(Talk.PROTOCOL.request(2, new Talk.Say("on")), StandardCharsets.UTF_8)));
      assertTrue(answer(client).contains("\"on\""));
    }
    stillWorks();
  }

  private static String answer(SocketChannel from) throws Exception {
    var length = ByteBuffer.allocate(Integer.BYTES);
    while (length.hasRemaining()) {
      assertTrue(from.read(length) >= 0, "cut off");
    }
    var answer = ByteBuffer.allocate(length.flip().getInt());
    while (answer.hasRemaining()) {
      assertTrue(from.read(answer) >= 0, "cut off");
    }
    return new String(answer.array(), StandardCharsets.UTF_8);
  }

  @Test
  void halvesOfLargeFramesAndSilenceHoldUpNobody() throws Exception {
    var clients = new ArrayList<SocketChannel>();
    for (var i = 0; i < 2; i++) {
      var client = connect();
      client.write(frame(Connection.FRAME_MAX, new byte[1000]));
      clients.add(client);
    }
    for (var i = 0; i < 300; i++) {
      clients.add(connect());
    }
    stillWorks();
    for (var client : clients) {
      client.close();
    }
    stillWorks();
  }

  @Test
  void aFrameMayComeInPieces() throws Exception {
    try (var client = connect()) {
      var whole = frame("{\"v\":1,\"id\":1,\"type\":\"Say\",\"body\":{\"text\":\"a\"}}");
      while (whole.hasRemaining()) {
        client.write(ByteBuffer.wrap(new byte[] {whole.get()}));
      }
      var answer = ByteBuffer.allocate(1000);
      assertTrue(client.read(answer) > 4);
    }
  }

  @Test
  void guestsHaveTheirShareAndNoMore() {
    var guests = new Guests();
    for (var i = 0; i < Guests.PER_USER; i++) {
      assertTrue(guests.enter("one"));
    }
    assertFalse(guests.enter("one"));
    assertTrue(guests.enter("other"));
    guests.leave("one");
    assertTrue(guests.enter("one"));
    assertTrue(guests.queue(100 << 20));
    assertFalse(guests.queue(100 << 20));
  }
}
