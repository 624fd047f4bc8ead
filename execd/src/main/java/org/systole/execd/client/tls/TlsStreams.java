package org.systole.execd.client.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.NeverOpened;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;

/// The real [SecureStreams]: TLS over TCP. Each connection has threads of its own, which are virtual.
public final class TlsStreams implements SecureStreams {
  private static final Duration HANDSHAKE = Duration.ofSeconds(10);
  private static final int CONNECTIONS = 64; // of a server; a cluster needs one or two
  private static final int BACKLOG = 64;
  private static final int FATAL = 100;
  private static final long COMPLAIN_NANOS = 1_000_000_000L;

  /// So much earlier than its owner gives it up has an attempt to connect failed, so that it says what of.
  private static final long EARLIER = 20; // a part of the time that it has

  private final World world;
  private final RemoteProof proof;
  private final AtomicLong complained = new AtomicLong();
  private final ReadRoom room;
  private final NameLookup names;

  /// @param proof by what both ends know each other
  public TlsStreams(World world, RemoteProof proof) {
    this(world, proof, ReadRoom.MAX, NameLookup.OF_THE_MACHINE);
  }

  /// @param readMax how many bytes that have arrived over all connections may wait
  TlsStreams(World world, RemoteProof proof, long readMax, NameLookup names) {
    this.world = world;
    this.proof = proof;
    this.room = new ReadRoom(readMax);
    this.names = names;
  }

  @Override
  public Server listen(@Nullable String address, int port, ServerHandler handler) {
    var server = bind(address, port);
    var unfinished = new Unfinished(new SecureRandom());
    var places = new Semaphore(CONNECTIONS);
    Thread.ofVirtual()
        .name("listen-" + server.getLocalPort())
        .start(() -> accept(server, unfinished, places, handler));
    return () -> {
      try {
        server.close();
      } catch (IOException e) {
        throw new IllegalStateException("cannot close port " + port + ": " + e.getMessage(), e);
      }
    };
  }

  private static ServerSocket bind(@Nullable String address, int port) {
    try {
      var server = new ServerSocket();
      server.setReuseAddress(true);
      server.bind(
          address == null
              ? new InetSocketAddress(port)
              : new InetSocketAddress(InetAddress.getByName(address), port),
          BACKLOG);
      return server;
    } catch (UnknownHostException e) {
      throw new CannotStart(
          "Cannot serve %s: it is not an address of this machine".formatted(address), FATAL);
    } catch (IOException | IllegalArgumentException e) {
      throw new CannotStart(
          "Cannot serve port %d of %s: %s; another program may have it"
              .formatted(port, address == null ? "all addresses" : address, e.getMessage()),
          FATAL);
    }
  }

  private void accept(
      ServerSocket server, Unfinished unfinished, Semaphore places, ServerHandler handler) {
    while (!server.isClosed()) {
      try {
        var socket = server.accept();
        unfinished.enter(socket);
        Thread.ofVirtual()
            .name("from-" + socket.getInetAddress().getHostAddress())
            .start(() -> admit(socket, unfinished, places, handler));
      } catch (IOException e) {
        if (!server.isClosed()) {
          complain("Cannot take a connection: " + e.getMessage());
          pause();
        }
      }
    }
  }

  /// Out of descriptors, most likely: others have to close some first.
  private static void pause() {
    try {
      Thread.sleep(Duration.ofMillis(100));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void admit(
      Socket socket, Unfinished unfinished, Semaphore places, ServerHandler handler) {
    var address = socket.getInetAddress().getHostAddress();
    TlsConnection connection;
    try {
      prepare(socket);
      var in = new HandshakeInput(socket, HANDSHAKE);
      var tls = proof.accept(socket, in);
      in.done();
      unfinished.proved(socket);
      connection = new TlsConnection(world, room, socket, tls, address);
    } catch (IOException | RuntimeException e) { // whatever a stranger sends
      complain("Refusing a connection from %s: %s".formatted(address, PskTls.reason(e)));
      close(socket);
      return;
    } finally {
      unfinished.leave(socket);
    }
    if (!places.tryAcquire()) {
      complain("Refusing a connection from %s: there are too many".formatted(address));
      close(socket);
      return;
    }
    connection.run(new Late(handler));
    places.release();
  }

  /// The server's handler is asked in the loop, when the connection is opened.
  private static final class Late implements ConnectionHandler {
    private final ServerHandler server;
    private @Nullable ConnectionHandler handler;

    Late(ServerHandler server) {
      this.server = server;
    }

    private ConnectionHandler handler(Connection connection) {
      var chosen = handler;
      if (chosen == null) {
        chosen = server.accept(connection);
        handler = chosen;
      }
      return chosen;
    }

    @Override
    public void opened(Connection connection) {
      handler(connection).opened(connection);
    }

    @Override
    public void received(Connection connection, byte[] frame) {
      handler(connection).received(connection, frame);
    }

    @Override
    public void closed(Connection connection, String why) {
      handler(connection).closed(connection, why);
    }
  }

  @Override
  public void connect(String server, int port, Duration within, ConnectionHandler handler) {
    Thread.ofVirtual()
        .name("connect-" + server)
        .start(
            () -> {
              var socket = new Socket();
              TlsConnection connection;
              try {
                connection = open(socket, server, port, within);
              } catch (IOException | RuntimeException e) { // whatever the other end sends
                close(socket);
                failed(server, port, PskTls.reason(e), handler);
                return;
              } catch (LinkageError e) { // the launcher adds what is there
                close(socket);
                failed(server, port, "this copy of Systole has no part for remote nodes", handler);
                return;
              }
              connection.run(handler);
            });
  }

  @Override
  public void prepare() {
    Thread.ofVirtual()
        .name("rehearse")
        .start(
            () -> {
              try {
                proof.rehearse();
              } catch (IOException | RuntimeException | LinkageError e) {
                return; // the first connection says what is missing
              }
            });
  }

  private void failed(String server, int port, String why, ConnectionHandler handler) {
    var text = "cannot connect to %s port %d: %s".formatted(server, port, why);
    world.post(() -> handler.closed(new NeverOpened(server), text));
  }

  private TlsConnection open(Socket socket, String server, int port, Duration within)
      throws IOException {
    proof.check(); // before anybody is asked
    var until = System.nanoTime() + within.minus(within.dividedBy(EARLIER)).toNanos();
    prepare(socket);
    socket.setSoLinger(true, 0); // what is not through when it closes never gets through, also if killed
    var target = new InetSocketAddress(names.find(server, left(until)), port);
    socket.connect(target, Math.clamp(left(until).toMillis(), 1, Integer.MAX_VALUE));
    var in = new HandshakeInput(socket, left(until));
    var tls = prove(socket, in);
    in.done();
    return new TlsConnection(world, room, socket, tls, server);
  }

  private TlsLine prove(Socket socket, HandshakeInput in) throws IOException {
    try {
      return proof.connect(socket, in);
    } catch (IOException | RuntimeException e) { // whatever the other end sends
      throw new IOException(Objects.requireNonNullElseGet(in.reason(e), () -> PskTls.reason(e)), e);
    }
  }

  private static Duration left(long until) {
    return Duration.ofNanos(until - System.nanoTime());
  }

  /// An end that is gone without a word, as without power, is noticed after a minute of silence.
  private static void prepare(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setKeepAlive(true);
    socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 30);
    socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10);
    socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      return; // gone already
    }
  }

  /// Says so, but not at each attempt.
  private void complain(String what) {
    var now = System.nanoTime();
    var before = complained.get();
    if ((before == 0 || now - before > COMPLAIN_NANOS) && complained.compareAndSet(before, now)) {
      world.post(() -> world.log().warning(what));
    }
  }
}
