package org.systole.attrd;

import java.util.Map;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.world.World;

/// The attribute manager's way in, the same in every world.
public final class AttrDaemon {
  private AttrDaemon() {}

  public static void start(World world, Layout layout, Map<String, String> environment) {
    var how = StandAlone.name(environment) == null ? "" : " in standalone mode";
    world.log().notice("Starting Pacemaker node attribute manager" + how);
    new Attrd(world, environment).start();
    world
        .log()
        .notice("Pacemaker node attribute manager successfully started and accepting connections");
  }
}
