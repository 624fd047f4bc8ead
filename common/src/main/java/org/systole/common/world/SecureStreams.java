package org.systole.common.world;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Connections over the network between a cluster and the hosts it uses from outside, its remote
/// nodes. They are encrypted, and both ends have proved to know the same key before a handler hears
/// of them. A frame is one whole message.
///
/// Threading as for [World]. A peer that sends too much, or does not read, is cut off; it holds up
/// no other.
public interface SecureStreams {
  /// Serves a port. Those who do not prove themselves in time are sent away unheard.
  ///
  /// @param address the address to serve; null for all of the machine's
  /// @param port 0 for any
  /// @return closing it closes the port; connections stay
  /// @throws CannotStart if the port cannot be had
  Server listen(@Nullable String address, int port, ServerHandler handler);

  /// Opens a connection. The outcome arrives at `handler`: either [ConnectionHandler#opened] or
  /// [ConnectionHandler#closed].
  ///
  /// @param server an address or a name
  /// @param within how long it may take until the connection is there and both ends are proved
  void connect(String server, int port, Duration within, ConnectionHandler handler);

  /// Connections are to come: whatever the first one would have to wait for may be made ready meanwhile. Nothing comes of it but that.
  void prepare();
}
