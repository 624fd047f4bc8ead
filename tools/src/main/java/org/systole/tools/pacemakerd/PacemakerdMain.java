package org.systole.tools.pacemakerd;

import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.real.CannotStart;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.RealWorld;
import org.systole.common.wire.BlockingClient;

/// Runs the supervisor for real.
final class PacemakerdMain {
  private static final String NAME = "pacemakerd";
  private static final int FATAL = 100;
  private static final int CONFIGURATION = 78;

  private PacemakerdMain() {}

  /// Does not return while the node runs.
  ///
  /// @throws CannotStart with one line for the administrator
  static void run(Map<String, String> inherited) {
    var layout = Layout.of(inherited);
    refuseSecond(layout);
    var text = read(layout);
    var config = parse(layout, text);
    var local = localNode(config, inherited);
    var environment = new LinkedHashMap<>(inherited);
    environment.put(Layout.NODE, local.name());
    environment.put(DaemonMain.SUPERVISOR, Long.toString(ProcessHandle.current().pid()));
    var world = RealWorld.create(layout, environment, NAME, "link");
    TransportLog.install(world.log());
    var keyFile =
        config.keyFile() == null
            ? layout.clusterKey()
            : layout.root().resolve(config.keyFile().substring(1));
    var key = config.encrypted() ? ClusterKey.read(keyFile, config.name()) : null;
    if (key == null) {
      world.log().warning("The nodes' connections are not protected: crypto_cipher is none");
    }
    var channels = new JGroupsChannels(world, config, local, key);
    world.run(
        () -> {
          world
              .log()
              .notice(
                  "Starting node %s (%d) of cluster %s"
                      .formatted(local.name(), local.id(), config.name()));
          PacemakerdDaemon.start(world, layout, environment, text, channels);
        });
  }

  private static void refuseSecond(Layout layout) {
    try (var _ =
        BlockingClient.open(layout.socket(PacemakerdMessage.SOCKET), PacemakerdMessage.PROTOCOL)) {
      throw new CannotStart(
          "This node runs already; stop it first with pacemakerd --shutdown", FATAL);
    } catch (IOException e) {
      return; // nobody serves it
    }
  }

  private static String read(Layout layout) {
    try {
      return Files.readString(layout.clusterConfiguration());
    } catch (IOException e) {
      throw new CannotStart(
          "Cannot read the cluster configuration %s; it lists the nodes and is the same on all of them"
              .formatted(CannotStart.reason(e)),
          CONFIGURATION);
    }
  }

  private static ClusterConfig parse(Layout layout, String text) {
    try {
      return ClusterConfig.parse(layout.clusterConfiguration().toString(), text);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), CONFIGURATION);
    }
  }

  private static ClusterConfig.Node localNode(
      ClusterConfig config, Map<String, String> environment) {
    try {
      return config.localNode(environment.get(Layout.NODE), LocalAddresses::has);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), CONFIGURATION);
    }
  }
}
