package org.systole.common.wire;

import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Protocol.ProtocolException;

/// How messages that come often are written as bytes rather than as JSON. What
/// a kind is made of stays as it is: a message that gets another part gets another kind too, which
/// is written from a later level on, and the reader goes on reading the old one.
///
/// @param <M> the protocol's messages
public interface ShortForm<M> {
  /// Writes a kind, as one octet, and what [#read] needs to make the message again.
  ///
  /// @return false, with nothing written, for a message that has no such form
  boolean write(M message, FrameWriter to);

  /// The level from which on this message goes in its short form; below it goes as JSON, which
  /// every build reads.
  default int since(M message) {
    return 1;
  }

  /// @return null if there is no such kind
  @Nullable M read(int kind, FrameReader from) throws ProtocolException;
}
