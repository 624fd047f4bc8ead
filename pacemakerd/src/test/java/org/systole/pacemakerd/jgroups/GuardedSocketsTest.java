package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.systole.common.world.Log;

final class GuardedSocketsTest {
  private static final int ADDRESSES = 4; // those from which all strangers connect
  private static final int OF_ONE = 16;
  private static final Log SILENT =
      new Log() {
        @Override
        public boolean keeps(Level level) {
          return false;
        }

        @Override
        public void write(Level level, String message) {}
      };

  private static Socket stranger(String from, int port) throws IOException {
    var socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
    socket.setSoTimeout(10_000);
    return socket;
  }

  /// A stranger with a whole network of addresses must not fill the memory with them.
  @Test
  @Timeout(60)
  void addressesWhoseConnectionsAreRefusedAreForgotten() throws Exception {
    var handshake = new Handshake(new KeyRing(ClusterKey.of(new byte[128], "test")));
    var open = new ArrayList<Socket>();
    try (var port =
        (GuardedSockets.Incoming)
            new GuardedSockets(handshake, Set.of(), SILENT).createServerSocket("test")) {
      port.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
      Thread.ofVirtual().start(() -> acceptNobody(port));
      for (var i = 0; i < ADDRESSES * OF_ONE; i++) {
        open.add(stranger("127.0.2." + (1 + i / OF_ONE), port.getLocalPort()));
      }
      var refused = 0;
      for (var i = 1; i <= 50; i++) {
        try (var one = stranger("127.0.3." + i, port.getLocalPort())) {
          refused += one.getInputStream().read() < 0 ? 1 : 0;
        }
      }
      assertTrue(refused >= 50, "there is no room for them: " + refused);
      assertTrue(port.addresses() <= ADDRESSES, () -> "remembered: " + port.addresses());
    } finally {
      for (var it : List.copyOf(open)) {
        it.close();
      }
    }
    assertEquals(ADDRESSES * OF_ONE, open.size());
  }

  private static void acceptNobody(GuardedSockets.Incoming port) {
    try {
      port.accept();
    } catch (IOException e) {
      return; // closed at the end of the test
    }
  }
}
