package org.systole.fenced;

import java.util.function.Consumer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Follows the CIB.
final class CibWatch {
  private CibWatch() {}

  /// @param changed told of every version, the first included
  static void open(World world, Consumer<Element> changed) {
    if (world.log().keeps(org.systole.common.world.Log.Level.DEBUG)) {
      world.log().debug("Following the CIB");
    }
  }
}
