package org.systole.cibd.client;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.systole.common.layout.Layout;
import org.systole.common.wire.BlockingClient;

/// Waits for a CIB manager that is just being started again, as by an upgrade of the packages: for as long as its
/// supervisor is there, which starts it.
final class Comeback {
  private static final String SUPERVISOR = "pacemakerd"; // its socket
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final int PAUSE_MILLIS = 50;

  private final Layout layout;
  private final long until;

  /// @param timeout how long whoever asks would wait for an answer
  Comeback(Layout layout, Duration timeout) {
    this.layout = layout;
    var patience = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    this.until = System.nanoTime() + patience.toNanos();
  }

  /// @throws IOException why the CIB manager cannot be asked, if nobody starts it again or it takes too long
  BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> open() throws IOException {
    try {
      return once(layout);
    } catch (IOException e) {
      return openLater(e);
    }
  }

  /// The same a moment later: a connection that has just broken may be the first sign of the end of what is still
  /// listening.
  ///
  /// @param why what has been met with so far
  BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> openLater(IOException why)
      throws IOException {
    try (var supervisor = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      supervisor.connect(UnixDomainSocketAddress.of(layout.socket(SUPERVISOR)));
      supervisor.configureBlocking(false);
      while (System.nanoTime() < until && supervisor.read(ByteBuffer.allocate(1)) >= 0) {
        Thread.sleep(PAUSE_MILLIS);
        try {
          return once(layout);
        } catch (IOException e) {
          why.addSuppressed(e);
        }
      }
    } catch (IOException e) {
      why.addSuppressed(e); // there is no supervisor, or none for this user
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw why;
  }

  static BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> once(Layout layout)
      throws IOException {
    return BlockingClient.open(layout.socket(CibMessage.SOCKET), CibMessage.PROTOCOL);
  }
}
