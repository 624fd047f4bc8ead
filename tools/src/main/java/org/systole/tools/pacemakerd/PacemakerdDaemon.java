package org.systole.tools.pacemakerd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.real.CannotStart;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Channels;
import org.systole.common.world.World;

/// The supervisor of a node and owner of its link.
public final class PacemakerdDaemon {
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
  /// @param clusterConfiguration the text of the cluster configuration file
  /// @throws CannotStart if the configuration cannot be used
  public static void start(
      World world,
      Layout layout,
      Map<String, String> environment,
      String clusterConfiguration,
      Channels channels) {
    ClusterConfig config;
    ClusterConfig.Node local;
    try {
      config = ClusterConfig.parse(layout.clusterConfiguration().toString(), clusterConfiguration);
      local = config.localNode(environment.get(Layout.NODE), LocalAddresses::has);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), 78);
    }
    var forChildren = new LinkedHashMap<>(environment);
    forChildren.put(Layout.NODE, local.name());
    var daemon =
        new PacemakerdDaemon(world, new LinkCore(world, config, local), layout, forChildren);
    daemon.start(channels);
  }

  private void start(Channels channels) {
    world.onTerminate(supervisor::stop);
    RpcServer.serve(
        world,
        PacemakerdMessage.SOCKET,
        World.Access.GROUP,
        PacemakerdMessage.PROTOCOL,
        this::request);
    link.start(channels);
    supervisor.start();
  }

  private void request(
      RpcServer.Session<PacemakerdMessage> session, long id, PacemakerdMessage request) {
    switch (request) {
      case PacemakerdMessage.Ping() -> session.reply(id, state());
      case PacemakerdMessage.Shutdown() -> {
        if (!session.peer().privileged()) {
          world.log().warning("User %s may not stop the node".formatted(session.peer().user()));
          session.close();
          return;
        }
        world.log().notice("User %s asks to stop the node".formatted(session.peer().user()));
        supervisor.stop();
        session.reply(id, state());
      }
      case PacemakerdMessage.State _ -> session.close();
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
