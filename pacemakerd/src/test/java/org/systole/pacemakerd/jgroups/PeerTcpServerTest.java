package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.jgroups.blocks.cs.ReceiverAdapter;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.DefaultThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PeerTcpServerTest {
  private static final int SECONDS = 30;
  private static final Duration AT_ONCE = Duration.ofSeconds(SECONDS);
  private static final int LONG = 3_600_000; // ms

  private final InetAddress here = InetAddress.getLoopbackAddress();
  private ServerSocket deaf;
  private PeerTcpServer server;

  @BeforeEach
  void aPeerThatNeverReads() throws Exception {
    deaf = new ServerSocket(0, 50, here);
    server = start(LONG);
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    deaf.close();
  }

  private PeerTcpServer start(int patienceMillis) throws Exception {
    int port;
    try (var free = new ServerSocket(0, 1, here)) {
      port = free.getLocalPort();
    }
    var threads = new DefaultThreadFactory("peer", true);
    var it = new PeerTcpServer(threads, new DefaultSocketFactory(), here, port, patienceMillis);
    it.usePeerConnections(true);
    it.start();
    return it;
  }

  private Address deafPeer() {
    return new IpAddress(here, deaf.getLocalPort());
  }

  /// Writes until the connection takes no more.
  private void stick(CountDownLatch ended) throws InterruptedException {
    var written = new AtomicLong();
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                while (true) {
                  server.send(deafPeer(), new byte[1 << 16], 0, 1 << 16);
                  written.incrementAndGet();
                }
              } catch (Exception e) {
                ended.countDown();
              }
            });
    for (var before = -1L; before != written.get() || before == 0; ) {
      before = written.get();
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  @Test
  void aBlockedConnectionIsClosedAtOnceWhenItsPeerLeaves() throws Exception {
    var ended = new CountDownLatch(1);
    stick(ended);
    assertTimeoutPreemptively(AT_ONCE, () -> server.retainAll(List.of()));
    assertTrue(ended.await(SECONDS, TimeUnit.SECONDS), "the writer goes on");
  }

  @Test
  @Timeout(SECONDS)
  void aConnectionOverWhichNothingComesIsGivenUp() throws Exception {
    server.close();
    server = start(500);
    var ended = new CountDownLatch(1);
    stick(ended);
    while (!ended.await(10, TimeUnit.MILLISECONDS)) {
      server.breakIfDead(deafPeer());
    }
  }

  @Test
  void aSilentPeerDoesNotKeepOutTheNextOne() throws Exception {
    var came = new CountDownLatch(1);
    server.receiver(
        new ReceiverAdapter() {
          @Override
          public void receive(Address from, java.io.DataInput in, int length) throws Exception {
            in.skipBytes(length);
            came.countDown();
          }
        });
    server.peerAddressReadTimeout(LONG);
    var other = start(LONG);
    var port = ((IpAddress) server.localAddress()).getPort();
    try (var silent = new Socket(here, port)) {
      assertEquals(port, silent.getPort());
      other.send(server.localAddress(), new byte[8], 0, 8);
      assertTrue(came.await(SECONDS, TimeUnit.SECONDS));
    } finally {
      other.close();
    }
  }
}
