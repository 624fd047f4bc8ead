package org.systole.tools.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.systole.attrd.AttrDaemon;
import org.systole.cibd.CibDaemon;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;
import org.systole.controld.ControllerDaemon;
import org.systole.execd.ExecDaemon;
import org.systole.fenced.FenceDaemon;
import org.systole.pacemakerd.PacemakerdMain;
import org.systole.schedulerd.SchedulerDaemon;

/// Runs a cluster of one node for a few seconds, all its daemons in this process, so that the JVM
/// can keep the classes they load in the archive that all daemons share (see `make-archive`).
/// Nothing of it is left.
public final class DaemonTraining {
  private static final long SECONDS = 8;
  private static final long QUIET_MILLIS = 1000;
  private static final int REMOVALS = 20;
  private static final int KEY_BYTES = 256;
  private static final int FIRST_PORT = 15405;
  private static final int PORTS = 100; // fewer than the next: they must not overlap
  private static final int FAILURE_PORT_OFFSET = 100;
  private static final String NODE = "node1";
  private static final String CLUSTER =
      """
      totem {
        version: 2
        cluster_name: training
        token: 3000
        mcastport: @PORT@
      }
      nodelist {
        node {
          ring0_addr: 127.0.0.1
          name: node1
          nodeid: 1
        }
      }
      quorum {
        provider: corosync_votequorum
      }
      """;
  private static final String CIB =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration>
          <crm_config>
            <cluster_property_set id="o"><nvpair id="o-f" name="fencing-enabled" value="false"/></cluster_property_set>
          </crm_config>
          <nodes/>
          <resources>
            <primitive id="a" class="ocf" provider="pacemaker" type="Dummy">
              <operations><op id="a-m" name="monitor" interval="10s"/></operations>
            </primitive>
          </resources>
          <constraints/>
        </configuration>
        <status/>
      </cib>
      """;

  private DaemonTraining() {}

  /// @param commands runs commands on the node, with the environment they are given
  /// @return the exit status, if it could not be done; else it ends the process
  public static int run(Map<String, String> inherited, Consumer<Map<String, String>> commands) {
    try {
      var root = Files.createTempDirectory("systole-training");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(root)));
      var environment = new LinkedHashMap<>(inherited);
      environment.put(Layout.ROOT, root.toString());
      environment.put(Layout.NODE, NODE);
      environment.put("SYSTOLE_DAEMON_USER", "root");
      environment.put(SchedulerDaemon.WARM_UP, "no");
      var layout = Layout.of(environment);
      startAll(layout, environment);
      Thread.sleep(SECONDS * 1000); // nothing tells when all has been loaded
      commands.accept(environment);
      Thread.sleep(QUIET_MILLIS); // the archive is best written while nothing moves
      remove(root);
      Runtime.getRuntime().halt(0);
      return 0;
    } catch (IOException | CannotStart e) {
      System.err.println("systole: cannot prepare the daemons' archive: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /// One that nothing listens on, for a node may run on this machine.
  private static int freePort() throws IOException {
    var address = InetAddress.getLoopbackAddress();
    for (var port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
      try (var _ = new ServerSocket(port, 1, address);
          var _ = new ServerSocket(port + FAILURE_PORT_OFFSET, 1, address)) {
        return port;
      } catch (BindException e) {
        continue; // in use
      }
    }
    throw new IOException("no port is free on " + address);
  }

  private static void startAll(Layout layout, Map<String, String> environment) throws IOException {
    Files.createDirectories(layout.clusterConfiguration().getParent());
    var cluster = CLUSTER.replace("@PORT@", Integer.toString(freePort()));
    Files.writeString(layout.clusterConfiguration(), cluster);
    var key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    Files.write(layout.clusterKey(), key);
    Files.setPosixFilePermissions(
        layout.clusterKey(), PosixFilePermissions.fromString("rw-------"));
    Files.createDirectories(layout.state("cib"));
    Files.writeString(layout.state("cib").resolve("cib.xml"), CIB);
    Thread.ofPlatform().daemon().start(() -> PacemakerdMain.runLink(environment));
    daemon(layout, environment, "cibd", "cib", CibDaemon::start);
    daemon(layout, environment, "fenced", "fence", FenceDaemon::start);
    daemon(layout, environment, "execd", "exec", ExecDaemon::start);
    daemon(layout, environment, "attrd", "attrd", AttrDaemon::start);
    daemon(layout, environment, "schedulerd", "pengine", SchedulerDaemon::start);
    daemon(layout, environment, "controld", "ctl", ControllerDaemon::start);
  }

  private interface Starter {
    void start(World world, Layout layout, Map<String, String> environment);
  }

  private static void daemon(
      Layout layout, Map<String, String> environment, String name, String state, Starter starter) {
    var world = RealWorld.create(layout, environment, name, state);
    begin(world, () -> starter.start(world, layout, environment));
  }

  private static void begin(RealWorld world, Runnable start) {
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(start));
  }

  /// The daemons still write; what they make meanwhile goes with the next attempt.
  private static void remove(Path root) {
    for (var attempt = 1; Files.exists(root); attempt++) {
      try (var tree = Files.walk(root)) {
        for (var file : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException | UncheckedIOException e) {
        if (attempt == REMOVALS) {
          System.err.println("systole: cannot remove " + root + ": " + e.getMessage());
          return;
        }
      }
    }
  }
}
