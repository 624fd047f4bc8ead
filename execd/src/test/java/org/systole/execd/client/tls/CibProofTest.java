package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;

/// A member and commands of other machines, with the keys of users.
@Timeout(120)
final class CibProofTest {
  private static final String KEY = "00112233445566778899aabbccddeeff";
  private static final String OTHER = "ff112233445566778899aabbccddeeff";
  private static final Duration WITHIN = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final LoopWorld loop = new LoopWorld();
  private Path credentials;
  private int port;

  /// Says again what it hears, but for what is to stay without an answer.
  private static final class Echo implements ConnectionHandler {
    @Override
    public void opened(Connection connection) {}

    @Override
    public void received(Connection connection, byte[] frame) {
      if (frame[0] != '?') {
        connection.send(frame);
      }
    }

    @Override
    public void closed(Connection connection, String why) {}
  }

  @BeforeEach
  void serve() throws IOException {
    var environment = Map.of("SYSTOLE_ROOT", directory.toString());
    var layout = Layout.of(environment);
    Files.createDirectories(layout.configuration());
    credentials = layout.configuration().resolve(CibProof.CREDENTIALS);
    file(credentials, "kim:" + OTHER + "\nhacluster:" + KEY + "\n");
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    new TlsStreams(loop.world, CibProof.ofMember(layout, environment))
        .listen("127.0.0.1", port, _ -> new Echo());
  }

  @AfterEach
  void end() {
    loop.close();
  }

  private static Path file(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    return file;
  }

  private TlsCaller call(String user, String key) throws IOException {
    var mine = file(directory.resolve("mine"), key + "\n");
    var environment = Map.of(CibProof.KEY_FILE, mine.toString());
    var proof = CibProof.ofCommand(Layout.of(environment), environment, user);
    return TlsCaller.open("127.0.0.1", port, proof, WITHIN);
  }

  @Test
  void whoHasTheUsersKeyIsHeardAndAnswered() throws IOException {
    for (var user : new String[] {"hacluster:" + KEY, "kim:" + OTHER}) {
      try (var caller = call(user.split(":")[0], user.split(":")[1])) {
        for (var size : new int[] {1, 40, 100_000, 3_000_000}) {
          var message = "x".repeat(size).getBytes(java.nio.charset.StandardCharsets.UTF_8);
          caller.send(message);
          assertArrayEquals(message, caller.receive(WITHIN));
        }
      }
    }
  }

  @Test
  void aKeyOfAnotherUserOrOfNobodyOpensNothing() {
    assertThrows(IOException.class, () -> call("hacluster", OTHER));
    assertThrows(IOException.class, () -> call("nobody", KEY));
    assertThrows(IOException.class, () -> call("", KEY));
    assertThrows(IOException.class, () -> call("hacluster", "0011"));
    assertThrows(IOException.class, () -> call("hacluster", "no key"));
  }

  @Test
  void aFileThatOthersCanReadIsNotUsed() throws IOException {
    Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-r--r--"));
    assertThrows(IOException.class, () -> call("hacluster", KEY));
    Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-r-----"));
    call("hacluster", KEY).close();
  }

  @Test
  void withoutAKeyNobodyIsAsked() {
    var why =
        assertThrows(
            IOException.class,
            () -> CibProof.ofCommand(Layout.of(Map.of()), Map.of(), "hacluster"));
    assertTrue(why.getMessage().contains(CibProof.KEY_FILE), why.getMessage());
  }

  @Test
  void anAnswerThatDoesNotComeIsNotWaitedForWithoutEnd() throws IOException {
    try (var caller = call("hacluster", KEY)) {
      caller.send(new byte[] {'?'});
      assertThrows(SocketTimeoutException.class, () -> caller.receive(Duration.ofMillis(200)));
    }
  }
}
