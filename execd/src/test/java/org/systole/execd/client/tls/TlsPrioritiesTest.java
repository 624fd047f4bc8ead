package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.world.CannotStart;
import org.systole.execd.client.tls.TlsPriorities.Cipher;

@Timeout(120)
final class TlsPrioritiesTest {
  private static final String LOCAL = "127.0.0.1";

  @TempDir Path directory;

  private final LoopWorld loop = new LoopWorld();

  @AfterEach
  void end() {
    loop.close();
  }

  private static Map<String, String> environment(String text) {
    return Map.of(TlsPriorities.OPTION, text);
  }

  @Test
  void whereNothingIsSaidTheDaemonsChoose() {
    assertNull(TlsPriorities.of(Map.of()));
    assertNull(TlsPriorities.of(environment("  ")));
    RemoteProof.checkOptions(Map.of());
    assertEquals(TlsPriorities.usual(), TlsPriorities.parse("NORMAL"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NORMAL | AES_128_GCM AES_256_GCM CHACHA20_POLY1305 AES_128_CBC AES_256_CBC",
        "performance | AES_128_GCM AES_256_GCM CHACHA20_POLY1305 AES_128_CBC AES_256_CBC",
        "SECURE128 | AES_256_GCM CHACHA20_POLY1305 AES_256_CBC AES_128_GCM AES_128_CBC",
        "SECURE192 | AES_256_GCM CHACHA20_POLY1305 AES_256_CBC",
        "SECURE256:-CHACHA20-POLY1305:%SERVER_PRECEDENCE | AES_256_GCM AES_256_CBC",
        "NORMAL:-AES-128-GCM:!AES-256-CBC | AES_256_GCM CHACHA20_POLY1305 AES_128_CBC",
        "NORMAL:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM | AES_256_GCM AES_128_GCM",
        "NORMAL:-MAC-ALL:+AEAD | AES_128_GCM AES_256_GCM CHACHA20_POLY1305",
        "NORMAL,-AEAD | AES_128_CBC AES_256_CBC",
        "NORMAL:-ARCFOUR-128:-VERS-TLS1.0:+DHE-PSK:+PSK:-KX-ALL | AES_128_GCM AES_256_GCM"
            + " CHACHA20_POLY1305 AES_128_CBC AES_256_CBC",
        "NONE:+VERS-TLS1.2:+AES-256-GCM:+AEAD:+DHE-PSK | AES_256_GCM",
      })
  void ciphersWithTheSharedKey(String text, String ciphers) {
    var expected = List.of(ciphers.split(" ")).stream().map(Cipher::valueOf).toList();
    assertEquals(expected, TlsPriorities.parse(text).withSharedKey());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@SYSTEM",
        "",
        "NROMAL",
        "+AES-256-GCM",
        "NORMAL:",
        "NORMAL:AES-256-GCM",
        "NORMAL:+VERS-TLS1.1",
        "NORMAL:+ARCFOUR-128",
        "NORMAL:+AES-512-GCM",
        "NORMAL:-AES-512-GCM",
        "NORMAL:+GROUP-X25519",
        "NORMAL:%FORCE_ETM",
        "NORMAL:-VERS-ALL",
        "NORMAL:-CIPHER-ALL",
        "NORMAL:-MAC-ALL",
        "NONE",
        "SUITEB128",
      })
  void whatIsNotUnderstoodIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> TlsPriorities.parse(text));
  }

  @Test
  void aRefusalSaysWhatIsWrongWithWhich() {
    var e =
        assertThrows(
            CannotStart.class,
            () -> RemoteProof.checkOptions(environment("NORMAL:+VERS-TLS1.1")));
    assertEquals(78, e.status());
    assertEquals(
        "PCMK_tls_priorities=NORMAL:+VERS-TLS1.1: VERS-TLS1.1 is not there, and cannot be allowed",
        e.getMessage());
  }

  @Test
  void withTheSharedKeyTls13AloneIsRefusedAndWithCertificatesNot() {
    var only13 = environment("NORMAL:-VERS-ALL:+VERS-TLS1.3");
    var e = assertThrows(CannotStart.class, () -> RemoteProof.checkOptions(only13));
    assertTrue(e.getMessage().contains("takes VERS-TLS1.2"), e.getMessage());
    TlsPriorities.check(only13, true);
  }

  private static List<String> suites(String text) throws NoSuchAlgorithmException {
    var all = SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites();
    return TlsPriorities.parse(text).suites(List.of(all));
  }

  @Test
  void suitesWithCertificates() throws NoSuchAlgorithmException {
    assertEquals(
        List.of("TLS_AES_256_GCM_SHA384"),
        suites("NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-256-GCM"));
    assertEquals(
        List.of("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        suites("NORMAL:-VERS-TLS1.3:-KX-ALL:+ECDHE-RSA:-CIPHER-ALL:+AES-256-GCM"));
    var strong = suites("SECURE256");
    assertTrue(strong.contains("TLS_AES_256_GCM_SHA384"), strong.toString());
    assertTrue(strong.contains("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"), strong.toString());
    assertFalse(strong.stream().anyMatch(it -> it.contains("AES_128")), strong.toString());
    assertTrue(suites("NORMAL").contains("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"));
    assertFalse(suites("NORMAL:-SHA1").contains("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"));
    assertFalse(suites("PFS").stream().anyMatch(it -> it.startsWith("TLS_RSA_")));
  }

  /// Makes a connection between two ends that allow this.
  ///
  /// @return why it could not be made, or nothing
  private String connect(String server, String client) throws Exception {
    var file = directory.resolve("key");
    if (!Files.exists(file)) {
      var key = new byte[64];
      new Random(1).nextBytes(key);
      Files.write(file, key);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    }
    var port = freePort();
    var ear = new Ear();
    new TlsStreams(loop.world, new RemoteKey(file, TlsPriorities.parse(server)))
        .listen(LOCAL, port, _ -> new Ear());
    new TlsStreams(loop.world, new RemoteKey(file, TlsPriorities.parse(client)))
        .connect(LOCAL, port, Duration.ofSeconds(30), ear);
    while (ear.opened.isEmpty() && ear.closed.isEmpty()) {
      Thread.onSpinWait();
    }
    return ear.opened.isEmpty() ? Ear.next(ear.closed) : "";
  }

  private static int freePort() throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      return free.getLocalPort();
    }
  }

  @Test
  void onlyWhatBothAllowIsSpoken() throws Exception {
    assertEquals("", connect("NORMAL", "SECURE256:-CIPHER-ALL:+CHACHA20-POLY1305"));
    assertEquals("", connect("SECURE192", "NORMAL:-MAC-ALL:+SHA384"));
    var why = connect("NORMAL:-CIPHER-ALL:+AES-256-GCM", "NORMAL:-AES-256-GCM");
    assertTrue(why.contains("cannot connect"), why);
  }
}
