package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.PSKTlsClient;
import org.bouncycastle.tls.PSKTlsServer;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsClientProtocol;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsFatalAlertReceived;
import org.bouncycastle.tls.TlsNoCloseNotifyException;
import org.bouncycastle.tls.TlsPSKIdentityManager;
import org.bouncycastle.tls.TlsProtocol;
import org.bouncycastle.tls.TlsServerProtocol;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;
import org.jspecify.annotations.Nullable;

/// TLS 1.2 with a shared key and an exchange of fresh ones (DHE-PSK), which Java's own TLS does not
/// have and Pacemaker's daemons speak.
final class PskTls {
  /// The name under which all know the key.
  private static final byte[] IDENTITY = "lrmd".getBytes(StandardCharsets.US_ASCII);

  private PskTls() {}

  private static int[] suites(@Nullable TlsPriorities priorities) {
    var allowed = priorities == null ? TlsPriorities.usual() : priorities;
    return allowed.withSharedKey().stream().mapToInt(PskTls::suite).toArray();
  }

  private static int suite(TlsPriorities.Cipher cipher) {
    return switch (cipher) {
      case AES_128_GCM -> CipherSuite.TLS_DHE_PSK_WITH_AES_128_GCM_SHA256;
      case AES_256_GCM -> CipherSuite.TLS_DHE_PSK_WITH_AES_256_GCM_SHA384;
      case CHACHA20_POLY1305 -> CipherSuite.TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256;
      case AES_128_CBC -> CipherSuite.TLS_DHE_PSK_WITH_AES_128_CBC_SHA256;
      case AES_256_CBC -> CipherSuite.TLS_DHE_PSK_WITH_AES_256_CBC_SHA384;
    };
  }

  /// Makes a handshake as the one that connects, and blocks for it.
  ///
  /// @param priorities what may be used; null for the usual
  static TlsLine connect(
      InputStream in, OutputStream out, byte[] key, @Nullable TlsPriorities priorities)
      throws IOException {
    return connect(in, out, IDENTITY, key, priorities);
  }

  /// As [#connect(InputStream, OutputStream, byte\[\], TlsPriorities)] with a key of one's own.
  static TlsLine connect(
      InputStream in,
      OutputStream out,
      byte[] identity,
      byte[] key,
      @Nullable TlsPriorities priorities)
      throws IOException {
    var protocol = new TlsClientProtocol(in, out);
    protocol.connect(
        new Client(new BcTlsCrypto(new SecureRandom()), identity, key, suites(priorities)));
    return new Line(protocol);
  }

  /// Makes a handshake as the one that was connected to, and blocks for it.
  ///
  /// @param priorities what may be used; null for the usual
  static TlsLine accept(
      InputStream in, OutputStream out, byte[] key, @Nullable TlsPriorities priorities)
      throws IOException {
    return accept(
        in,
        out,
        identity -> Arrays.equals(identity, IDENTITY) ? key.clone() : null,
        priorities);
  }

  /// As [#accept(InputStream, OutputStream, byte\[\], TlsPriorities)] where each has a key of its own.
  ///
  /// @param keys gives the key of an identity, null if there is none
  static TlsLine accept(
      InputStream in, OutputStream out, Keys keys, @Nullable TlsPriorities priorities)
      throws IOException {
    var protocol = new TlsServerProtocol(in, out);
    protocol.accept(new Server(new BcTlsCrypto(new SecureRandom()), keys, suites(priorities)));
    return new Line(protocol);
  }

  /// Makes a handshake with itself over no network, with a key that nobody else has, and says something: whatever loads, and is
  /// compiled, for the first one is there before a connection waits for it.
  ///
  /// @param priorities what may be used; null for the usual
  static void rehearse(@Nullable TlsPriorities priorities) throws IOException {
    var random = new SecureRandom();
    var key = new byte[32];
    random.nextBytes(key);
    var suites = suites(priorities);
    var client = new TlsClientProtocol();
    var server = new TlsServerProtocol();
    server.accept(new Server(new BcTlsCrypto(random), _ -> key.clone(), suites));
    client.connect(new Client(new BcTlsCrypto(random), IDENTITY, key, suites));
    var passed = true;
    while (passed) {
      passed = pass(client, server) | pass(server, client);
    }
    client.writeApplicationData(key, 0, key.length);
    pass(client, server);
    if (server.readInput(new byte[key.length], 0, key.length) != key.length) {
      throw new IOException("nothing arrives");
    }
    client.close();
    server.close();
  }

  private static boolean pass(TlsProtocol from, TlsProtocol to) throws IOException {
    var bytes = new byte[from.getAvailableOutputBytes()];
    from.readOutput(bytes, 0, bytes.length);
    to.offerInput(bytes);
    return bytes.length > 0;
  }

  /// Who knows which key.
  @FunctionalInterface
  interface Keys {
    byte @Nullable [] of(byte[] identity);
  }

  /// What went wrong in a handshake, in one line.
  static String reason(Exception e) {
    return switch (e) {
      case TlsFatalAlert it when saysOtherKey(it.getAlertDescription()) ->
          "it does not know the same key";
      case TlsFatalAlertReceived it when saysOtherKey(it.getAlertDescription()) ->
          "it says that it does not know the same key";
      case TlsFatalAlert it ->
          "no agreement on encryption (%s)"
              .formatted(AlertDescription.getName(it.getAlertDescription()));
      case TlsFatalAlertReceived it ->
          "it refuses (%s); the key has to be the same on both"
              .formatted(AlertDescription.getName(it.getAlertDescription()));
      case SocketTimeoutException _ -> "it did not answer in time";
      case TlsNoCloseNotifyException _ ->
          "the other end is gone without a word, as where its machine or container was killed";
      default -> {
        var message = e.getMessage();
        yield message == null ? e.getClass().getSimpleName() : message;
      }
    };
  }

  private static boolean saysOtherKey(short alert) {
    return alert == AlertDescription.bad_record_mac
        || alert == AlertDescription.decrypt_error
        || alert == AlertDescription.unknown_psk_identity;
  }

  private record Line(TlsProtocol protocol) implements TlsLine {
    @Override
    public InputStream in() {
      return protocol.getInputStream();
    }

    @Override
    public OutputStream out() {
      return protocol.getOutputStream();
    }

    @Override
    public void close() throws IOException {
      protocol.close();
    }
  }

  private static final class Client extends PSKTlsClient {
    private final int[] suites;

    Client(BcTlsCrypto crypto, byte[] identity, byte[] key, int[] suites) {
      super(crypto, identity, key);
      this.suites = suites;
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
      return ProtocolVersion.TLSv12.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
      return suites.clone();
    }
  }

  private static final class Server extends PSKTlsServer {
    private final int[] suites;

    Server(BcTlsCrypto crypto, Keys keys, int[] suites) {
      super(crypto, new Known(keys));
      this.suites = suites;
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
      return ProtocolVersion.TLSv12.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
      return suites.clone();
    }
  }

  private record Known(Keys keys) implements TlsPSKIdentityManager {
    @Override
    public byte @Nullable [] getHint() {
      return null;
    }

    @Override
    public byte @Nullable [] getPSK(byte[] identity) {
      return keys.of(identity);
    }
  }
}
