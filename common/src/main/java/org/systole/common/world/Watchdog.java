package org.systole.common.world;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.sbd.SbdSettings;

/// The machine's watchdog: a device that resets the machine unless it is fed.
///
/// Nothing here waits for longer than the kernel takes. It belongs to one loop.
public interface Watchdog {
  /// Opens the device and has it count. Whoever does not feed it from now on is reset.
  ///
  /// @param timeout whole seconds
  /// @return null, or why the machine has no armed watchdog now
  @Nullable String arm(String device, Duration timeout);

  /// Has the device count from the beginning.
  ///
  /// @return null, or why that may not have reached it
  @Nullable String feed();

  /// Has the device stop counting and closes it: nothing resets the machine any more.
  ///
  /// @return null, or why it may still count
  @Nullable String disarm();

  /// Resets the machine as soon as that can be done. The device goes on counting in any case.
  ///
  /// @param how by what the kernel is told
  void reset(SbdSettings.Action how);
}
