package org.systole.execd.client.tls;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;

/// By what a cluster and its remote nodes know each other: a shared key, or certificates. Files are
/// read for each connection, so that they may come, or change, while a daemon runs.
public interface RemoteProof {
  /// What the environment asks for: certificates if it names all three of authority, certificate and
  /// its key, as in Pacemaker, else the shared key.
  static RemoteProof of(Layout layout, Map<String, String> environment) {
    var certificates = RemoteCertificates.of(layout, environment);
    return certificates == null ? RemoteKey.of(layout, environment) : certificates;
  }

  /// Whether the environment asks for what these programs can do, before anybody connects.
  ///
  /// @throws CannotStart with one line that says what is wrong
  static void checkOptions(Map<String, String> environment) {
    if (environment.getOrDefault(TlsPriorities.OPTION, "").isBlank()) {
      return;
    }
    var files =
        List.of(RemoteCertificates.AUTHORITY, RemoteCertificates.CERTIFICATE, RemoteCertificates.KEY);
    var certificates = files.stream().noneMatch(it -> environment.getOrDefault(it, "").isEmpty());
    TlsPriorities.check(environment, certificates);
  }

  /// @throws IOException with one line that says what to do, if no connection could be made
  void check() throws IOException;

  /// Makes a handshake as the one that connects, and blocks for it.
  ///
  /// @param in what comes from the socket, within the time for the handshake
  TlsLine connect(Socket socket, InputStream in) throws IOException;

  /// Makes ready what handshakes take, where the first one would else take much longer than others. Blocks.
  default void rehearse() throws IOException {}

  /// Makes a handshake as the one that was connected to, and blocks for it.
  ///
  /// @param in what comes from the socket, within the time for the handshake
  TlsLine accept(Socket socket, InputStream in) throws IOException;
}
