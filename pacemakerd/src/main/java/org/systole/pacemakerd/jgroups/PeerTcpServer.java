package org.systole.pacemakerd.jgroups;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import org.jgroups.Address;
import org.jgroups.blocks.cs.TcpConnection;
import org.jgroups.blocks.cs.TcpServer;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.ThreadFactory;
import org.jgroups.util.Util;

/// The connections between nodes: JGroups' own, but one of them never holds up another, nor its own
/// end.
///
/// - Who connects is greeted on a thread of his own. JGroups accepts the next one only when the
///   last one has said who he is and the connection he had before is closed.
/// - A connection is closed without saying so on it: where the other end takes nothing any more, as
///   behind a cut line, that waits until the system gives the connection up, for minutes.
/// - A connection over which nothing came for long is given up by whoever wants to send on it. The
///   system would try again at ever longer intervals, and find a mended line late.
final class PeerTcpServer extends TcpServer {
  private static final int GREETED_MAX = 64; // at a time

  private final long patienceNanos;
  private final Semaphore greeted = new Semaphore(GREETED_MAX);

  /// @param patienceMillis after which a connection over which nothing came counts as dead
  PeerTcpServer(
      ThreadFactory threads,
      SocketFactory sockets,
      InetAddress address,
      int port,
      long patienceMillis)
      throws Exception {
    super(threads, sockets, address, port, port, null, 0, 0);
    patienceNanos = patienceMillis * 1_000_000;
    acceptor = threads.newThread(new Greeter(), "accept");
  }

  @Override
  protected TcpConnection createConnection(Address to) throws Exception {
    return new Line(to, this);
  }

  @Override
  public void send(Address to, byte[] data, int offset, int length) throws Exception {
    if (conns.get(to) instanceof Line line && line.isDead()) {
      removeConnectionIfPresent(to, line); // there will be a new one
    }
    super.send(to, data, offset, length);
  }

  /// Ends a connection that is dead, so that whoever still writes to it does not wait any longer.
  /// Does not wait itself.
  void breakIfDead(Address to) {
    if (conns.get(to) instanceof Line line && line.isDead()) {
      Util.close(line);
    }
  }

  private final class Greeter extends Acceptor {
    @Override
    protected void handleAccept(Socket socket) {
      if (!greeted.tryAcquire()) {
        Util.close(socket);
        return;
      }
      Thread.ofVirtual().name("greet").start(() -> greet(socket));
    }

    private void greet(Socket socket) {
      try {
        var line = new Line(socket, PeerTcpServer.this);
        handleIncomingConnection(line.peerAddress(), line);
      } catch (Exception e) {
        log.debug("refused a connection: %s", e.getMessage());
        Util.close(socket);
      } finally {
        greeted.release();
      }
    }
  }

  private static final class Line extends TcpConnection {
    private final long patienceNanos;
    private volatile long heard = System.nanoTime();

    Line(Address to, PeerTcpServer server) throws Exception {
      super(to, server);
      patienceNanos = server.patienceNanos;
    }

    Line(Socket from, PeerTcpServer server) throws Exception {
      super(from, server);
      patienceNanos = server.patienceNanos;
    }

    @Override
    public void connect(Address to) throws Exception {
      super.connect(to);
      heard = System.nanoTime();
    }

    /// Called with each message that came.
    @Override
    protected void updateLastAccessed() {
      heard = System.nanoTime();
    }

    boolean isDead() {
      return System.nanoTime() - heard > patienceNanos;
    }

    @Override
    public void send(byte[] data, int offset, int length) throws Exception {
      send_lock.lock();
      try {
        doSend(data, offset, length, true);
      } finally {
        send_lock.unlock();
      }
    }

    /// Nothing waits to be flushed, and who asks must not wait for one who sends.
    @Override
    public void flush() {}

    @Override
    public void close() throws IOException {
      close(false);
    }
  }
}
