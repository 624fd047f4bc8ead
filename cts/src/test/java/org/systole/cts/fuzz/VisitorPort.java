package org.systole.cts.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.systole.common.layout.Layout;
import org.systole.cts.fuzz.SocketFuzz.Wrong;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;
import org.systole.execd.client.remote.RemoteFrames;
import org.systole.execd.client.tls.CibProof;
import org.systole.execd.client.tls.RemoteProof;

/// Nonsense for the port for commands of other machines: of strangers, and of users who have a key and no
/// right password. Nobody is let in, so nobody may be told anything of the CIB.
///
/// Safe for use by several threads.
final class VisitorPort {
  private static final int CUT_OFF_MILLIS = 60_000; // passwords are looked at one after the other
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int TOLD_MAX = 10_000;
  private static final int KINDS = 11;
  private static final int WITH_KEY = 6; // this kind and those after it
  private static final int KEY_BYTES = 32;
  private static final String QUERY =
      "<cib_command t='cib' cib_op='cib_query' cib_callid='2' cib_callopt='4096'/>";
  private static final String ERASE =
      "<cib_command t='cib' cib_op='cib_erase' cib_callid='3' cib_callopt='4096'/>";

  /// Who nobody is, whose password it is not, or whom the system would take for something else.
  private static final List<String> USERS =
      List.of("hacluster", "root", "nobody", "", "-h", "../x", "a b", "hacluster&#10;", "x".repeat(300));

  private final Figures figures;
  private final InetSocketAddress port;
  private final RemoteProof proof;
  private final RemoteProof otherUser;
  private final RemoteProof wrong;

  /// Gives the nodes a key, and the CIB the port. One node serves it: all are on this machine.
  ///
  /// @param dir where the keys of those who come are put
  /// @param secret which no log may have: the beginning of it is the key
  VisitorPort(
      List<LocalNode> nodes, Path dir, byte[] secret, int number, Figures figures)
      throws IOException {
    this.figures = figures;
    port = new InetSocketAddress(nodes.getFirst().address(), number); // where it is served
    var hex = HexFormat.of();
    var key = hex.formatHex(secret, 0, KEY_BYTES);
    for (var node : nodes) {
      var there = node.layout().configuration().resolve(CibProof.CREDENTIALS);
      Files.createDirectories(there.getParent());
      write(there, "kim:%s%nhacluster:%s%n".formatted("00".repeat(KEY_BYTES), key));
      LocalHost.letDaemonsRead(there);
    }
    var right = write(dir.resolve("visitor-key"), key);
    proof = proof(right, "hacluster");
    otherUser = proof(right, "kim");
    wrong = proof(write(dir.resolve("visitor-wrong"), "5a".repeat(KEY_BYTES)), "hacluster");
    var named = "<cib remote-tls-port='%d'/>".formatted(port.getPort());
    var made = nodes.getFirst().run("cibadmin", "--modify", "--xml-text", named);
    if (!made.ok()) {
      throw new IOException("the port is not taken: " + made.output());
    }
    awaitServed();
  }

  private static Path write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static RemoteProof proof(Path file, String user) throws IOException {
    var environment = Map.of(CibProof.KEY_FILE, file.toString());
    return CibProof.ofCommand(Layout.of(Map.of()), environment, user);
  }

  /// Waits until who has a key comes as far as to be asked for a password.
  void awaitServed() throws IOException {
    var end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try (var socket = new Socket()) {
        socket.connect(port, CUT_OFF_MILLIS);
        socket.setSoTimeout(CUT_OFF_MILLIS);
        proof.connect(socket, socket.getInputStream());
        return;
      } catch (IOException | RuntimeException e) {
        if (System.nanoTime() > end) {
          throw new IOException(port + " is not served: " + e.getMessage(), e);
        }
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      }
    }
  }

  /// One try, see [SocketFuzz#attempt].
  String attempt(RandomGenerator random) throws Wrong, IOException {
    var kind = random.nextInt(KINDS);
    figures.count(kind < WITH_KEY ? "without the key" : "with the key", "kind " + kind);
    if (kind == WITH_KEY - 1) {
      Crowd.come(() -> connect(random), random.nextInt(1, 2_000), figures);
      return "a crowd";
    }
    try (var socket = connect(random)) {
      var patient = random.nextInt(8) == 0; // who does not come in is cut off
      if (kind < WITH_KEY) {
        socket.setSoTimeout(CUT_OFF_MILLIS);
        TlsStranger.speak(socket, kind, random.nextBoolean() ? wrong : otherUser, random, figures);
        if (patient && !socket.isClosed()) {
          toldNothing(socket.getInputStream(), kind, true);
        }
      } else {
        visitor(socket, kind, patient, random);
      }
    }
    return "kind " + kind;
  }

  private Socket connect(RandomGenerator random) throws IOException {
    var socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.9." + (1 + random.nextInt(40))), 0));
      socket.connect(port, CUT_OFF_MILLIS);
      socket.setTcpNoDelay(true);
      return socket;
    } catch (ConnectException e) {
      socket.close();
      throw new IOException(port + " is not served", e);
    }
  }

  private void visitor(Socket socket, int kind, boolean patient, RandomGenerator random)
      throws Wrong {
    try {
      socket.setSoTimeout(CUT_OFF_MILLIS);
      var line = proof.connect(socket, socket.getInputStream());
      figures.manner("has the key");
      var out = RemotePort.of(line, "out", OutputStream.class);
      switch (kind) {
        case WITH_KEY -> out.write(TlsStranger.bytes(random, 20_000));
        case WITH_KEY + 1 -> out.write(RemotePort.lying(random));
        case WITH_KEY + 2 -> say(out, random.nextBoolean() ? QUERY : ERASE);
        case WITH_KEY + 3 -> {
          var user = USERS.get(random.nextInt(USERS.size()));
          say(out, introduction(user));
          for (var count = random.nextInt(3); count > 0; count--) {
            say(out, random.nextBoolean() ? QUERY : ERASE);
          }
          figures.manner("says a password");
        }
        default -> nonsense(out, random);
      }
      if (!patient) {
        socket.setSoTimeout(random.nextInt(1, 300));
      }
      toldNothing(RemotePort.of(line, "in", InputStream.class), kind, patient);
    } catch (IOException | RuntimeException e) {
      figures.manner("cut off with the key");
    }
  }

  private static String introduction(String user) {
    return "<cib_command op='authenticate' user='%s' password='%s' hidden='password'/>"
        .formatted(user, FuzzedCluster.PASSWORD);
  }

  private static void nonsense(OutputStream out, RandomGenerator random) throws IOException {
    var messages = new RemoteNonsense(random);
    for (var count = random.nextInt(1, 10); count > 0; count--) {
      var message = messages.request(count);
      out.write(RemoteFrames.header(count, message));
      out.write(java.util.Arrays.copyOf(message, message.length + 1));
    }
  }

  private static void say(OutputStream out, String xml) throws IOException {
    var message = xml.getBytes(StandardCharsets.UTF_8);
    out.write(RemoteFrames.header(1, message));
    out.write(java.util.Arrays.copyOf(message, message.length + 1));
  }

  /// Reads what comes, to its end if that has to come.
  private void toldNothing(InputStream in, int kind, boolean toTheEnd) throws Wrong {
    var said = new ByteArrayOutputStream();
    var late = false;
    try {
      for (var it = in.read(); it >= 0 && said.size() < TOLD_MAX; it = in.read()) {
        said.write(it);
      }
      figures.manner("sent away");
    } catch (SocketTimeoutException e) {
      late = toTheEnd;
    } catch (IOException e) {
      figures.manner("reset");
    }
    var text = said.toString(StandardCharsets.ISO_8859_1);
    if (text.contains("cib")) {
      throw new Wrong("kind " + kind + ": one who is not let in is told " + text);
    }
    if (late) {
      throw new Wrong("kind " + kind + ": not cut off in " + CUT_OFF_MILLIS + " ms");
    }
  }
}
