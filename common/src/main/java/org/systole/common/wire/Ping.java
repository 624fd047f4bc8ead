package org.systole.common.wire;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;

/// The frames by which a supervisor asks a daemon's loop whether it still comes round. Every
/// [RpcServer] answers, whatever protocol it speaks. A daemon that is about to be busy with one
/// thing for long says so to those who have asked.
public final class Ping {
  private static final byte[] REQUEST = "ping".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ANSWER = "pong".getBytes(StandardCharsets.US_ASCII);

  private static final String BUSY = "busy ";

  private Ping() {}

  public static byte[] request() {
    return REQUEST.clone();
  }

  static boolean isRequest(byte[] frame) {
    return Arrays.equals(frame, REQUEST);
  }

  static byte[] answer() {
    return ANSWER.clone();
  }

  /// No answer will come for as long.
  static byte[] busy(Duration forAsLong) {
    return (BUSY + forAsLong.toMillis()).getBytes(StandardCharsets.US_ASCII);
  }

  /// How long the other side expects to be busy; null if the frame says no such thing.
  public static @Nullable Duration busy(byte[] frame) {
    var text = new String(frame, StandardCharsets.US_ASCII);
    return text.startsWith(BUSY)
        ? Duration.ofMillis(Math.max(0, Numbers.parse(text.substring(BUSY.length()), 0)))
        : null;
  }

  public static boolean isAnswer(byte[] frame) {
    return Arrays.equals(frame, ANSWER);
  }
}
