package org.systole.pacemakerd.jgroups;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import org.systole.common.world.CannotStart;

/// The secret that all nodes of a cluster share. Keys are derived from it: one for each sending
/// process, and one to open connections with.
///
/// Safe for use by several threads.
public final class ClusterKey {
  private static final int BYTES_MIN = 128;
  private static final int BYTES_MAX = 4096; // as corosync
  private static final int KEY_BYTES = 32;
  private static final int ALIAS_BYTES = 8;
  private static final int CONFIGURATION = 78; // what sysexits.h calls EX_CONFIG

  private final SecretKey root;
  private final SecretKey connections;
  private final String alias;

  private ClusterKey(SecretKey root) {
    this.root = root;
    connections = expand("HmacSHA256", "systole connection 2".getBytes(StandardCharsets.UTF_8));
    var bytes = expand("Generic", "systole alias 2".getBytes(StandardCharsets.UTF_8)).getEncoded();
    alias = HexFormat.of().formatHex(bytes, 0, ALIAS_BYTES);
  }

  /// @throws CannotStart if the file is missing, too short, or open to others
  public static ClusterKey read(Path file, String cluster) {
    try {
      var bytes = content(file);
      if (bytes.length < BYTES_MIN) {
        throw new CannotStart(
            "The cluster's key %s has %d bytes; it needs at least %d, the same on every node"
                .formatted(file, bytes.length, BYTES_MIN),
            CONFIGURATION);
      }
      var others =
          Files.getPosixFilePermissions(file).stream()
              .anyMatch(it -> it.name().startsWith("OTHERS"));
      if (others) {
        throw new CannotStart(
            "The cluster's key %s can be read by every user; run: chmod 400 %s"
                .formatted(file, file),
            CONFIGURATION);
      }
      refuseOtherGroups(file);
      return of(bytes, cluster);
    } catch (IOException e) {
      throw new CannotStart(
          ("Cannot read the cluster's key %s; copy it here from another node (scp -p), or, where no node has one"
                  + " yet, make one with \"dd if=/dev/urandom of=%s bs=256 count=1\", chmod 400, and copy it to every node")
              .formatted(CannotStart.reason(e), file),
          CONFIGURATION);
    }
  }

  /// As much as a key may have: what was put there by mistake may be anything.
  private static byte[] content(Path file) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new CannotStart(
          "The cluster's key %s is no file; put the same key there as on the other nodes"
              .formatted(file),
          CONFIGURATION);
    }
    try (var in = Files.newInputStream(file)) {
      var bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new CannotStart(
            "The cluster's key %s has more than %d bytes; it needs at least %d, the same on every node"
                .formatted(file, BYTES_MAX, BYTES_MIN),
            CONFIGURATION);
      }
      return bytes;
    }
  }

  /// Root's own group is as good as root; members of any other would have the key.
  private static void refuseOtherGroups(Path file) throws IOException {
    var attributes =
        Files.getFileAttributeView(file, PosixFileAttributeView.class).readAttributes();
    var group = attributes.group().getName();
    if (attributes.permissions().contains(PosixFilePermission.GROUP_READ)
        && !group.equals("root")) {
      throw new CannotStart(
          "The cluster's key %s can be read by members of group %s; run: chmod 400 %s"
              .formatted(file, group, file),
          CONFIGURATION);
    }
  }

  static ClusterKey of(byte[] secret, String cluster) {
    var extract =
        HKDFParameterSpec.ofExtract()
            .addIKM(secret)
            .addSalt(cluster.getBytes(StandardCharsets.UTF_8))
            .extractOnly();
    try {
      return new ClusterKey(KDF.getInstance("HKDF-SHA256").deriveKey("Generic", extract));
    } catch (GeneralSecurityException e) {
      throw new CannotStart("The cluster's key cannot be used: " + e.getMessage());
    }
  }

  /// The key for the messages of one process.
  ///
  /// @param sender the process' address in the transport, random and used once
  SecretKey ofSender(byte[] sender) {
    var info = new ByteArrayOutputStream();
    info.writeBytes("systole sender 2 ".getBytes(StandardCharsets.UTF_8));
    info.writeBytes(sender);
    return expand("AES", info.toByteArray());
  }

  /// The key by which both ends of a connection prove that they have the cluster's key.
  SecretKey ofConnections() {
    return connections;
  }

  /// The cluster's name on the network, derived so that strangers do not learn its real name. It
  /// tells one key from another and nothing of either.
  String alias() {
    return alias;
  }

  private SecretKey expand(String algorithm, byte[] info) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveKey(algorithm, HKDFParameterSpec.expandOnly(root, info, KEY_BYTES));
    } catch (NoSuchAlgorithmException | InvalidAlgorithmParameterException e) {
      throw new IllegalStateException("HKDF cannot be used", e);
    }
  }
}
