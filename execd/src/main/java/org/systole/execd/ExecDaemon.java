package org.systole.execd;

import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.world.World;
import org.systole.execd.secrets.SecretKeeper;

/// Puts an executor into a world.
public final class ExecDaemon {
  private ExecDaemon() {}

  /// @param environment what the daemon was started with; agents inherit most of it
  public static void start(World world, Layout layout, Map<String, String> environment) {
    var agents = AgentEnvironment.of(layout, environment, AgentEnvironment.MEMBER);
    var executor = new Executor(world, agents, true);
    var jigs =
        new Jigs(
            world,
            name ->
                switch (name) {
                  case "script" -> new ScriptJig(world, layout, agents);
                  case "test" -> new TestJig(world);
                  default -> null;
                });
    var clients = new LocalClients(executor, jigs);
    executor.start(() -> clients.serve(world));
    new SecretKeeper(world).open();
  }
}
