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

/// The connections between nodes: JGroups' own, except that no connection delays another one, or
/// its own closing.
///
/// - Each peer that connects is greeted on a thread of its own. JGroups accepts the next one only
///   when the last one has identified itself and its earlier connection is closed.
/// - A connection is closed without a closing message: if the other end does not read, as behind a
///   cut link, that would wait for minutes until the system gives the connection up.
/// - A connection over which nothing came for long is given up when something is to be sent on it.
///   The system would retry at ever longer intervals, and notice a repaired link late.
final class PeerTcpServer extends TcpServer {
  private static final int GREETED_MAX = 64; // at a time

  private volatile long patienceNanos;
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

  void patience(long millis) {
    patienceNanos = millis * 1_000_000;
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

  /// Closes a dead connection, so that a thread that still writes to it does not wait any longer.
  /// Does not block.
  void breakIfDead(Address to) {
    if (conns.get(to) instanceof Line line && line.isDead()) {
      Util.close(line);
    }
  }

  /// Closes the connection to a peer, if there is one. Does not block.
  void drop(Address to) {
    if (conns.get(to) instanceof Line line) {
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
    private final PeerTcpServer server;
    private volatile long heard = System.nanoTime();

    Line(Address to, PeerTcpServer server) throws Exception {
      super(to, server);
      this.server = server;
    }

    Line(Socket from, PeerTcpServer server) throws Exception {
      super(from, server);
      this.server = server;
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
      return System.nanoTime() - heard > server.patienceNanos;
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

    /// Nothing is buffered, and the caller must not wait for a thread that sends.
    @Override
    public void flush() {}

    @Override
    public void close() throws IOException {
      close(false);
    }
  }
}
