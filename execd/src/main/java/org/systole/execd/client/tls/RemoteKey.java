package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;

/// The file with the key that a cluster and its remote nodes share. It is read for each connection, so
/// that it may come, or change, while a daemon runs.
public final class RemoteKey implements RemoteProof {
  /// The environment variable that names the file.
  public static final String LOCATION = "PCMK_authkey_location";

  private static final int MIN = 16;
  private static final int MAX = 64 << 10;

  /// So often that what runs often in a handshake is compiled.
  private static final int REHEARSALS = 2;

  /// What nobody but the owner and its group may have, and what the group may not.
  private static final EnumSet<PosixFilePermission> TOO_MUCH =
      EnumSet.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private final Path file;
  private final @Nullable TlsPriorities priorities;

  public RemoteKey(Path file) {
    this(file, null);
  }

  /// @param priorities what may be used; null for the usual
  RemoteKey(Path file, @Nullable TlsPriorities priorities) {
    this.file = file;
    this.priorities = priorities;
  }

  /// The key of this node: where the environment says, else `/etc/pacemaker/authkey`.
  public static RemoteKey of(Layout layout, Map<String, String> environment) {
    var location = environment.get(LOCATION);
    return new RemoteKey(
        location == null || location.isEmpty()
            ? layout.configuration().resolve("authkey")
            : layout.root().resolve(location.replaceFirst("^/+", "")),
        TlsPriorities.of(environment));
  }

  @Override
  public void check() throws IOException {
    read();
  }

  @Override
  public TlsLine connect(Socket socket, InputStream in) throws IOException {
    return PskTls.connect(in, socket.getOutputStream(), read(), priorities);
  }

  @Override
  public void rehearse() throws IOException {
    for (var time = 0; time < REHEARSALS; time++) {
      PskTls.rehearse(priorities);
    }
  }

  @Override
  public TlsLine accept(Socket socket, InputStream in) throws IOException {
    return PskTls.accept(in, socket.getOutputStream(), read(), priorities);
  }

  /// @throws IOException with one line that says what to do, if the file can be read or changed by
  ///     others than it must
  static void refuseOpen(Path file) throws IOException {
    var permissions = Files.getPosixFilePermissions(file);
    permissions.retainAll(TOO_MUCH);
    if (!permissions.isEmpty()) {
      throw new IOException(
          "the key "
              + file
              + " can be read or changed by too many; make it its owner's and the group's own"
              + " (chmod 640), and a new one if strangers may have seen it");
    }
  }

  /// @throws IOException with one line that says what to do, if the file is not there or is not to be
  ///     trusted
  public byte[] read() throws IOException {
    try {
      refuseOpen(file);
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw new IOException(
            "the key %s is no file; it is the same on all nodes of the cluster and remote nodes"
                .formatted(file)); // a pipe or a device could keep the reader for ever
      }
      var key = content();
      if (key.length < MIN) {
        throw new IOException(
            "the key %s has %d bytes; it needs %d at least".formatted(file, key.length, MIN));
      }
      return key;
    } catch (java.nio.file.FileSystemException e) {
      throw new IOException(
          "cannot read the key %s; it is the same on all nodes of the cluster and remote nodes"
              .formatted(CannotStart.reason(e)),
          e);
    }
  }

  private byte[] content() throws IOException {
    try (var in = Files.newInputStream(file)) {
      var content = in.readNBytes(MAX + 1);
      if (content.length > MAX) {
        throw new IOException("the key %s has more than %d bytes".formatted(file, MAX));
      }
      return content;
    }
  }
}
