package org.systole.execd;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
    var test = new TestJig(world);
    Function<String, Jigs.@Nullable Jig> jigs =
        name ->
            switch (name) {
              case "script" -> ScriptJig.steps(world, layout, agents);
              case "ansible" -> ScriptJig.ansible(world, layout, agents);
              case "test" -> test;
              default -> null;
            };
    var clients =
        new LocalClients(
            executor,
            new Jigs(world, jigs),
            new JigChecks(world, jigs),
            new Inventories(world, layout, agents));
    executor.start(() -> clients.serve(world));
    new SecretKeeper(world).open();
  }
}
