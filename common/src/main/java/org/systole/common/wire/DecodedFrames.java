package org.systole.common.wire;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The messages of the frames a thread has written or read lately, for a thread that holds both
/// ends of its connections. Messages are immutable, so readers may share them. Off unless
/// [#remember] or [#standIn] is called.
public final class DecodedFrames {
  private static final int SLOTS = 1 << 12;
  private static final byte STAND_IN = 1; // neither JSON nor a short form begins with it
  private static final int STAND_IN_LENGTH = 5;
  private static final ThreadLocal<@Nullable DecodedFrames> OF_THREAD = new ThreadLocal<>();

  private record Kept(Protocol<?> protocol, byte[] frame, Object message) {}

  /// What a frame stands for, as long as the frame is there.
  private static final class Meant extends WeakReference<byte[]> {
    private final Protocol<?> protocol;
    private final Object message;
    private final int level;
    private final int place;

    Meant(
        byte[] frame,
        ReferenceQueue<byte[]> gone,
        Protocol<?> protocol,
        Object message,
        int level,
        int place) {
      super(frame, gone);
      this.protocol = protocol;
      this.message = message;
      this.level = level;
      this.place = place;
    }
  }

  private final boolean standsIn;
  private final @Nullable Kept[] slots = new @Nullable Kept[SLOTS];
  private @Nullable Meant[] meant = new @Nullable Meant[SLOTS]; // by what a frame says of its place
  private int[] free = new int[SLOTS]; // places of frames that are gone
  private int freed;
  private int used; // places, the free ones among them
  private final ReferenceQueue<byte[]> gone = new ReferenceQueue<>();

  private DecodedFrames(boolean standsIn) {
    this.standsIn = standsIn;
  }

  /// Has this thread remember from now on, or no longer: a frame that its readers are handed as the
  /// same array is not decoded.
  public static void remember(boolean on) {
    OF_THREAD.set(on ? new DecodedFrames(false) : null);
  }

  /// As [#remember], and has nothing encoded either: the frames of this thread have five bytes and stand in for
  /// messages. Who makes something else of a frame than another frame asks for [#bytes]. Lengths, and so the
  /// limits of lengths, mean nothing then.
  public static void standIn() {
    OF_THREAD.set(new DecodedFrames(true));
  }

  /// The frame as it would travel, whatever stands in for it.
  public static byte[] bytes(byte[] frame) {
    var known = OF_THREAD.get();
    var it = known == null ? null : known.meantBy(frame);
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
    var instead = standsIn ? meantBy(frame) : null;
    if (instead != null) {
      return instead.protocol == protocol ? (E) instead.message : null;
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
    var place = freePlace();
    var frame =
        new byte[] {
          STAND_IN, (byte) (place >> 24), (byte) (place >> 16), (byte) (place >> 8), (byte) place
        };
    meant[place] = new Meant(frame, gone, protocol, message, level, place);
    return frame;
  }

  /// What this very frame stands for, null if it is one that says what it means.
  private @Nullable Meant meantBy(byte[] frame) {
    if (frame.length != STAND_IN_LENGTH || frame[0] != STAND_IN) {
      return null;
    }
    var place = frame[1] << 24 | (frame[2] & 0xFF) << 16 | (frame[3] & 0xFF) << 8 | frame[4] & 0xFF;
    var it = place < 0 || place >= used ? null : meant[place];
    return it != null && it.get() == frame ? it : null;
  }

  private int freePlace() {
    for (var it = gone.poll(); it != null; it = gone.poll()) {
      if (it instanceof Meant those) {
        meant[those.place] = null;
        if (freed == free.length) {
          free = Arrays.copyOf(free, 2 * freed);
        }
        free[freed++] = those.place;
      }
    }
    if (freed > 0) {
      return free[--freed];
    }
    if (used == meant.length) {
      meant = Arrays.copyOf(meant, 2 * used);
    }
    return used++;
  }
}
