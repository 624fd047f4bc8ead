package org.systole.cts.sim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibReplica;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// A looker-on on one node, as a monitoring agent would be: follows the node's copy of the CIB and
/// what its controller says of itself.
final class SimWatch {
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final SimNode node;
  private final World world;
  private final CibReplica replica;
  private final RpcClient<CtlMessage.Request, CtlMessage.Reply, NoEvent> controller;
  private CtlMessage.@Nullable State state;
  private boolean idle;

  private SimWatch(SimNode node, World world) {
    this.node = node;
    this.world = world;
    this.replica = new CibReplica(world, (before, after, patch) -> {});
    this.controller =
        new RpcClient<>(world, CtlMessage.SOCKET, CtlMessage.PROTOCOL, new FromController());
  }

  /// Starts looking; it ends when the node loses its power.
  static SimWatch start(SimNode node) {
    var process = node.spawn("sim-watch");
    var random = node.cluster().random("watch", node.name(), "", process.pid());
    var watch = new SimWatch(node, new SimWorld(process, random));
    watch.replica.open();
    watch.controller.open();
    watch.world.after(EVERY, watch::look);
    node.cluster().order().join(node, process, watch.world);
    return watch;
  }

  /// The node's copy of the CIB, null while there is none.
  @Nullable Element cib() {
    return replica.isFollowing() ? replica.cib() : null;
  }

  /// What the controller last said of itself, null if it does not answer.
  CtlMessage.@Nullable State state() {
    return state;
  }

  boolean isDc() {
    return state != null && state.dc() != null && state.dc().text().equals(node.name());
  }

  /// Whether the DC said it has nothing left to do.
  boolean isIdle() {
    return idle;
  }

  private void look() {
    world.after(EVERY, this::look);
    if (!controller.isConnected()) {
      return;
    }
    controller.call(
        new CtlMessage.StateQuery(null),
        PATIENCE,
        answer -> {
          if (answer instanceof RpcClient.Answer.Got<CtlMessage.Reply>(CtlMessage.State it)) {
            seen(it);
          }
        });
    if (!isDc()) {
      idle = false; // only the DC knows
      return;
    }
    controller.call(
        new CtlMessage.WorkQuery(),
        PATIENCE,
        answer ->
            idle =
                answer instanceof RpcClient.Answer.Got<CtlMessage.Reply>(CtlMessage.Work work)
                    && work.idle());
  }

  private void seen(CtlMessage.@Nullable State now) {
    var was = isDc();
    state = now;
    if (isDc() != was) {
      node.cluster().change(node.name() + (isDc() ? " is DC" : " is no longer DC"));
    }
  }

  private final class FromController implements RpcClient.Listener<NoEvent> {
    @Override
    public void disconnected(String why) {
      seen(null);
      idle = false;
    }
  }
}
