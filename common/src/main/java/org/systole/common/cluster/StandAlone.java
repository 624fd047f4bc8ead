package org.systole.common.cluster;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// How a daemon is told that it stands alone: started by hand for a test, without a cluster.
public final class StandAlone {
  /// The environment variable with the name of the only node. Where daemons are started it is taken from the command
  /// line alone: nobody's environment may keep a node out of its cluster.
  public static final String VARIABLE = "SYSTOLE_STAND_ALONE";

  private StandAlone() {}

  /// What the only node is called; null for a daemon of a cluster.
  public static @Nullable NodeName name(Map<String, String> environment) {
    return NodeName.of(environment.get(VARIABLE));
  }
}
