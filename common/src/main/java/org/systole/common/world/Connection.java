package org.systole.common.world;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// One end of a local stream of frames. A frame is a byte array of 1 to [#FRAME_MAX] bytes.
public interface Connection {
  /// A longer frame is taken for garbage and closes the connection.
  int FRAME_MAX = 64 << 20;

  /// Queues a frame. A peer that does not read is cut off once what waits for it passes a limit, and
  /// so is one that a longer frame than [#FRAME_MAX] is for, which is not sent; sending on a closed
  /// connection does nothing.
  void send(byte[] frame);

  /// How many bytes were queued and are not sent yet; to be asked in the loop.
  long unsent();

  /// Closes after what was queued has been sent. The handler's `closed` still arrives.
  void close();

  /// Closes at once: what was sent and has not reached the other end by now is not to reach it later,
  /// as far as this end can help it. The handler's `closed` still arrives.
  default void abandon() {
    close();
  }

  /// Who is at the other end, as the kernel says.
  Credentials peer();

  /// A user of this node, or of a remote node.
  ///
  /// @param groups the names of its groups, the primary one first
  /// @param privileged root or the cluster's own user, of this node
  /// @param node the remote node whose user it is; null for this one
  record Credentials(
      String user, List<String> groups, boolean privileged, @Nullable NodeName node) {
    /// A user of this node.
    public Credentials(String user, List<String> groups, boolean privileged) {
      this(user, groups, privileged, null);
    }

    /// What tells this user from all others, for people and for limits.
    public String who() {
      return node == null ? user : user + " of " + node;
    }
  }
}
