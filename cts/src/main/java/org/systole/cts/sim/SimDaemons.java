package org.systole.cts.sim;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Processes;
import org.systole.common.world.World;
import org.systole.execd.RemotedDaemon;
import org.systole.schedulerd.SchedulerDaemon;

/// The daemons a simulated node can run, by the name of their program.
final class SimDaemons {
  /// A daemon's way in, the same in both worlds.
  interface Factory {
    void start(SimNode node, World world, Layout layout, Map<String, String> environment);
  }

  private static final long START_MIN = 50_000_000;
  private static final long START_SPREAD = 200_000_000;

  static final String SUPERVISOR = "pacemakerd";
  /// The supervisor's exit status for files it cannot use, which sysexits.h calls EX_CONFIG.
  static final int CONFIGURATION = 78;


  private final SimCluster cluster;
  private final Map<String, Factory> factories = new LinkedHashMap<>();

  SimDaemons(SimCluster cluster) {
    this.cluster = cluster;
  }

  void add(String program, Factory factory) {
    factories.put(program, factory);
  }

  boolean has(String program) {
    return factories.containsKey(program);
  }

  /// Starts the program in `child` if it is a daemon.
  boolean start(SimProcess child, Processes.Program program) {
    var name = Path.of(program.command().getFirst()).getFileName().toString();
    var factory = factory(child, name);
    if (factory == null) {
      return false;
    }
    start(child, factory, program.environment());
    return true;
  }

  /// As the build says that is on the machine now.
  private @Nullable Factory factory(SimProcess process, String name) {
    var build = process.node().build();
    return build != null && has(name) ? build.factory(name) : factories.get(name);
  }

  /// Starts a daemon that no daemon started.
  void start(SimProcess process) {
    if (process.name().equals(SUPERVISOR)) {
      cluster.checks().roles().gate().comes(process.node());
    }
    var factory = factory(process, process.name());
    if (factory == null) {
      throw new IllegalArgumentException("no daemon is called " + process.name());
    }
    start(process, factory, environment(process.node()));
  }

  private Map<String, String> environment(SimNode node) {
    var environment = new LinkedHashMap<String, String>();
    environment.put(Layout.ROOT, node.layout().root().toString());
    environment.put(Layout.NODE, node.name());
    environment.put(Layout.HOME, "/usr");
    environment.put(SchedulerDaemon.WARM_UP, "no"); // virtual time does not get quicker
    environment.put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    environment.putAll(cluster.variables());
    if (cluster.outside().endsWithItsDaemon(node)) {
      environment.remove(RemotedDaemon.RETURNS);
    }
    return environment;
  }

  private void start(SimProcess process, Factory factory, Map<String, String> environment) {
    var random = cluster.random("process", process.node().name(), process.name(), process.pid());
    var took = START_MIN + random.nextLong(START_SPREAD);
    cluster
        .queue()
        .after(
            took,
            process,
            () -> {
              var world = new SimWorld(process, random);
              if (process.name().equals(SUPERVISOR) && process.node().file().isRefusedThere(process.node())) {
                // Refused as by its main method; it is started again until the file is mended.
                world.exit(CONFIGURATION, "corosync.conf cannot be used");
                return;
              }
              if (process.name().equals(SUPERVISOR)) {
                process.node().file().isRead();
              }
              factory.start(process.node(), world, process.node().layout(), environment);
            });
  }
}
