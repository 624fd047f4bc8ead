package org.systole.controld.transition;

import java.util.Map;
import java.util.TreeMap;
import org.systole.common.values.NodeName;
import org.systole.common.world.Load;
import org.systole.controld.io.PeerMessage;

/// How many actions may run at the same time, on a node and in the cluster, given how busy the
/// nodes are.
public final class Throttle {
  private record Node(PeerMessage.Load.Mode mode, int jobs) {}

  private static final int JOBS_UNKNOWN = 8;

  private final Map<NodeName, Node> nodes = new TreeMap<>();

  public void report(NodeName node, PeerMessage.Load.Mode mode, int jobs) {
    nodes.put(node, new Node(mode, jobs));
  }

  public void forget(NodeName node) {
    nodes.remove(node);
  }

  /// How many actions a node may have under way.
  int jobs(NodeName name) {
    var node = nodes.get(name);
    if (node == null) {
      return JOBS_UNKNOWN;
    }
    return switch (node.mode()) {
      case EXTREME, HIGH -> 1;
      case MEDIUM -> Math.max(1, node.jobs() / 4);
      case LOW -> Math.max(1, node.jobs() / 2);
      case NONE -> Math.max(1, node.jobs());
    };
  }

  /// How many actions may be under way in the whole cluster; 0 or less for no limit.
  ///
  /// @param configured the option `batch-limit`
  int total(int configured, int peers) {
    var limit = configured;
    for (var node : nodes.values()) {
      var most =
          switch (node.mode()) {
            case EXTREME -> Math.max(1, peers / 4);
            case HIGH -> Math.max(1, peers / 2);
            case NONE, LOW, MEDIUM -> Integer.MAX_VALUE;
          };
      if (most != Integer.MAX_VALUE && (limit == 0 || limit > most)) {
        limit = most;
      }
    }
    return limit;
  }

  /// @param threshold the option `load-threshold` as a fraction of each core; 0 for no throttling
  static PeerMessage.Load.Mode mode(Load load, double threshold) {
    if (threshold <= 0) {
      return PeerMessage.Load.Mode.NONE;
    }
    // on a single core a load of 1 is too high already
    var limit = threshold * (load.cores() == 1 ? 0.6 : load.cores());
    var average = load.average();
    if (average > 2.0 * limit) {
      return PeerMessage.Load.Mode.HIGH;
    }
    if (average > 1.6 * limit) {
      return PeerMessage.Load.Mode.MEDIUM;
    }
    return average > 1.2 * limit ? PeerMessage.Load.Mode.LOW : PeerMessage.Load.Mode.NONE;
  }
}
