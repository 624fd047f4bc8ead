package org.systole.pacemakerd;

import java.util.Map;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.KernelWatchdog;
import org.systole.common.sbd.SbdSettings;

/// Runs the guardian of the machine's watchdog for real.
public final class GuardianMain {
  private GuardianMain() {}

  /// Does not return while it runs. When the supervisor is gone it ends, and the device goes on
  /// counting.
  ///
  /// @return the exit status, if it could not start
  public static int run(Map<String, String> environment) {
    return DaemonMain.run(
        "guardian",
        "link",
        environment,
        (world, layout, given) -> {
          var wholeMachine = layout.rootForChildren() == null;
          var action = SbdSettings.of(given).settings().action();
          var watchdog = new KernelWatchdog(world.log(), wholeMachine, action);
          GuardianDaemon.start(world, layout, given, watchdog);
        });
  }
}
