package org.systole.common.wire;

import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/// The messages of the frames a thread has written or read lately, for a thread that holds both
/// ends of its connections. Messages are immutable, so readers may share them. Off unless
/// [#remember] or [#standIn] is called.
public final class DecodedFrames {
  private static final int SLOTS = 1 << 12;
  private static final byte STAND_IN = 1; // neither JSON nor a short form begins with it
  private static final ThreadLocal<@Nullable DecodedFrames> OF_THREAD = new ThreadLocal<>();

  private record Kept(Protocol<?> protocol, byte[] frame, Object message) {}

  private record Meant(Protocol<?> protocol, Object message, int level) {}

  private final boolean standsIn;
  private final @Nullable Kept[] slots = new @Nullable Kept[SLOTS];
  private final Map<byte[], Meant> meant = new WeakHashMap<>(); // arrays go by identity

  private DecodedFrames(boolean standsIn) {
    this.standsIn = standsIn;
  }

  /// Has this thread remember from now on, or no longer: a frame that its readers are handed as the
  /// same array is not decoded.
  public static void remember(boolean on) {
    OF_THREAD.set(on ? new DecodedFrames(false) : null);
  }

  /// As [#remember], and has nothing encoded either: the frames of this thread have one byte and stand in for
  /// messages. Who makes something else of a frame than another frame asks for [#bytes]. Lengths, and so the
  /// limits of lengths, mean nothing then.
  public static void standIn() {
    OF_THREAD.set(new DecodedFrames(true));
  }

  /// The frame as it would travel, whatever stands in for it.
  public static byte[] bytes(byte[] frame) {
    var known = OF_THREAD.get();
    var it = known == null || frame.length != 1 ? null : known.meant.get(frame);
    return it == null ? frame : it.protocol.bytes(it.message, it.level);
  }

  static @Nullable DecodedFrames ofThisThread() {
    return OF_THREAD.get();
  }

  private static int slot(byte[] frame) {
    return System.identityHashCode(frame) & (SLOTS - 1);
  }

  @SuppressWarnings("unchecked") // a protocol finds only what it has kept itself
  <E> @Nullable E find(Protocol<?> protocol, byte[] frame) {
    if (standsIn && frame.length == 1) {
      var it = meant.get(frame);
      return it != null && it.protocol == protocol ? (E) it.message : null;
    }
    var it = slots[slot(frame)];
    return it != null && it.frame == frame && it.protocol == protocol ? (E) it.message : null;
  }

  void keep(Protocol<?> protocol, byte[] frame, Object message) {
    slots[slot(frame)] = new Kept(protocol, frame, message);
  }

  /// A frame that stands in for a message, null if there are none.
  byte @Nullable [] inPlaceOf(Protocol<?> protocol, Object message, int level) {
    if (!standsIn) {
      return null;
    }
    var frame = new byte[] {STAND_IN};
    meant.put(frame, new Meant(protocol, message, level));
    return frame;
  }
}
