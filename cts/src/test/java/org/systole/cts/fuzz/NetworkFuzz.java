package org.systole.cts.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.SecretKey;
import org.jgroups.Version;
import org.jgroups.stack.IpAddress;
import org.systole.cts.fuzz.SocketFuzz.Wrong;
import org.systole.cts.local.LocalNode;
import org.systole.pacemakerd.jgroups.ClusterKey;

/// Nonsense for the two ports that a node listens at: of strangers, of a node's own address without
/// the key, and, over connections that were opened with the key, for what is behind the handshake.
///
/// Safe for use by several threads.
final class NetworkFuzz {
  private static final int CUT_OFF_MILLIS = 15_000; // two seconds, and a machine with much to do
  private static final int SECOND_PORT = 100;
  private static final byte[] HELLO = "SYS2".getBytes(StandardCharsets.US_ASCII);
  private static final int PROOF = 32;
  private static final int RANDOM = 16;

  private final FuzzedCluster cluster;
  private final Figures figures;
  private final SecretKey key;

  NetworkFuzz(FuzzedCluster cluster, Figures figures) {
    this.cluster = cluster;
    this.figures = figures;
    try {
      var read = ClusterKey.read(cluster.enemy().layout().clusterKey(), FuzzedCluster.NAME);
      var connections = ClusterKey.class.getDeclaredMethod("ofConnections");
      connections.setAccessible(true);
      key = (SecretKey) connections.invoke(read);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the key of connections cannot be had", e);
    }
  }

  /// One try, see [SocketFuzz#attempt].
  String attempt(RandomGenerator random) throws Wrong, IOException {
    var node = cluster.ours().get(random.nextInt(cluster.ours().size()));
    var second = random.nextBoolean();
    var ofNode = random.nextBoolean();
    var kind = random.nextInt(8);
    var where =
        "%s port %s, from %s, kind %d"
            .formatted(node.name(), second ? "+100" : "", ofNode ? "a node" : "elsewhere", kind);
    figures.count(second ? "lifelines' port" : "cluster's port", "kind " + kind);
    try (var socket = connect(node, second, ofNode, random)) {
      socket.setTcpNoDelay(true);
      var keyed = say(socket, kind, random);
      if (!keyed) {
        awaitEnd(socket, where);
      }
    }
    if (kind == 3) {
      Crowd.come(() -> connect(node, second, ofNode, random), random.nextInt(1, 3_000), figures);
    }
    return where;
  }

  private Socket connect(LocalNode node, boolean second, boolean ofNode, RandomGenerator random)
      throws IOException {
    var mine = cluster.enemy().address();
    var stranger = mine.substring(0, mine.lastIndexOf('.') + 1) + (100 + random.nextInt(20));
    var socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getByName(ofNode ? mine : stranger), 0));
    var port = cluster.port() + (second ? SECOND_PORT : 0);
    socket.connect(new InetSocketAddress(node.address(), port), CUT_OFF_MILLIS);
    return socket;
  }

  /// @return whether it has shown the key, and may stay
  private boolean say(Socket socket, int kind, RandomGenerator random) throws IOException {
    try {
      var out = socket.getOutputStream();
      switch (kind) {
        case 0 -> out.write(bytes(random, 2_000));
        case 1 -> out.write(join(HELLO, bytes(random, RANDOM)));
        case 2 -> out.write(join(HELLO, bytes(random, RANDOM), new byte[RANDOM], bytes(random, 99)));
        case 3 -> socket.shutdownOutput();
        case 4 -> {
          for (var it : join(HELLO, new byte[RANDOM + PROOF])) {
            out.write(it);
          }
        }
        default -> {
          if (!handshake(socket)) {
            return false;
          }
          figures.manner("with the key");
          out.write(kind == 5 ? bytes(random, 5_000) : frames(random));
          socket.setSoTimeout(50);
          socket.getInputStream().readNBytes(100);
          return true;
        }
      }
      return false;
    } catch (SocketTimeoutException e) {
      return true; // it listens, and has nothing to say
    } catch (IOException e) {
      return true; // cut off while it still speaks
    }
  }

  private boolean handshake(Socket socket) throws IOException {
    var mine = new byte[RANDOM];
    socket.setSoTimeout(CUT_OFF_MILLIS);
    socket.getOutputStream().write(join(HELLO, mine));
    var theirs = socket.getInputStream().readNBytes(RANDOM);
    if (theirs.length < RANDOM) {
      return false; // there are too many already
    }
    try {
      var mac = javax.crypto.Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update("client".getBytes(StandardCharsets.US_ASCII));
      mac.update(mine);
      socket.getOutputStream().write(mac.doFinal(theirs));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    return socket.getInputStream().readNBytes(PROOF).length == PROOF;
  }

  /// What the transport says first, and then frames with lengths that are right or lie.
  private byte[] frames(RandomGenerator random) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    var self = new IpAddress(cluster.enemy().address(), random.nextInt(1 << 16));
    out.write(new byte[] {'b', 'e', 'l', 'a'});
    out.writeShort(Version.version);
    out.writeShort(self.serializedSize());
    self.writeTo(out);
    for (var count = random.nextInt(1, 10); count > 0; count--) {
      var content = bytes(random, 3_000);
      if (random.nextBoolean()) {
        ByteBuffer.wrap(content).putShort(Version.version); // as a message begins
      }
      var lengths = new int[] {content.length, content.length, -1, 0, Integer.MAX_VALUE, 1 << 20};
      out.writeInt(lengths[random.nextInt(lengths.length)]);
      out.write(content);
    }
    return bytes.toByteArray();
  }

  private static byte[] bytes(RandomGenerator random, int longest) {
    var bytes = new byte[random.nextInt(2, Math.max(3, longest))];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (var part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void awaitEnd(Socket socket, String where) throws Wrong {
    try {
      socket.setSoTimeout(CUT_OFF_MILLIS);
      var said = socket.getInputStream().readNBytes(RANDOM + 1);
      if (said.length > RANDOM) {
        throw new Wrong(where + ": a stranger is told more than a random number");
      }
    } catch (SocketTimeoutException e) {
      throw new Wrong(where + ": not cut off in " + CUT_OFF_MILLIS + " ms");
    } catch (IOException e) {
      return; // reset
    }
  }
}
