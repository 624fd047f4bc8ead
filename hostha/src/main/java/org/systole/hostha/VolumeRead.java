package org.systole.hostha;

import org.jspecify.annotations.Nullable;

/// What a neighbour read of a volume.
///
/// @param stamp changes when something is written to the volume, and means nothing else; null if it
///     could not be read
/// @param ageMs how long ago something was written, by the neighbour's own reckoning, in
///     milliseconds; null if that cannot be told
/// @param error why it could not be read; null if it could
/// @param root what the root of the file system there is called, by all who see the same; null if that is
///     not told
public record VolumeRead(
    @Nullable String stamp, @Nullable Long ageMs, @Nullable String error, @Nullable String root) {
  public static VolumeRead of(String stamp, @Nullable Long ageMs) {
    return new VolumeRead(stamp, ageMs, null, null);
  }

  public static VolumeRead unreadable(String error) {
    return new VolumeRead(null, null, error, null);
  }

  /// The same, as it was read below that root.
  public VolumeRead below(String name) {
    return new VolumeRead(stamp, ageMs, error, name);
  }
}
