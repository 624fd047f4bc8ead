package org.systole.common.wire;

import org.jspecify.annotations.Nullable;

/// The messages of the frames a thread has written or read lately, for a thread that holds both
/// ends of its connections: a frame that its readers are handed as the same array is not decoded.
/// Messages are immutable, so readers may share them. Off unless [#remember] is called.
public final class DecodedFrames {
  private static final int SLOTS = 1 << 12;
  private static final ThreadLocal<@Nullable DecodedFrames> OF_THREAD = new ThreadLocal<>();

  private final @Nullable Object[] protocols = new @Nullable Object[SLOTS];
  private final byte @Nullable [][] frames = new byte @Nullable [SLOTS][];
  private final @Nullable Object[] messages = new @Nullable Object[SLOTS];

  private DecodedFrames() {}

  /// Has this thread remember from now on, or no longer.
  public static void remember(boolean on) {
    if (on != (OF_THREAD.get() != null)) {
      OF_THREAD.set(on ? new DecodedFrames() : null);
    }
  }

  static @Nullable DecodedFrames ofThisThread() {
    return OF_THREAD.get();
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
