package org.systole.cts.fuzz;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.systole.cts.fuzz.SocketFuzz.Wrong;
import org.systole.execd.client.remote.RemoteFrames;
import org.systole.execd.client.tls.RemoteKey;

/// Nonsense for the port of a remote node's daemon: of strangers, at the one the cluster is connected to
/// and holds, and of peers that have the key, at one that nobody else needs.
///
/// Safe for use by several threads.
final class RemotePort {
  private static final int CUT_OFF_MILLIS = 30_000; // ten seconds, and a machine with much to do
  private static final int MAGIC = 0xBADADBBD;
  private static final int KINDS = 10;
  private static final int WITH_KEY = 6; // this kind and those after it

  private final RemoteHosts hosts;
  private final Figures figures;
  private final RemoteKey key;
  private final RemoteKey wrong;

  RemotePort(RemoteHosts hosts, Figures figures) {
    this.hosts = hosts;
    this.figures = figures;
    this.key = new RemoteKey(hosts.key());
    this.wrong = new RemoteKey(hosts.wrongKey());
  }

  /// One try, see [SocketFuzz#attempt].
  String attempt(RandomGenerator random) throws Wrong, IOException {
    var kind = random.nextInt(KINDS);
    figures.count(kind < WITH_KEY ? "a daemon in use" : "with the key", "kind " + kind);
    if (kind == WITH_KEY - 1) {
      Crowd.come(() -> connect(hosts.inUse(), random), random.nextInt(1, 2_000), figures);
      return "a crowd";
    }
    try (var socket = connect(kind < WITH_KEY ? hosts.inUse() : hosts.spare(), random)) {
      if (kind < WITH_KEY) {
        TlsStranger.speak(socket, kind, wrong, random, figures);
        if (random.nextInt(4) == 0) { // who is silent is cut off after ten seconds
          awaitEnd(socket, kind);
        }
      } else {
        peer(socket, kind, random);
      }
    }
    return "kind " + kind;
  }

  private Socket connect(InetSocketAddress to, RandomGenerator random) throws IOException {
    var net = to.getAddress().getHostAddress();
    var from = net.substring(0, net.lastIndexOf('.') + 1) + (100 + random.nextInt(20));
    var end = System.nanoTime() + CUT_OFF_MILLIS * 1_000_000L;
    while (true) {
      var socket = new Socket();
      try {
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(to, CUT_OFF_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
      } catch (ConnectException e) {
        socket.close();
        figures.manner("refused by " + to);
        if (System.nanoTime() > end) {
          throw new IOException(to + " is not served", e);
        }
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      }
    }
  }

  private static void awaitEnd(Socket socket, int kind) throws Wrong {
    try {
      if (socket.isClosed()) {
        return;
      }
      socket.setSoTimeout(CUT_OFF_MILLIS);
      var said = socket.getInputStream().readNBytes(10_000);
      if (said.length == 10_000) {
        throw new Wrong("kind " + kind + ": a stranger is told much");
      }
    } catch (SocketTimeoutException e) {
      throw new Wrong("kind " + kind + ": not cut off in " + CUT_OFF_MILLIS + " ms");
    } catch (IOException e) {
      return; // reset
    }
  }

  /// Who has the key: what comes behind the handshake.
  private void peer(Socket socket, int kind, RandomGenerator random) throws IOException {
    try {
      socket.setSoTimeout(CUT_OFF_MILLIS);
      var out = of(key.connect(socket, socket.getInputStream()), "out", OutputStream.class);
      figures.manner("let in");
      var nonsense = new RemoteNonsense(random);
      for (var count = random.nextInt(1, 30); count > 0; count--) {
        switch (kind) {
          case WITH_KEY -> out.write(TlsStranger.bytes(random, 20_000));
          case WITH_KEY + 1 -> out.write(lying(random));
          default -> {
            var message = nonsense.request(count);
            out.write(RemoteFrames.header(count, message));
            var whole = java.util.Arrays.copyOf(message, message.length + 1);
            out.write(whole, 0, random.nextInt(20) == 0 ? random.nextInt(whole.length) : whole.length);
          }
        }
      }
      if (kind == KINDS - 1) {
        figures.manner("who listens");
        socket.setSoTimeout(random.nextInt(1, 300));
        socket.getInputStream().readNBytes(100_000);
      }
    } catch (SocketTimeoutException e) {
      figures.manner("nothing to say");
    } catch (IOException | RuntimeException e) {
      figures.manner("cut off with the key");
    }
  }

  /// What is written at once to, or comes from, a connection that has proved itself.
  static <T> T of(Object line, String side, Class<T> type) throws IOException {
    try {
      var method =
          Class.forName(RemoteKey.class.getPackageName() + ".TlsLine").getDeclaredMethod(side);
      method.setAccessible(true);
      return type.cast(method.invoke(line));
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  /// A frame whose lengths lie, or whose content is not what it says.
  static byte[] lying(RandomGenerator random) {
    var content = TlsStranger.bytes(random, 5_000);
    var lengths = new int[] {content.length, 40, 0, -1, Integer.MAX_VALUE, 20 << 20, 1};
    var order = random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    return ByteBuffer.allocate(40 + content.length)
        .order(order)
        .putInt(MAGIC)
        .putInt(1)
        .putLong(random.nextLong())
        .putLong(0)
        .putInt(random.nextBoolean() ? 40 + content.length : lengths[random.nextInt(7)])
        .putInt(random.nextInt(5) > 0 ? 40 : lengths[random.nextInt(7)])
        .putInt(random.nextBoolean() ? 0 : lengths[random.nextInt(7)])
        .putInt(lengths[random.nextInt(7)])
        .put(content)
        .array();
  }
}
