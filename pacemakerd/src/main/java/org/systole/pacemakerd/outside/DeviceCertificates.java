package org.systole.pacemakerd.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Collections;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// The node's certificate for the quorum device, its key, and the certificate of the authority that
/// signs the server's. They are in the file that `corosync-qdevice-net-certutil` makes for the
/// nodes; it has no password, so its mode is what protects it. It is read for each connection: it
/// may be renewed while the node runs.
public final class DeviceCertificates {
  /// The name of the file in the directory of certificates.
  public static final String FILE = "qdevice-net-node.p12";

  /// What the server's certificate says it is.
  static final String SERVER = "Qnetd Server";

  private static final long SIZE_MAX = 1 << 20;
  private static final char[] NO_PASSWORD = new char[0];

  private final Path directory;

  /// @param directory the one with the file, beside the database of Corosync's own daemon
  public DeviceCertificates(Path directory) {
    this.directory = directory;
  }

  SSLContext context() throws IOException {
    var file = directory.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          ("%s is missing: make it with corosync-qdevice-net-certutil, or from the database there with "
                  + "pk12util -d %s -o %s -W \"\" -n \"Cluster Cert\"")
              .formatted(file, directory, file));
    }
    if (Files.size(file) > SIZE_MAX) {
      throw new IOException(file + " is too large for a certificate; make it anew");
    }
    try (var in = Files.newInputStream(file)) {
      var keys = KeyStore.getInstance("PKCS12");
      keys.load(in, NO_PASSWORD);
      return context(file, keys);
    } catch (GeneralSecurityException e) {
      throw new IOException("%s cannot be used: %s".formatted(file, e.getMessage()), e);
    }
  }

  private static SSLContext context(Path file, KeyStore keys)
      throws IOException, GeneralSecurityException {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    for (var name : Collections.list(keys.aliases())) {
      var chain = keys.isKeyEntry(name) ? keys.getCertificateChain(name) : null;
      if (chain != null && chain.length > 1) {
        trusted.setCertificateEntry(name, chain[chain.length - 1]);
      }
    }
    if (trusted.size() == 0) {
      throw new IOException(
          file
              + " lacks the certificate of the authority: make it with corosync-qdevice-net-certutil");
    }
    var own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, NO_PASSWORD);
    var theirs = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    theirs.init(trusted);
    var context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), theirs.getTrustManagers(), null);
    return context;
  }

  /// Whether a certificate is the server's, and not one of the nodes' of any cluster, which the same
  /// authority has signed.
  static boolean isServer(X509Certificate certificate) {
    try {
      var name = new LdapName(certificate.getSubjectX500Principal().getName());
      return name.getRdns().stream()
          .anyMatch(it -> it.getType().equalsIgnoreCase("CN") && it.getValue().equals(SERVER));
    } catch (InvalidNameException e) {
      return false;
    }
  }
}
