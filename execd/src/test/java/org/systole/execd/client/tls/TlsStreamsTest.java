package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.CannotStart;
import org.systole.execd.client.remote.RemoteFrames;

@Timeout(120)
final class TlsStreamsTest {
  private static final Duration WITHIN = Duration.ofSeconds(30);
  private static final String LOCAL = "127.0.0.1";

  @TempDir Path directory;

  private final LoopWorld loop = new LoopWorld();
  private TlsStreams streams;
  private int port;
  private final Ear server = new Ear();

  @BeforeEach
  void serve() throws IOException {
    streams = new TlsStreams(loop.world, new RemoteKey(key("key", 1)));
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      port = free.getLocalPort();
    }
    streams.listen(LOCAL, port, _ -> server);
  }

  @AfterEach
  void end() {
    loop.close();
  }

  private Path key(String name, int seed) throws IOException {
    var file = directory.resolve(name);
    var bytes = new byte[4096];
    new Random(seed).nextBytes(bytes);
    Files.write(file, bytes);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    return file;
  }

  private Ear connect() {
    var ear = new Ear();
    streams.connect(LOCAL, port, WITHIN, ear);
    return ear;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void messagesOfAllLengthsGoBothWays() throws Exception {
    var client = connect();
    var there = Ear.next(client.opened);
    var here = Ear.next(server.opened);
    assertEquals(LOCAL, here.peer().user());
    for (var length : new int[] {1, 16_383, 16_384, 100_000, 3 << 20}) {
      var message = new byte[length];
      new Random(length).nextBytes(message);
      message[length - 1] = 'x';
      loop.world.post(() -> there.send(message));
      assertArrayEquals(message, Ear.next(server.received));
      loop.world.post(() -> here.send(message));
      assertArrayEquals(message, Ear.next(client.received));
    }
    loop.world.post(
        () -> {
          there.send(bytes("last"));
          there.close();
        });
    assertArrayEquals(bytes("last"), Ear.next(server.received));
    assertEquals("closed by the other end", Ear.next(server.closed));
    assertEquals("closed", Ear.next(client.closed));
  }

  /// A line between client and server that can be stalled.
  private final class Line implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(LOCAL));
    private final Semaphore moving = new Semaphore(1);
    private final BlockingQueue<Socket> ends = new LinkedBlockingQueue<>();

    private Line() throws IOException {
      Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
      try (var near = socket.accept();
          var far = new Socket(LOCAL, port)) {
        ends.add(near);
        var back = Thread.ofVirtual().start(() -> pass(far, near));
        pass(near, far);
        back.join();
      } catch (IOException | InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /// A bit at a time, while the line moves.
    private void pass(Socket from, Socket to) {
      var some = new byte[1024];
      try (from;
          to) {
        for (var count = from.getInputStream().read(some);
            count >= 0;
            count = from.getInputStream().read(some)) {
          moving.acquire();
          moving.release();
          to.getOutputStream().write(some, 0, count);
        }
      } catch (IOException | InterruptedException e) {
        Thread.currentThread().interrupt(); // the line is cut
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /// As the kernel closes the connections of a process that is killed.
  @Test
  void whoIsGoneWithoutAWordIsSaidToBe() throws Exception {
    try (var line = new Line()) {
      var client = new Ear();
      streams.connect(LOCAL, line.socket.getLocalPort(), WITHIN, client);
      Ear.next(client.opened);
      Ear.next(server.opened);
      Ear.next(line.ends).shutdownOutput();
      var why = Ear.next(client.closed);
      assertTrue(why.startsWith("the other end is gone without a word"), why);
    }
  }

  @Test
  void whatIsNotThroughWhenAConnectionIsGivenUpNeverComes() throws Exception {
    try (var line = new Line()) {
      var client = new Ear();
      streams.connect(LOCAL, line.socket.getLocalPort(), WITHIN, client);
      var there = Ear.next(client.opened);
      Ear.next(server.opened);
      line.moving.acquire();
      var sent = 30;
      loop.world.post(
          () -> {
            for (var count = 0; count < sent; count++) {
              there.send(new byte[1 << 20]); // more than the kernel's buffers take
            }
            there.abandon();
          });
      Ear.next(client.closed);
      line.moving.release();
      Ear.next(server.closed);
      assertTrue(server.received.size() < sent, server.received.size() + " messages came");
    }
  }

  /// What waits for the loop is before what others have for it.
  @Test
  void whoSendsWithoutEndGetsNoMoreTurnsThanOthers() throws Exception {
    var client = connect();
    var there = Ear.next(client.opened);
    Ear.next(server.opened);
    var most = 0;
    for (var round = 0; round < 5; round++) {
      loop.world.post(
          () -> {
            for (var count = 0; count < 5000; count++) {
              there.send(bytes("<a/>"));
            }
            try {
              Thread.sleep(100); // the loop has other things to do, and much arrives meanwhile
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      var between = new CompletableFuture<Integer>();
      loop.world.post(
          () -> {
            var from = server.received.size();
            loop.world.post(() -> between.complete(server.received.size() - from));
          });
      most = Math.max(most, between.get(60, TimeUnit.SECONDS));
    }
    assertTrue(most <= 500, most + " messages came before what another had for the loop");
    for (var count = 0; count < 25_000; count++) {
      Ear.next(server.received);
    }
  }

  @Test
  void whoHasAnotherKeyIsSentAwayUnheard() throws Exception {
    var stranger = new Ear();
    new TlsStreams(loop.world, new RemoteKey(key("other", 2)))
        .connect(LOCAL, port, WITHIN, stranger);
    var why = Ear.next(stranger.closed);
    assertTrue(why.contains("the same key"), why);
    assertEquals(0, stranger.opened.size());
    Ear.next(connect().opened); // others are served all the while
    Ear.next(server.opened);
    assertEquals(0, server.opened.size());
    var said = Ear.next(loop.lines());
    assertTrue(said.contains("it does not know the same key"), said);
  }

  /// As one does that has no key, or Pacemaker's own with another one.
  @Test
  void whoClosesTheConnectionBeforeAnythingIsProvedIsSaidToWantTheKey() throws Exception {
    var goodbye = new byte[] {21, 3, 3, 0, 2, 1, 0};
    for (var said : List.of(new byte[0], goodbye)) {
      var why = answered(said);
      assertTrue(why.contains("it closed the connection") && why.contains("no key, or another one"), why);
    }
  }

  @Test
  void anotherServiceAtThePortIsSaidToBeOne() throws Exception {
    for (var said : List.of("SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n")) {
      var why = answered(bytes(said));
      assertTrue(why.contains("does not speak TLS; another program may have that port"), why);
    }
  }

  /// Why there is no connection to what says so much and closes it.
  private String answered(byte[] said) throws Exception {
    try (var listener = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      Thread.ofVirtual()
          .start(
              () -> {
                try (var socket = listener.accept()) {
                  socket.getInputStream().read(new byte[16 << 10]); // what is unread would reset it
                  socket.getOutputStream().write(said);
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      var client = new Ear();
      streams.connect(LOCAL, listener.getLocalPort(), WITHIN, client);
      return Ear.next(client.closed);
    }
  }

  /// Nobody waits for name servers that do not answer: the owner would only hear that its time is over.
  @Test
  void aNameThatNobodyTellsTheAddressOfIsSaidToBeOne() throws Exception {
    var never = new Semaphore(0);
    var askedFor = new AtomicInteger();
    var names =
        new NameLookup(
            name -> {
              askedFor.incrementAndGet();
              never.acquireUninterruptibly();
              throw new UnknownHostException(name);
            });
    var key = new RemoteKey(directory.resolve("key"));
    var client = new Ear();
    var within = Duration.ofMillis(500);
    var begun = System.nanoTime();
    new TlsStreams(loop.world, key, 9 << 20, names).connect("far.invalid", port, within, client);
    var why = Ear.next(client.closed);
    assertTrue(why.contains("nobody says in time which address this name has"), why);
    assertTrue(System.nanoTime() - begun < WITHIN.toNanos());
    for (var count = 1; count < NameLookup.AT_A_TIME; count++) {
      assertThrows(IOException.class, () -> names.find("far.invalid", Duration.ofMillis(1)));
    }
    var asked = assertThrows(IOException.class, () -> names.find("far.invalid", Duration.ofMillis(1)));
    assertTrue(asked.getMessage().contains("nobody says in time"), asked.getMessage());
    assertTrue(askedFor.get() <= NameLookup.AT_A_TIME, askedFor + " are asked for at a time");
    assertEquals(InetAddress.getByName(LOCAL), names.find(LOCAL, within), "an address needs nobody");
    never.release(NameLookup.AT_A_TIME + 1);
    assertTrue(
        assertThrows(IOException.class, () -> names.find("far.invalid", WITHIN))
            .getMessage()
            .contains("there is no address for this name"));
  }

  @Test
  void aKeyThatAllCanReadIsNotUsed() throws Exception {
    var file = key("open", 1);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(
        assertThrows(IOException.class, () -> new RemoteKey(file).read())
            .getMessage()
            .contains("chmod 640"));
    var client = new Ear();
    new TlsStreams(loop.world, new RemoteKey(directory.resolve("none")))
        .connect(LOCAL, port, WITHIN, client);
    assertTrue(Ear.next(client.closed).contains("no such file"));
    Files.write(file, new byte[3]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThrows(IOException.class, () -> new RemoteKey(file).read());
  }

  @Test
  void garbageAndHalfHandshakesHoldUpNobody() throws Exception {
    var sockets = new ArrayList<Socket>();
    for (var count = 0; count < 3 * Unfinished.ALL; count++) {
      var socket = new Socket(LOCAL, port);
      sockets.add(socket);
      switch (count % 3) {
        case 0 -> socket.getOutputStream().write(bytes("GET / HTTP/1.1\r\n\r\n"));
        case 1 -> socket.getOutputStream().write(new byte[] {22, 3, 1, 0, 90, 1}); // and no more
        default -> {} // says nothing
      }
    }
    var client = connect();
    var there = Ear.next(client.opened);
    loop.world.post(() -> there.send(bytes("<a/>")));
    assertArrayEquals(bytes("<a/>"), Ear.next(server.received));
    Ear.next(server.opened);
    assertEquals(0, server.opened.size() + server.closed.size());
    for (var socket : sockets) {
      socket.close();
    }
  }

  @Test
  void aHandshakeThatIsNotFinishedInTimeIsGivenUp() throws Exception {
    try (var silent = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      var client = new Ear();
      streams.connect(LOCAL, silent.getLocalPort(), Duration.ofMillis(300), client);
      var why = Ear.next(client.closed);
      assertTrue(why.contains("cannot connect to 127.0.0.1"), why);
      assertTrue(why.contains("it takes the connection, but says nothing in time"), why);
    }
    try (var slow = new Socket(LOCAL, port)) {
      // The server gives up by itself: the end of the stream comes, or a reset.
      slow.getOutputStream().write(22);
      slow.setSoTimeout(60_000);
      try {
        slow.getInputStream().readAllBytes();
      } catch (SocketException e) {
        assertTrue(e.getMessage() != null);
      }
    }
    var said = Ear.next(loop.lines());
    assertTrue(said.contains("in time"), said);
  }

  @Test
  void aPeerThatDoesNotReadIsCutOffAndOthersAreServed() throws Exception {
    try (var listener = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      var deaf = new LinkedBlockingQueue<Object>();
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  var socket = listener.accept();
                  var key = new RemoteKey(directory.resolve("key")).read();
                  deaf.add(PskTls.accept(socket.getInputStream(), socket.getOutputStream(), key, null));
                } catch (IOException e) {
                  deaf.add(e);
                }
              });
      var client = new Ear();
      streams.connect(LOCAL, listener.getLocalPort(), WITHIN, client);
      var there = Ear.next(client.opened);
      for (var count = 0; count < 50; count++) {
        loop.world.post(() -> there.send(new byte[1 << 20]));
      }
      assertEquals("the other end does not read", Ear.next(client.closed));
      Ear.next(connect().opened);
    }
  }

  /// It takes a record for as long as it says nothing else, and there are always more.
  @Test
  void aServerThatOnlyChattersIsNotListenedToForLong() throws Exception {
    try (var listener = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      var said = new CompletableFuture<Long>();
      Thread.ofVirtual().start(() -> said.complete(chatter(listener)));
      var client = new Ear();
      var begun = System.nanoTime();
      streams.connect(LOCAL, listener.getLocalPort(), WITHIN, client);
      var why = Ear.next(client.closed);
      assertTrue(why.contains("too much before it has proved who it is"), why);
      assertTrue(System.nanoTime() - begun < WITHIN.toNanos() / 2);
      assertTrue(said.get(60, TimeUnit.SECONDS) < 16 << 20, "what the line has taken and more");
    }
  }

  private static long chatter(ServerSocket listener) {
    var said = 0L;
    try (var socket = listener.accept()) {
      var requests = new byte[9 * 1000]; // a server may say at any time that it would like to begin
      for (var at = 0; at < requests.length; at += 9) {
        System.arraycopy(new byte[] {22, 3, 3, 0, 4, 0, 0, 0, 0}, 0, requests, at, 9);
      }
      while (true) {
        socket.getOutputStream().write(requests);
        said += requests.length;
      }
    } catch (IOException e) {
      return said;
    }
  }

  @Test
  void whoFillsTheMemoryOfAllIsCutOffAndOthersAreServed() throws Exception {
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      port = free.getLocalPort();
    }
    streams = new TlsStreams(loop.world, new RemoteKey(directory.resolve("key")), 9 << 20, NameLookup.OF_THE_MACHINE);
    streams.listen(LOCAL, port, _ -> server);
    var key = new RemoteKey(directory.resolve("key")).read();
    var sockets = new ArrayList<Socket>();
    for (var count = 0; count < 3; count++) {
      var socket = new Socket(LOCAL, port);
      sockets.add(socket);
      var tls = PskTls.connect(socket.getInputStream(), socket.getOutputStream(), key, null);
      tls.out().write(RemoteFrames.header(1, new byte[19 << 20]));
      tls.out().write(new byte[3 << 20]); // and no more
    }
    assertTrue(Ear.next(server.closed).contains("the memory of all connections is full"));
    var client = connect();
    var there = Ear.next(client.opened);
    loop.world.post(() -> there.send(bytes("<a/>")));
    assertArrayEquals(bytes("<a/>"), Ear.next(server.received));
    assertEquals(0, server.closed.size(), "the others have room");
    for (var socket : sockets) {
      socket.close();
    }
  }

  @Test
  void aFrameThatIsNoneEndsTheConnection() throws Exception {
    var key = new RemoteKey(directory.resolve("key")).read();
    try (var socket = new Socket(LOCAL, port)) {
      var tls = PskTls.connect(socket.getInputStream(), socket.getOutputStream(), key, null);
      var header = RemoteFrames.header(1, bytes("<a/>"));
      header[27] = 0x7f; // the total length
      tls.out().write(header);
      var why = Ear.next(server.closed);
      assertTrue(why.contains("at most"), why);
    }
  }

  @Test
  void aPortThatIsTakenIsSaid() {
    var e = assertThrows(CannotStart.class, () -> streams.listen(LOCAL, port, _ -> server));
    assertEquals(100, e.status());
    assertTrue(e.getMessage().contains("another program may have it"), e.getMessage());
  }
}
