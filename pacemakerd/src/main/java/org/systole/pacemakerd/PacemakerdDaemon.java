package org.systole.pacemakerd;

import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Channels;
import org.systole.common.world.World;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.pacemakerd.link.LinkCore;

/// The supervisor of a node and owner of its link.
public final class PacemakerdDaemon {
  static final int CONFIGURATION = 78; // the exit status for a configuration that cannot be used

  private static final Duration LEAVE_CHANNEL = Duration.ofSeconds(3);

  private final World world;
  private final LinkCore link;
  private final Supervisor supervisor;

  private PacemakerdDaemon(
      World world, LinkCore link, Layout layout, Map<String, String> environment) {
    this.world = world;
    this.link = link;
    this.supervisor = new Supervisor(world, layout, environment, this::stopped);
  }

  /// Starts the node: the link, then the daemons.
  ///
  /// @param environment handed on to the daemons; says the node's name
  /// @param config the cluster configuration
  /// @throws CannotStart if the configuration has no such node
  public static void start(
      World world,
      Layout layout,
      Map<String, String> environment,
      ClusterConfig config,
      Channels channels) {
    var local = localNode(config, environment, _ -> false);
    new PacemakerdDaemon(world, new LinkCore(world, config, local), layout, environment)
        .start(channels);
  }

  static ClusterConfig.Node localNode(
      ClusterConfig config, Map<String, String> environment, Predicate<String> isLocal) {
    try {
      return config.localNode(environment.get(Layout.NODE), isLocal);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), CONFIGURATION);
    }
  }

  private void start(Channels channels) {
    world.onTerminate(supervisor::stop);
    RpcServer.serve(
        world,
        PacemakerdMessage.SOCKET,
        World.Access.GROUP,
        PacemakerdMessage.PROTOCOL,
        new Requests());
    link.start(channels);
    supervisor.start();
  }

  private void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<PacemakerdMessage.Reply> call,
      PacemakerdMessage.Request request) {
    switch (request) {
      case PacemakerdMessage.Ping() -> call.reply(state());
      case PacemakerdMessage.Debug(var daemons) -> {
        supervisor.setDebug(daemons);
        call.reply(state());
      }
      case PacemakerdMessage.Shutdown() -> {
        world.log().notice("User %s asks to stop the node".formatted(session.peer().user()));
        supervisor.stop();
        call.reply(state());
      }
    }
  }

  private final class Requests
      implements RpcServer.Handler<PacemakerdMessage.Request, PacemakerdMessage.Reply, NoEvent> {
    /// Answers instead of closing the connection, which the client would take for a node that is
    /// down.
    @Override
    public PacemakerdMessage.Reply denied(PacemakerdMessage.Request request, String why) {
      return new PacemakerdMessage.Denied(why);
    }

    @Override
    public void request(
        RpcServer.Session<NoEvent> session,
        RpcServer.Call<PacemakerdMessage.Reply> call,
        PacemakerdMessage.Request request) {
      PacemakerdDaemon.this.request(session, call, request);
    }
  }

  private PacemakerdMessage.State state() {
    return new PacemakerdMessage.State(supervisor.state().word(), world.now().getEpochSecond());
  }

  private void stopped() {
    link.close(() -> world.exit(supervisor.status(), "the node is down"));
    world.after(LEAVE_CHANNEL, () -> world.exit(supervisor.status(), "the node is down"));
  }
}
