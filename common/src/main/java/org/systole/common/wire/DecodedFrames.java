package org.systole.common.wire;

import org.jspecify.annotations.Nullable;

/// The frames a thread has decoded lately, for a process that holds both ends of its connections: a
/// frame that many readers are handed as the same array is decoded once. Messages are immutable, so
/// readers may share them. Off unless [#remember] is called.
public final class DecodedFrames {
  private static final int SLOTS = 1 << 10;
  private static final ThreadLocal<DecodedFrames> OF_THREAD =
      ThreadLocal.withInitial(DecodedFrames::new);
  private static volatile boolean remembering;

  private final @Nullable Object[] protocols = new @Nullable Object[SLOTS];
  private final byte @Nullable [][] frames = new byte @Nullable [SLOTS][];
  private final @Nullable Object[] messages = new @Nullable Object[SLOTS];

  private DecodedFrames() {}

  /// From now on every thread of this process remembers.
  public static void remember() {
    remembering = true;
  }

  static @Nullable DecodedFrames ofThisThread() {
    return remembering ? OF_THREAD.get() : null;
  }

  private static int slot(byte[] frame) {
    return System.identityHashCode(frame) & (SLOTS - 1);
  }

  @SuppressWarnings("unchecked") // a protocol finds only what it has kept itself
  <E> @Nullable E find(Protocol<?> protocol, byte[] frame) {
    var slot = slot(frame);
    return frames[slot] == frame && protocols[slot] == protocol ? (E) messages[slot] : null;
  }

  void keep(Protocol<?> protocol, byte[] frame, Object message) {
    var slot = slot(frame);
    protocols[slot] = protocol;
    frames[slot] = frame;
    messages[slot] = message;
  }
}
