package org.systole.execd;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.values.Numbers;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;

/// Puts the executor of a remote node into a world.
public final class RemotedDaemon {
  /// Where it serves, as environment variables.
  public static final String PORT = "PCMK_remote_port";

  /// In how many seconds whatever supervises the daemon has it serve again where it ends unasked. The
  /// cluster waits so long before it holds the node for lost.
  public static final String RETURNS = "SYSTOLE_REMOTE_RETURNS";

  static final String ADDRESS = "PCMK_remote_address";
  private static final String START_STATE = "PCMK_node_start_state";
  private static final int DEFAULT_PORT = 3121;
  private static final int PORT_MAX = 65535;
  private static final int RETURNS_MAX = 60;

  private RemotedDaemon() {}

  /// @param environment what the daemon was started with; agents inherit most of it
  /// @param streams the network
  public static void start(
      World world, Layout layout, Map<String, String> environment, SecureStreams streams) {
    var agents = AgentEnvironment.of(layout, environment, AgentEnvironment.REMOTE);
    var executor = new Executor(world, agents, false);
    var local =
        new LocalClients(
            executor,
            new Jigs(world, _ -> null),
            new JigChecks(world, _ -> null),
            new Inventories(world, layout, agents));
    var stop = new RemoteStop(world);
    var commands = new RemoteCommands(world, stop);
    var clients =
        new RemoteClients(
            world,
            executor,
            stop,
            commands,
            environment.get(START_STATE),
            returnsWithin(world, environment.get(RETURNS)));
    world.onTerminate(stop::begin);
    executor.start(
        () -> {
          local.serve(world);
          commands.serve();
          var address = environment.get(ADDRESS);
          var port = port(world, environment.get(PORT));
          stop.serve(
              () -> streams.listen(address == null || address.isEmpty() ? null : address, port, clients),
              clients::mayRunSomething);
          world.log().notice("Waiting for the cluster at port " + port);
          world.tellServiceManager("READY=1\nSTATUS=Waiting for the cluster at port " + port);
        });
  }

  private static int port(World world, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return DEFAULT_PORT;
    }
    var port = Numbers.integer(text, -1);
    if (port >= 1 && port <= PORT_MAX) {
      return port;
    }
    world
        .log()
        .warning("%s=%s is not a port; %d is served".formatted(PORT, text, DEFAULT_PORT));
    return DEFAULT_PORT;
  }

  private static Duration returnsWithin(World world, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return Duration.ZERO;
    }
    var seconds = Numbers.integer(text, -1);
    if (seconds >= 0 && seconds <= RETURNS_MAX) {
      return Duration.ofSeconds(seconds);
    }
    world
        .log()
        .warning(
            "%s=%s is not a number of seconds up to %d; the cluster will not wait for this daemon"
                .formatted(RETURNS, text, RETURNS_MAX));
    return Duration.ZERO;
  }
}
