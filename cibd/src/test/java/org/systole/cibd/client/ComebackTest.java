package org.systole.cibd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// A command that meets the CIB manager as it is started again.
class ComebackTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir Path root;
  private Layout layout = new Layout(Path.of("."), Path.of("."));

  @BeforeEach
  void aNode() throws IOException {
    layout = new Layout(root, root);
    Files.createDirectories(layout.run());
  }

  private ServerSocketChannel listen(String name) throws IOException {
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    Files.deleteIfExists(layout.socket(name));
    server.bind(UnixDomainSocketAddress.of(layout.socket(name)));
    return server;
  }

  private CibConnection open() throws CibException {
    return CibConnection.open(layout, "test", "", TIMEOUT);
  }

  /// A CIB manager that ends with the first request.
  private static void takeOneAndEnd(ServerSocketChannel server) {
    try (server;
        var client = server.accept()) {
      frame(client);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] frame(SocketChannel client) throws IOException {
    var in = new DataInputStream(Channels.newInputStream(client));
    return in.readNBytes(in.readInt());
  }

  /// The next one, which answers one request.
  private void answerOne() {
    try (var server = listen(CibMessage.SOCKET);
        var client = server.accept()) {
      var asked = CibMessage.PROTOCOL.requestIn(frame(client));
      var answer = new CibMessage.Answer(Rc.OK, "the next one", null, CibVersion.NONE);
      var reply = CibMessage.PROTOCOL.reply(asked.id(), answer);
      client.write(ByteBuffer.allocate(Integer.BYTES + reply.length).putInt(reply.length).put(reply).flip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CompletableFuture<Void> endAndComeBack(ServerSocketChannel first) {
    return start(
        () -> {
          takeOneAndEnd(first);
          pause();
          answerOne();
        });
  }

  /// A process takes time to start.
  private static void pause() {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CompletableFuture<Void> start(Runnable what) {
    return CompletableFuture.runAsync(what, it -> Thread.ofVirtual().start(it));
  }

  /// One that ends each connection after a request, or before.
  private static AtomicInteger endEach(ServerSocketChannel server, boolean reads) {
    var met = new AtomicInteger();
    start(
        () -> {
          while (true) {
            try (var client = server.accept()) {
              met.incrementAndGet();
              if (reads) {
                frame(client);
              }
            } catch (IOException e) {
              return; // the test has ended
            }
          }
        });
    return met;
  }

  @Test
  void aQueryIsAskedAgainOnceItIsBack() throws Exception {
    try (var _ = listen("pacemakerd")) {
      var daemon = endAndComeBack(listen(CibMessage.SOCKET));
      try (var cib = open()) {
        assertEquals("the next one", cib.query(CibQuery.ALL).why());
      }
      daemon.get();
    }
  }

  @Test
  void whoComesWhileItIsAwayWaitsForIt() throws Exception {
    try (var _ = listen("pacemakerd")) {
      listen(CibMessage.SOCKET).close(); // the socket stays, and nobody listens
      var daemon =
          start(
              () -> {
                pause();
                answerOne();
              });
      try (var cib = open()) {
        assertEquals("the next one", cib.query(CibQuery.ALL).why());
      }
      daemon.get();
    }
  }

  @Test
  void withoutItsSupervisorNobodyWaitsForIt() throws Exception {
    var server = listen(CibMessage.SOCKET);
    var daemon = start(() -> takeOneAndEnd(server));
    try (var cib = open()) {
      assertEquals(Rc.ENOTCONN, cib.query(CibQuery.ALL).rc());
    }
    daemon.get();
    assertEquals(Rc.ENOTCONN, assertThrows(CibException.class, this::open).rc());
  }

  /// Nobody knows whether it was made.
  @Test
  void aChangeIsNotAskedForAgain() throws Exception {
    try (var _ = listen("pacemakerd");
        var server = listen(CibMessage.SOCKET)) {
      var met = endEach(server, true);
      try (var cib = open()) {
        assertEquals(Rc.ENOTCONN, cib.update(CibOp.put("crm_config", Element.of("cluster_property_set"))).rc());
      }
      assertEquals(1, met.get());
    }
  }

  @Test
  void oneThatTakesNobodyIsNotAskedForEver() throws Exception {
    try (var _ = listen("pacemakerd");
        var server = listen(CibMessage.SOCKET)) {
      var met = endEach(server, false);
      try (var cib = open()) {
        assertEquals(Rc.ENOTCONN, cib.query(CibQuery.ALL).rc());
      }
      assertEquals(3, met.get());
    }
  }
}
