package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The file with the key that a cluster and its remote nodes share.
final class RemoteKeyTest {
  @TempDir private Path directory;
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = directory.resolve("authkey");
  }

  private void mode(String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private void refused(String why) {
    var refusal = assertThrows(IOException.class, () -> new RemoteKey(file).read());
    assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    assertTrue(refusal.getMessage().contains(file.toString()), refusal.getMessage());
  }

  private void has(int bytes) throws IOException {
    Files.write(file, new byte[bytes]);
    mode("rw-r-----");
  }

  @Test
  void aKeyIsWhatTheFileHolds() throws IOException {
    has(16);
    assertArrayEquals(new byte[16], new RemoteKey(file).read());
    has(64 << 10);
    assertEquals(64 << 10, new RemoteKey(file).read().length);
  }

  @Test
  void aKeyThatIsTooShortOrTooLongOrNotThereIsRefused() throws IOException {
    refused("cannot read the key");
    has(15);
    refused("has 15 bytes; it needs 16 at least");
    has((64 << 10) + 1);
    refused("has more than 65536 bytes");
  }

  @Test
  void aKeyThatOthersMayReadIsRefused() throws IOException {
    has(128);
    mode("rw-r--r--");
    refused("can be read or changed by too many");
  }

  /// Nobody has to have put it there yet, and whoever cannot read it is told so by the first connection.
  @Test
  void handshakesAreRehearsedWithoutTheKey() throws IOException {
    new RemoteKey(file).rehearse();
    for (var cipher : List.of("AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305", "AES-128-CBC", "AES-256-CBC")) {
      new RemoteKey(file, TlsPriorities.parse("NORMAL:-CIPHER-ALL:+" + cipher)).rehearse();
    }
    assertFalse(Files.exists(file));
  }

  @Test
  void whatIsNoFileIsRefusedAtOnce() throws IOException, InterruptedException {
    var made = new ProcessBuilder("mkfifo", "-m", "640", file.toString()).start().waitFor();
    assertEquals(0, made);
    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> refused("is no file"));
  }
}
