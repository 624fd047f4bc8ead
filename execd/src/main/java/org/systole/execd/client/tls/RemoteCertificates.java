package org.systole.execd.client.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.CertPathBuilder;
import java.security.cert.X509CertSelector;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;

/// Certificates by which a cluster and its remote nodes know each other: whoever has one of the
/// authority may connect, and may be connected to. Names in certificates do not count, as in Pacemaker.
public final class RemoteCertificates implements RemoteProof {
  static final String AUTHORITY = "PCMK_ca_file";
  static final String CERTIFICATE = "PCMK_cert_file";
  static final String KEY = "PCMK_key_file";
  static final String REVOKED = "PCMK_crl_file";

  private static final int FILE_MAX = 4 << 20;
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};
  private static final Pattern KEY_TEXT =
      Pattern.compile("-----BEGIN ((?:RSA |EC )?)PRIVATE KEY-----([^-]*)-----END");

  private final Path authority;
  private final Path certificate;
  private final Path key;
  private final @Nullable Path revoked;
  private final @Nullable TlsPriorities priorities;

  RemoteCertificates(Path authority, Path certificate, Path key, @Nullable Path revoked) {
    this(authority, certificate, key, revoked, null);
  }

  /// @param priorities what may be used; null for the usual
  RemoteCertificates(
      Path authority,
      Path certificate,
      Path key,
      @Nullable Path revoked,
      @Nullable TlsPriorities priorities) {
    this.authority = authority;
    this.certificate = certificate;
    this.key = key;
    this.revoked = revoked;
    this.priorities = priorities;
  }

  /// @return null if the environment does not name all three
  static @Nullable RemoteCertificates of(Layout layout, Map<String, String> environment) {
    var authority = file(layout, environment.get(AUTHORITY));
    var certificate = file(layout, environment.get(CERTIFICATE));
    var key = file(layout, environment.get(KEY));
    return authority == null || certificate == null || key == null
        ? null
        : new RemoteCertificates(
            authority,
            certificate,
            key,
            file(layout, environment.get(REVOKED)),
            TlsPriorities.of(environment));
  }

  private static @Nullable Path file(Layout layout, @Nullable String name) {
    return name == null || name.isEmpty()
        ? null
        : layout.root().resolve(name.replaceFirst("^/+", ""));
  }

  @Override
  public void check() throws IOException {
    suites(List.of(context().getDefaultSSLParameters().getCipherSuites()));
  }

  @Override
  public TlsLine connect(Socket socket, InputStream in) throws IOException {
    return line(socket, in, true);
  }

  @Override
  public TlsLine accept(Socket socket, InputStream in) throws IOException {
    return line(socket, in, false);
  }

  private TlsLine line(Socket socket, InputStream in, boolean isClient) throws IOException {
    var below = new Within(socket, in);
    var factory = context().getSocketFactory();
    var tls = (SSLSocket) factory.createSocket(below, "", socket.getPort(), true);
    tls.setUseClientMode(isClient);
    choose(tls);
    if (!isClient) {
      tls.setNeedClientAuth(true);
    }
    tls.startHandshake();
    return new Line(tls);
  }

  private void choose(SSLSocket tls) throws IOException {
    if (priorities == null) {
      tls.setEnabledProtocols(VERSIONS);
      return;
    }
    tls.setEnabledProtocols(priorities.versionsWithCertificates().toArray(String[]::new));
    tls.setEnabledCipherSuites(suites(List.of(tls.getEnabledCipherSuites())));
  }

  private String[] suites(List<String> available) throws IOException {
    var allowed = priorities == null ? available : priorities.suites(available);
    if (allowed.isEmpty()) {
      throw new IOException(
          TlsPriorities.OPTION + " leaves nothing to be used with certificates");
    }
    return allowed.toArray(String[]::new);
  }

  private SSLContext context() throws IOException {
    try {
      var nobody = new char[0];
      var store = KeyStore.getInstance("PKCS12");
      store.load(null, nobody);
      store.setKeyEntry("own", privateKey(), nobody, certificates(certificate));
      var keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, nobody);
      var trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(new CertPathTrustManagerParameters(trusted()));
      var context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the certificates for remote nodes (%s, %s, %s) cannot be used: %s"
              .formatted(authority, certificate, key, e.getMessage()),
          e);
    }
  }

  private PKIXBuilderParameters trusted() throws IOException, GeneralSecurityException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    var number = 0;
    for (var each : certificates(authority)) {
      store.setCertificateEntry("authority" + number++, each);
    }
    var parameters = new PKIXBuilderParameters(store, new X509CertSelector());
    parameters.setRevocationEnabled(revoked != null);
    if (revoked != null) {
      var factory = CertificateFactory.getInstance("X.509");
      var lists = factory.generateCRLs(new ByteArrayInputStream(read(revoked)));
      if (lists.isEmpty()) {
        throw new IOException("%s has no list of revoked certificates".formatted(revoked));
      }
      parameters.addCertStore(
          CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
      var checker =
          (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
      checker.setOptions(
          EnumSet.of(
              PKIXRevocationChecker.Option.PREFER_CRLS,
              PKIXRevocationChecker.Option.NO_FALLBACK)); // nobody is asked over the network
      parameters.addCertPathChecker(checker);
    }
    return parameters;
  }

  private static Certificate[] certificates(Path file)
      throws IOException, GeneralSecurityException {
    var factory = CertificateFactory.getInstance("X.509");
    var found = factory.generateCertificates(new ByteArrayInputStream(read(file)));
    if (found.isEmpty()) {
      throw new IOException("%s has no certificate; it has to be in PEM".formatted(file));
    }
    return found.toArray(Certificate[]::new);
  }

  private PrivateKey privateKey() throws IOException, GeneralSecurityException {
    RemoteKey.refuseOpen(key);
    var text = new String(read(key), StandardCharsets.ISO_8859_1);
    var match = KEY_TEXT.matcher(text);
    if (!match.find()) {
      throw new IOException(
          "%s has no key in PEM that is not encrypted (PRIVATE KEY, RSA PRIVATE KEY, EC PRIVATE KEY)"
              .formatted(key));
    }
    try {
      var bytes = Base64.getMimeDecoder().decode(match.group(2));
      var info = info(match.group(1), bytes);
      var algorithm =
          info.getPrivateKeyAlgorithm().getAlgorithm().equals(X9ObjectIdentifiers.id_ecPublicKey)
              ? "EC"
              : "RSA";
      return KeyFactory.getInstance(algorithm)
          .generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
    } catch (IllegalArgumentException e) {
      throw new IOException("the key %s is damaged".formatted(key), e);
    }
  }

  private static PrivateKeyInfo info(String kind, byte[] bytes) throws IOException {
    return switch (kind) {
      case "RSA " ->
          new PrivateKeyInfo(
              new AlgorithmIdentifier(PKCSObjectIdentifiers.rsaEncryption, DERNull.INSTANCE),
              ASN1Primitive.fromByteArray(bytes));
      case "EC " -> {
        var ec = org.bouncycastle.asn1.sec.ECPrivateKey.getInstance(bytes);
        yield new PrivateKeyInfo(
            new AlgorithmIdentifier(
                X9ObjectIdentifiers.id_ecPublicKey, ec.getParametersObject()),
            ec);
      }
      default -> PrivateKeyInfo.getInstance(bytes);
    };
  }

  private static byte[] read(Path file) throws IOException {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw new IOException("%s is no file".formatted(file)); // a pipe could keep the reader
      }
      try (var in = Files.newInputStream(file)) {
        var content = in.readNBytes(FILE_MAX + 1);
        if (content.length > FILE_MAX) {
          throw new IOException("%s has more than %d bytes".formatted(file, FILE_MAX));
        }
        return content;
      }
    } catch (java.nio.file.FileSystemException e) {
      throw new IOException("cannot read " + CannotStart.reason(e), e);
    }
  }

  private record Line(SSLSocket socket) implements TlsLine {
    @Override
    public InputStream in() throws IOException {
      return socket.getInputStream();
    }

    @Override
    public OutputStream out() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /// A socket that is read through another stream, which knows how long the handshake may take.
  private static final class Within extends Socket {
    private final Socket socket;
    private final InputStream in;

    Within(Socket socket, InputStream in) {
      this.socket = socket;
      this.in = in;
    }

    @Override
    public InputStream getInputStream() {
      return in;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return socket.getOutputStream();
    }

    @Override
    public boolean isConnected() {
      return socket.isConnected();
    }

    @Override
    public boolean isClosed() {
      return socket.isClosed();
    }

    @Override
    public boolean isBound() {
      return socket.isBound();
    }

    @Override
    public boolean isInputShutdown() {
      return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
      return socket.isOutputShutdown();
    }

    @Override
    public void shutdownOutput() throws IOException {
      socket.shutdownOutput();
    }

    @Override
    public void shutdownInput() throws IOException {
      socket.shutdownInput();
    }

    @Override
    public InetAddress getInetAddress() {
      return socket.getInetAddress();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
      return socket.getRemoteSocketAddress();
    }

    @Override
    public int getPort() {
      return socket.getPort();
    }

    @Override
    public int getSoTimeout() {
      return 0; // reading says when it is too long
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
