package org.systole.common.wire;

import java.util.Locale;
import org.systole.common.world.Connection;
import org.systole.common.world.World;

/// Sends frames. One that is too long is not sent: what would be missing may matter, so the
/// connection ends, and both sides begin anew.
final class Frames {
  private Frames() {}

  /// @param message what the frame says, for the log
  /// @return whether it could be sent
  static boolean send(
      World world, String protocol, Connection to, Object message, byte[] frame) {
    if (frame.length <= Connection.FRAME_MAX) {
      to.send(frame);
      return true;
    }
    world
        .log()
        .error(
            "Closing the connection to %s over %s: %s"
                .formatted(to.peer().user(), protocol, tooLong(message, frame)));
    to.close();
    return false;
  }

  static String tooLong(Object message, byte[] frame) {
    var what = message instanceof String it ? it : message.getClass().getSimpleName();
    return String.format(
        Locale.ROOT,
        "%s has %,d bytes, a message at most %,d",
        what,
        frame.length,
        Connection.FRAME_MAX);
  }
}
