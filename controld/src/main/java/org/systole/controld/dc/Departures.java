package org.systole.controld.dc;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Nodes that the DC was asked to forget while the node list of the cluster's configuration file still
/// had them. Some administrators' programs ask first and take the node out of the list then. So it is
/// forgotten when it is out of the list, if that is soon. Another DC knows nothing of it: whoever asked
/// was refused, and asks again.
///
/// Not safe for use by several threads.
public final class Departures {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final int MAX = 100;

  /// What is known of nodes, and who forgets them.
  public interface Host {
    boolean isDc();

    boolean isMember(NodeName node);

    boolean isListed(NodeName node);

    void forget(NodeName node);
  }

  private final World world;
  private final Host host;
  private final Map<NodeName, World.Timer> asked = new LinkedHashMap<>();

  public Departures(World world, Host host) {
    this.world = world;
    this.host = host;
  }

  /// Has a node forgotten when it is out of the list.
  ///
  /// @return how long that may take
  public Duration await(NodeName node) {
    var former = asked.remove(node);
    if (former != null) {
      former.cancel();
    }
    if (asked.size() < MAX) {
      asked.put(node, world.after(PATIENCE, () -> asked.remove(node)));
    }
    return PATIENCE;
  }

  /// The node list may have changed.
  public void listChanged() {
    for (var node : List.copyOf(asked.keySet())) {
      if (!host.isListed(node)) {
        var timer = asked.remove(node);
        if (timer != null) {
          timer.cancel();
        }
        forget(node);
      }
    }
  }

  private void forget(NodeName node) {
    if (host.isDc() && !host.isMember(node)) {
      world
          .log()
          .notice("%s is out of the node list: it is removed, as was asked for before".formatted(node));
      host.forget(node);
    }
  }
}
