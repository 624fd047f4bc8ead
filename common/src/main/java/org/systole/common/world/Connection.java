package org.systole.common.world;

import java.util.List;

/// One end of a local stream of frames. A frame is a byte array of 1 to [#FRAME_MAX] bytes.
public interface Connection {
  /// A longer frame is taken for garbage and closes the connection.
  int FRAME_MAX = 64 << 20;

  /// Queues a frame. A peer that does not read is cut off once what waits for it passes a limit, and
  /// so is one that a longer frame than [#FRAME_MAX] is for, which is not sent; sending on a closed
  /// connection does nothing.
  void send(byte[] frame);

  /// Closes after what was queued has been sent. The handler's `closed` still arrives.
  void close();

  /// Who is at the other end, as the kernel says.
  Credentials peer();

  /// A local user.
  ///
  /// @param groups the names of its groups, the primary one first
  /// @param privileged root or the cluster's own user
  record Credentials(String user, List<String> groups, boolean privileged) {}
}
