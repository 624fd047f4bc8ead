package org.systole.fenced;

import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.world.World;

/// Puts a fencer into a world.
public final class FenceDaemon {
  private FenceDaemon() {}

  /// @param environment what the daemon was started with; agents inherit most of it
  public static void start(World world, Layout layout, Map<String, String> environment) {
    var agents = new FenceAgents(world, layout, environment);
    new Fencer(world, agents, environment).start();
    world.log().notice("Pacemaker fencer successfully started and accepting connections");
  }
}
