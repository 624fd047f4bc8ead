package org.systole.controld;

import java.util.Map;
import java.util.function.Supplier;
import org.systole.common.layout.Layout;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;

/// The way into the controller: for the real daemon's main and for the simulator.
public final class ControllerDaemon {
  private ControllerDaemon() {}

  /// Starts a controller in `world`. It leaves the cluster in good order when the world says so
  /// ([World#onTerminate]), and ends by [World#exit].
  ///
  /// @param network the way to remote nodes; asked for when there is the first of them
  /// @param visitors how commands of other machines come; asked for when a port is to be served
  public static void start(
      World world,
      Layout layout,
      Map<String, String> env,
      Supplier<SecureStreams> network,
      Supplier<SecureStreams> visitors) {
    new Startup(world, env, network, visitors).begin();
  }
}
