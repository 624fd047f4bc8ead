package org.systole.common.wire;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Protocol.ProtocolException;

/// How messages that come often are written as bytes rather than as JSON. Reader and writer are of
/// the same protocol version.
///
/// @param <M> the protocol's messages
public interface ShortForm<M> {
  /// Writes a kind, as one octet, and what [#read] needs to make the message again.
  ///
  /// @return false, with nothing written, for a message that has no such form
  boolean write(M message, FrameWriter to);

  /// @return null if there is no such kind
  @Nullable M read(int kind, FrameReader from) throws ProtocolException;
}
