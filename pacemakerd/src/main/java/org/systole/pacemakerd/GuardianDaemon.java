package org.systole.pacemakerd;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.world.MessageDisks;
import org.systole.common.world.Watchdog;
import org.systole.common.world.World;

/// Puts the guardian of the machine's watchdog into a world.
public final class GuardianDaemon {
  private GuardianDaemon() {}

  /// @param environment with the settings, see [SbdSettings]
  public static void start(
      World world,
      Layout layout,
      Map<String, String> environment,
      Watchdog watchdog,
      MessageDisks disks) {
    var settings = SbdSettings.of(environment).settings();
    var node = environment.getOrDefault(Layout.NODE, "");
    var again = environment.containsKey(SbdSettings.AGAIN);
    if (again) {
      disks.begun();
    }
    var guardian = new Guardian(world, settings, node, watchdog, disks);
    world.onTerminate(guardian::terminate);
    if (again) {
      world.post(guardian::start); // the device counts already
    } else if (settings.isDelayOnDisk()) {
      disks.messageWait(settings.disks(), Disks.GRACE, wait -> later(world, settings, wait, guardian));
    } else {
      world.after(settings.delayOf(null), guardian::start);
    }
  }

  /// Before it looks for messages: one that comes while the node waits is for what ran here before.
  private static void later(
      World world, SbdSettings settings, @Nullable Duration messageWait, Guardian guardian) {
    var delay = settings.delayOf(messageWait);
    var seconds = delay.toSeconds();
    if (delay.compareTo(SbdSettings.DELAY_MAX) > 0) {
      world.exit(
          Guardian.CANNOT_ARM,
          ("SBD_DELAY_START=yes: the start would wait %d s, msgwait of the disks, and that is more than %d s;"
                  + " say how long by SBD_DELAY_START=SECONDS")
              .formatted(seconds, SbdSettings.DELAY_MAX.toSeconds()));
      return;
    }
    if (messageWait == null) {
      world
          .log()
          .warning(
              "SBD_DELAY_START=yes: no disk says its msgwait, so the start waits twice the watchdog's time, %d s"
                  .formatted(seconds));
    } else {
      world.log().notice("SBD_DELAY_START=yes: the start waits %d s, msgwait of the disks".formatted(seconds));
    }
    world.after(delay, guardian::start);
  }
}
