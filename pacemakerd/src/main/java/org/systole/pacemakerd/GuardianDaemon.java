package org.systole.pacemakerd;

import java.util.Map;
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
    if (environment.containsKey(SbdSettings.AGAIN)) {
      disks.begun();
    }
    var guardian = new Guardian(world, settings, node, watchdog, disks);
    world.onTerminate(guardian::terminate);
    world.after(settings.delayOf(null), guardian::start);
  }
}
