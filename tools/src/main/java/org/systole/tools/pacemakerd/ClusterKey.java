package org.systole.tools.pacemakerd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import org.systole.common.real.CannotStart;

/// The secret every node of a cluster shares.
final class ClusterKey {
  private static final int BYTES_MIN = 128;
  private static final int AES_BYTES = 32;
  private static final int CONFIGURATION = 78; // what sysexits.h calls EX_CONFIG

  private ClusterKey() {}

  /// Derives the key of the transport from the key file.
  ///
  /// @throws CannotStart if the file is missing, too short, or open to others
  static SecretKey read(Path file, String cluster) {
    try {
      var bytes = Files.readAllBytes(file);
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
      var derivation =
          HKDFParameterSpec.ofExtract()
              .addIKM(bytes)
              .addSalt(cluster.getBytes(StandardCharsets.UTF_8))
              .thenExpand("systole transport 1".getBytes(StandardCharsets.UTF_8), AES_BYTES);
      return KDF.getInstance("HKDF-SHA256").deriveKey("AES", derivation);
    } catch (IOException e) {
      throw new CannotStart(
          ("Cannot read the cluster's key %s; make one with \"dd if=/dev/urandom of=%s bs=256 count=1\","
                  + " chmod 400, and copy it to every node")
              .formatted(CannotStart.reason(e), file),
          CONFIGURATION);
    } catch (GeneralSecurityException e) {
      throw new CannotStart("The cluster's key cannot be used: " + e.getMessage());
    }
  }
}
