package org.systole.common.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection.Credentials;

/// The frame by which a daemon that passes requests on says whose they are: from then on the
/// connection has that user's rights, and never more. Every [RpcServer] understands it, from the
/// cluster's own only.
public final class Behalf {
  private static final byte[] MARK = "behalf\n".getBytes(StandardCharsets.US_ASCII);
  private static final int LENGTH_MAX = 16 << 10;

  private Behalf() {}

  /// @param user of a remote node, without privileges
  /// @return null if that cannot be said, as with a line end in a name
  public static byte @Nullable [] frame(Credentials user) {
    var node = user.node();
    if (node == null || user.privileged()) {
      throw new IllegalArgumentException("not a remote node's user: " + user);
    }
    var text = new StringBuilder();
    text.append(node).append('\n').append(user.user());
    user.groups().forEach(it -> text.append('\n').append(it));
    var lines = text.chars().filter(it -> it == '\n').count();
    var names = text.toString().getBytes(StandardCharsets.UTF_8);
    if (lines != user.groups().size() + 1 || names.length > LENGTH_MAX || user.user().isEmpty()) {
      return null;
    }
    var frame = Arrays.copyOf(MARK, MARK.length + names.length);
    System.arraycopy(names, 0, frame, MARK.length, names.length);
    return frame;
  }

  /// Whether a frame is one of these.
  public static boolean isMeant(byte[] frame) {
    return frame.length > MARK.length
        && Arrays.equals(frame, 0, MARK.length, MARK, 0, MARK.length);
  }

  /// Whose requests follow.
  ///
  /// @return null if it does not say whose
  public static @Nullable Credentials in(byte[] frame) {
    var text =
        new String(frame, MARK.length, frame.length - MARK.length, StandardCharsets.UTF_8);
    var names = List.of(text.split("\n", -1));
    var node = NodeName.of(names.getFirst());
    return node == null || names.size() < 2 || names.get(1).isEmpty()
        ? null
        : new Credentials(names.get(1), names.subList(2, names.size()), false, node);
  }
}
