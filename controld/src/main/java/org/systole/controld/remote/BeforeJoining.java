package org.systole.controld.remote;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.controld.operations.OperationRunner;

/// What a member writes of remote nodes before it says what it runs itself, on which the DC plans.
final class BeforeJoining {
  /// So long the CIB may take. What comes later is still made, and planned on then.
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final World world;
  private final RemoteHost host;
  private final Runnable then;
  private World.@Nullable Timer limit;
  private int waited;
  private boolean over;

  BeforeJoining(World world, RemoteHost host, Runnable then) {
    this.world = world;
    this.host = host;
    this.then = then;
  }

  /// @param connected what makes the CIB know of connections, may be empty
  /// @param unknown guests that nobody is connected to, though their machines run
  /// @param over connections that another member has by now
  void write(List<CibOp> connected, List<NodeName> unknown, List<ResourceId> over, OperationRunner connections) {
    waited = unknown.size() + (connected.isEmpty() ? 0 : 1) + (over.isEmpty() ? 0 : 1);
    if (waited == 0) {
      then.run();
      return;
    }
    limit = world.after(LIMIT, this::end);
    if (!connected.isEmpty()) {
      host.write(connected, this::written);
    }
    if (!over.isEmpty()) {
      connections.forget(over, _ -> written());
    }
    var now = world.now().getEpochSecond();
    unknown.forEach(
        it -> host.writeIfThere(RemoteRecords.unknown(it, host.nodeName(), now), _ -> written()));
  }

  private void written() {
    waited--;
    if (waited == 0) {
      end();
    }
  }

  private void end() {
    if (limit != null) {
      limit.cancel();
    }
    if (!over) {
      over = true;
      then.run();
    }
  }
}
