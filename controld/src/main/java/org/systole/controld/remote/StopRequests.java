package org.systole.controld.remote;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteXml;

/// A remote node's own executor was asked to end: the cluster is to stop what runs there. Each time the
/// cluster is told it plans anew, so a host that says so again and again is heard now and then only.
final class StopRequests {
  static final Duration PAUSE = Duration.ofSeconds(30);

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private @Nullable Long last; // monotonic

  StopRequests(World world, RemoteHost host, NodeName node) {
    this.world = world;
    this.host = host;
    this.node = node;
  }

  /// @param executor of the node, which is told that the cluster knows
  void asked(RemoteExecutor executor) {
    var now = world.nanoTime();
    if (last != null && now - last < PAUSE.toNanos()) {
      return;
    }
    last = now;
    world.log().notice("Remote node %s is asked to stop".formatted(node));
    executor.forward(
        Element.of(
            RemoteXml.PROXY,
            RemoteXml.PROXY_OPERATION,
            RemoteXml.STOP_AGREED,
            RemoteXml.PROXY_SESSION,
            "0"));
    host.setAttribute(RemoteRecords.STOP_ASKED, node, String.valueOf(world.now().getEpochSecond()));
  }
}
