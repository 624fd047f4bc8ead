package org.systole.execd.client.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;

/// Certificates instead of the shared key, made with the JDK's `keytool`.
final class RemoteCertificatesTest {
  private static final String PASSWORD = "changeit";
  private static final String LOCAL = "127.0.0.1";

  @TempDir private static Path directory;

  private final LoopWorld loop = new LoopWorld();
  private final Ear server = new Ear();
  private int port;

  private static void keytool(String... arguments) throws IOException {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of(arguments));
    line.addAll(List.of("-keystore", "store", "-storepass", PASSWORD));
    var process =
        new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.onExit().join().exitValue(), said);
  }

  @BeforeAll
  static void make() throws Exception {
    for (var authority : List.of("ca", "stranger-ca")) {
      keytool(
          "-genkeypair", "-alias", authority, "-keyalg", "EC", "-dname", "CN=" + authority, "-ext",
          "bc:c", "-ext", "ku:c=keyCertSign,cRLSign");
      keytool("-exportcert", "-rfc", "-alias", authority, "-file", authority + ".pem");
    }
    var algorithms = Map.of("member", "RSA", "host", "EC", "gone", "EC", "stranger", "EC");
    for (var each : algorithms.entrySet()) {
      var name = each.getKey();
      keytool("-genkeypair", "-alias", name, "-keyalg", each.getValue(), "-dname", "CN=" + name);
      keytool("-certreq", "-alias", name, "-file", name + ".req");
      keytool(
          "-gencert", "-rfc", "-alias", name.equals("stranger") ? "stranger-ca" : "ca", "-infile",
          name + ".req", "-outfile", name + ".pem");
      var store = KeyStore.getInstance("PKCS12");
      try (var in = new FileInputStream(directory.resolve("store").toFile())) {
        store.load(in, PASSWORD.toCharArray());
      }
      var key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
      write(name + ".key", "PRIVATE KEY", key);
    }
    var info = PrivateKeyInfo.getInstance(bytes("member.key"));
    write("member-pkcs1.key", "RSA PRIVATE KEY", info.parsePrivateKey().toASN1Primitive().getEncoded());
    var serial =
        ((java.security.cert.X509Certificate)
                java.security.cert.CertificateFactory.getInstance("X.509")
                    .generateCertificate(Files.newInputStream(directory.resolve("gone.pem"))))
            .getSerialNumber();
    keytool("-gencrl", "-rfc", "-alias", "ca", "-id", serial.toString(), "-file", "crl.pem");
  }

  private static byte[] bytes(String key) throws IOException {
    var text = Files.readString(directory.resolve(key));
    return Base64.getMimeDecoder().decode(text.split("-----")[2]);
  }

  private static void write(String name, String kind, byte[] key) throws IOException {
    var file = directory.resolve(name);
    Files.writeString(
        file,
        "some words before\n-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(key), kind));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
  }

  private static RemoteCertificates proof(String authority, String name, @Nullable String revoked) {
    return proof(authority, name, name + ".key", revoked);
  }

  private static RemoteCertificates proof(
      String authority, String name, String key, @Nullable String revoked) {
    return new RemoteCertificates(
        directory.resolve(authority + ".pem"),
        directory.resolve(name + ".pem"),
        directory.resolve(key),
        revoked == null ? null : directory.resolve(revoked));
  }

  private void serve(RemoteProof proof) throws IOException {
    try (var free = new ServerSocket(0, 1, InetAddress.getByName(LOCAL))) {
      port = free.getLocalPort();
    }
    new TlsStreams(loop.world, proof).listen(LOCAL, port, _ -> server);
  }

  private Ear connect(RemoteProof proof) {
    var ear = new Ear();
    new TlsStreams(loop.world, proof).connect(LOCAL, port, Duration.ofSeconds(30), ear);
    return ear;
  }

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void twoOfOneAuthorityTalk() throws Exception {
    serve(proof("ca", "host", "crl.pem"));
    for (var key : List.of("member.key", "member-pkcs1.key")) {
      var client = connect(proof("ca", "member", key, "crl.pem"));
      var there = Ear.next(client.opened);
      var here = Ear.next(server.opened);
      var text = "a".repeat(100_000).getBytes(StandardCharsets.UTF_8);
      there.send(text);
      assertArrayEquals(text, Ear.next(server.received));
      here.send(text);
      assertArrayEquals(text, Ear.next(client.received));
      there.close();
      Ear.next(server.closed);
    }
  }

  @Test
  void nobodyElseIsHeard() throws Exception {
    serve(proof("ca", "host", "crl.pem"));
    for (var stranger :
        List.of(
            proof("stranger-ca", "stranger", null),
            proof("ca", "stranger", null),
            proof("ca", "gone", null))) {
      Ear.next(connect(stranger).closed);
    }
    Ear.next(connect(new RemoteKey(key())).closed);
    assertEquals(0, server.opened.size());
    assertEquals(0, server.received.size());
    Ear.next(connect(proof("ca", "member", null)).opened);
    Ear.next(server.opened);
  }

  private static Path key() throws IOException {
    var file = directory.resolve("authkey");
    Files.write(file, new byte[128]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    return file;
  }

  @Test
  void whoIsRevokedOrAStrangerIsNotConnectedTo() throws Exception {
    serve(proof("ca", "gone", null));
    assertTrue(connect(proof("ca", "member", "crl.pem")).closed.poll(60, TimeUnit.SECONDS) != null);
    Ear.next(connect(proof("ca", "member", null)).opened);
    serve(proof("stranger-ca", "stranger", null));
    var client = connect(proof("ca", "member", null));
    assertTrue(Ear.next(client.closed).startsWith("cannot connect to 127.0.0.1"));
    assertEquals(0, client.opened.size());
  }

  @Test
  void whatIsWrongIsSaidWithTheFile() throws Exception {
    proof("ca", "member", "crl.pem").check();
    var wrong =
        Map.of(
            "none", proof("none", "member", null),
            "authkey", proof("ca", "member", key().getFileName().toString(), null),
            "ca.pem", proof("ca", "member", "ca.pem"));
    wrong.forEach(
        (file, proof) -> {
          var why = assertThrows(IOException.class, proof::check).getMessage();
          assertTrue(why.contains(file), why);
        });
    write("open.key", "PRIVATE KEY", bytes("member.key"));
    Files.setPosixFilePermissions(
        directory.resolve("open.key"), PosixFilePermissions.fromString("rw-r--r--"));
    var open = proof("ca", "member", "open.key", null);
    assertTrue(assertThrows(IOException.class, open::check).getMessage().contains("chmod 640"));
    write("damaged.key", "PRIVATE KEY", new byte[40]);
    assertThrows(IOException.class, proof("ca", "member", "damaged.key", null)::check);
  }

  @Test
  void theEnvironmentSaysWhatIsUsed() {
    var layout = new Layout(directory, directory);
    var three = Map.of("PCMK_ca_file", "/a", "PCMK_cert_file", "/b", "PCMK_key_file", "/c");
    assertInstanceOf(RemoteCertificates.class, RemoteProof.of(layout, three));
    assertInstanceOf(
        RemoteKey.class,
        RemoteProof.of(layout, Map.of("PCMK_ca_file", "/a", "PCMK_cert_file", "/b")));
  }
}
