package org.systole.common.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The frames by which a supervisor asks a daemon's loop whether it still comes round. Every
/// [RpcServer] answers, whatever protocol it speaks.
public final class Ping {
  private static final byte[] REQUEST = "ping".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ANSWER = "pong".getBytes(StandardCharsets.US_ASCII);

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

  public static boolean isAnswer(byte[] frame) {
    return Arrays.equals(frame, ANSWER);
  }
}
