package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

/// A daemon that is started by hand beside the one that is there.
class SecondDaemonTest {
  private static final DaemonMain.Single ONE = new DaemonMain.Single("attr", "an attribute manager instance", DaemonOption.ALL);

  @TempDir Path root;

  private String whyNot() {
    return DaemonMain.whyNot(ONE, Map.of(Layout.ROOT, root.toString()));
  }

  @Test
  void doesNotStartWhileTheSocketIsServed() throws IOException {
    assertNull(whyNot(), "no socket");
    var socket = Layout.of(Map.of(Layout.ROOT, root.toString())).socket("attr");
    Files.createDirectories(socket.getParent());
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      assertEquals(
          "Aborting start-up because an attribute manager instance is already active", whyNot());
    }
    assertNull(whyNot(), "what a daemon that has ended left there");
  }

  /// A connection is waited for where as many wait as the socket takes.
  @Test
  void doesNotStartBesideOneThatHangs() throws IOException {
    var socket = UnixDomainSocketAddress.of(Layout.of(Map.of(Layout.ROOT, root.toString())).socket("attr"));
    Files.createDirectories(socket.getPath().getParent());
    var waiting = new ArrayList<SocketChannel>();
    try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(socket, 1);
      for (var count = 0; count < 2; count++) {
        waiting.add(SocketChannel.open(socket));
      }
      assertEquals("Aborting start-up because an attribute manager instance is already active", whyNot());
    } finally {
      for (var it : waiting) {
        it.close();
      }
    }
  }
}
