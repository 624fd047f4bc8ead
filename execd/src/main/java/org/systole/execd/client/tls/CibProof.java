package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;

/// By what members and commands of other machines know each other: certificates where all three of
/// them are named, else a key that each user has. Encryption without either, which Pacemaker falls back
/// to, is not made: whoever is in between would read the password.
public final class CibProof implements RemoteProof {
  /// On members the keys of all users, one line `USER:KEY` each, in hexadecimal.
  public static final String CREDENTIALS = "cib-credentials";

  /// Names, for a command, the file with its user's key, in hexadecimal.
  public static final String KEY_FILE = "CIB_key_file";

  private static final int KEY_MIN = 16;
  private static final int FILE_MAX = 256 << 10;
  private static final String[] CERTIFICATES = {"ca_file", "cert_file", "key_file", "crl_file"};

  private final Path file;
  private final @Nullable String user; // null on a member
  private final @Nullable TlsPriorities priorities;

  private CibProof(Path file, @Nullable String user, @Nullable TlsPriorities priorities) {
    this.file = file;
    this.user = user;
    this.priorities = priorities;
  }

  /// What a member has.
  public static RemoteProof ofMember(Layout layout, Map<String, String> environment) {
    var certificates = RemoteCertificates.of(layout, either(environment));
    return certificates == null
        ? new CibProof(
            layout.configuration().resolve(CREDENTIALS), null, TlsPriorities.of(environment))
        : certificates;
  }

  /// What a command of another machine has.
  ///
  /// @throws IOException with one line that says what is missing
  public static RemoteProof ofCommand(Layout layout, Map<String, String> environment, String user)
      throws IOException {
    @Nullable TlsPriorities priorities;
    @Nullable RemoteCertificates certificates;
    try {
      priorities = TlsPriorities.of(environment);
      certificates = RemoteCertificates.of(layout, either(environment));
    } catch (CannotStart e) {
      throw new IOException(e.getMessage(), e);
    }
    if (certificates != null) {
      return certificates;
    }
    var named = environment.getOrDefault(KEY_FILE, "");
    if (named.isEmpty()) {
      throw new IOException(
          KEY_FILE
              + " names no file with a key, and CIB_ca_file, CIB_cert_file and CIB_key_file no"
              + " certificates; without one of them the member cannot be told from others");
    }
    return new CibProof(Path.of(named), user, priorities);
  }

  /// Pacemaker's names of certificates for all that is remote, and those for this.
  private static Map<String, String> either(Map<String, String> environment) {
    var both = new HashMap<>(environment);
    for (var each : CERTIFICATES) {
      var general = environment.getOrDefault("PCMK_" + each, "");
      both.put("PCMK_" + each, general.isEmpty() ? environment.getOrDefault("CIB_" + each, "") : general);
    }
    return both;
  }

  @Override
  public void check() throws IOException {
    text();
  }

  @Override
  public TlsLine connect(Socket socket, InputStream in) throws IOException {
    var name = user == null ? "" : user;
    var key = key(text().strip());
    if (key == null) {
      throw new IOException(
          "the key %s is not in hexadecimal, or shorter than %d bytes".formatted(file, KEY_MIN));
    }
    return PskTls.connect(
        in, socket.getOutputStream(), name.getBytes(StandardCharsets.UTF_8), key, priorities);
  }

  @Override
  public TlsLine accept(Socket socket, InputStream in) throws IOException {
    var lines = text().lines().toList();
    return PskTls.accept(
        in,
        socket.getOutputStream(),
        identity -> {
          for (var line : lines) {
            var colon = line.lastIndexOf(':');
            var name = line.substring(0, Math.max(0, colon)).getBytes(StandardCharsets.UTF_8);
            if (colon > 0 && Arrays.equals(name, identity)) {
              return key(line.substring(colon + 1).strip());
            }
          }
          return null;
        },
        priorities);
  }

  private static byte @Nullable [] key(String hex) {
    try {
      var key = HexFormat.of().parseHex(hex);
      return key.length < KEY_MIN ? null : key;
    } catch (IllegalArgumentException e) {
      return null; // the caller says so
    }
  }

  private String text() throws IOException {
    try {
      RemoteKey.refuseOpen(file);
      if (!Files.isRegularFile(file)) {
        throw new IOException("%s is no file".formatted(file)); // a pipe could keep the reader
      }
      try (var in = Files.newInputStream(file)) {
        var content = in.readNBytes(FILE_MAX + 1);
        if (content.length > FILE_MAX) {
          throw new IOException("%s has more than %d bytes".formatted(file, FILE_MAX));
        }
        return new String(content, StandardCharsets.UTF_8);
      }
    } catch (java.nio.file.FileSystemException e) {
      throw new IOException("cannot read the key " + CannotStart.reason(e), e);
    }
  }
}
