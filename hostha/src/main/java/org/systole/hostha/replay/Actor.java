package org.systole.hostha.replay;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.hostha.PowerState;
import org.systole.hostha.VolumeRead;

/// A host as its script has it: how it is, and how its provider answers.
final class Actor {
  Answer health = Answer.good();
  Answer eligible = Answer.good();

  /// How it looks at others.
  Answer looks = Answer.good();

  Answer recover = Answer.good();

  /// How long after its power cycle it answers again; below zero for never.
  long boots = -1;

  Answer fence = Answer.good();

  /// Null if nobody answers.
  @Nullable PowerState power = PowerState.ON;

  boolean maintenance;

  /// How far its clock is ahead, in milliseconds.
  long skew;

  private static final class Disk {
    boolean moving;
    long lastWrite;
    @Nullable String error;
  }

  private final Map<String, Disk> disks = new HashMap<>();
  private boolean moving = true;
  private long stoppedAt;

  /// All its volumes are written to, or none is.
  void write(boolean on, long now) {
    moving = on;
    stoppedAt = now;
    disks.values().forEach(it -> set(it, on, now));
  }

  void write(String volume, boolean on, long now) {
    set(disk(volume), on, now);
  }

  void unreadable(String volume, String why) {
    disk(volume).error = why;
  }

  private static void set(Disk disk, boolean on, long now) {
    disk.lastWrite = disk.moving ? now : disk.lastWrite;
    disk.moving = on;
    disk.error = null;
  }

  private Disk disk(String volume) {
    return disks.computeIfAbsent(
        volume,
        _ -> {
          var disk = new Disk();
          disk.moving = moving;
          disk.lastWrite = stoppedAt;
          return disk;
        });
  }

  /// What a neighbour reads.
  ///
  /// @param ahead how far its clock is ahead
  /// @param wrong whether it says that nothing was written, whatever it sees
  VolumeRead read(String volume, long now, long ahead, boolean wrong) {
    var disk = disk(volume);
    if (wrong) {
      return VolumeRead.of("0", Long.MAX_VALUE);
    }
    if (disk.error != null) {
      return VolumeRead.unreadable(disk.error);
    }
    var last = disk.moving ? now : disk.lastWrite;
    return VolumeRead.of(Long.toString(last), Math.max(0, now + ahead - last));
  }
}
