package org.systole.common.world;

import java.time.Duration;

/// Connections over the network to a server outside the cluster. They begin in the clear; each end
/// may ask for encryption once it is agreed. What arrives are pieces of a stream of bytes, not
/// messages.
///
/// Threading as for [World]. A peer that does not read is cut off.
public interface UpgradableStreams {
  /// @param server an address or a name
  /// @param ipVersion 4 or 6, 0 for either
  record Target(String server, int port, int ipVersion) {}

  interface Stream {
    /// Queues bytes; sending on a closed stream does nothing.
    void send(byte[] bytes);

    /// Encrypts, once what was queued is sent. The handler's `secured` follows, or `closed` if the
    /// server could not prove itself in time.
    void secure(Duration within);

    /// The handler's `closed` still arrives.
    void close();
  }

  interface Handler {
    void opened(Stream stream);

    /// Both ends are proved, and all that follows is encrypted.
    ///
    /// @param clientProved whether this end was asked for its certificate, and gave it
    void secured(Stream stream, boolean clientProved);

    /// @param bytes at least one
    void received(Stream stream, byte[] bytes);

    /// The last call. Also where the connection could not be opened.
    void closed(String why);
  }

  /// Opens a connection.
  ///
  /// @param within how long it may take until the connection is there
  void connect(Target target, Duration within, Handler handler);
}
