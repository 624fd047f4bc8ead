package org.systole.pacemakerd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.KernelWatchdog;
import org.systole.common.real.SbdDisks;
import org.systole.common.world.Log;

/// Runs the guardian of the machine's watchdog for real.
public final class GuardianMain {
  /// Where clients of SBD, such as `fence_sbd`, look for its daemon.
  private static final String PROCESS = "run/sbd.pid";

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
          var watchdog = new KernelWatchdog(world.log(), wholeMachine);
          writeProcess(layout.root().resolve(PROCESS), world.log());
          GuardianDaemon.start(world, layout, given, watchdog, new SbdDisks(world));
        });
  }

  private static void writeProcess(Path file, Log log) {
    try {
      Files.writeString(file, ProcessHandle.current().pid() + "\n");
    } catch (IOException e) {
      log.warning("Cannot write " + file + ", by which fence_sbd finds the guardian: " + e);
    }
  }
}
