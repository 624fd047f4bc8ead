package org.systole.cibd;

import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.world.World;

/// The CIB manager's way in, the same in every world.
public final class CibDaemon {
  private CibDaemon() {}

  public static void start(World world, Layout layout, Map<String, String> environment) {
    new Cibd(world, environment).start();
    world.log().notice("Pacemaker CIB manager successfully started and accepting connections");
  }
}
