package org.systole.tools.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.systole.common.layout.Layout;
import org.systole.schedulerd.SchedulerDaemon;

/// Runs a cluster of one node for a few seconds, its daemons in this process but for pacemakerd, so
/// that the JVM can keep the classes they load in the archive that they share (see `make-archive`).
/// Nothing of it is left.
final class DaemonTraining {
  private static final long SECONDS = 8;
  private static final long END_SECONDS = 10;
  private static final int REMOVALS = 20;
  private static final String NODE = "node1";
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");
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
            <group id="g">
              <meta_attributes id="g-meta"><nvpair id="g-r" name="target-role" value="Stopped"/></meta_attributes>
              <primitive id="b" class="ocf" provider="pacemaker" type="Dummy"/>
              <primitive id="c" class="ocf" provider="pacemaker" type="Dummy"/>
            </group>
            <clone id="k">
              <meta_attributes id="k-meta">
                <nvpair id="k-r" name="target-role" value="Stopped"/>
                <nvpair id="k-p" name="promotable" value="true"/>
              </meta_attributes>
              <primitive id="d" class="ocf" provider="pacemaker" type="Stateful"/>
            </clone>
          </resources>
          <constraints>
            <rsc_location id="l" rsc="a" node="node1" score="10"/>
            <rsc_colocation id="x" rsc="g" with-rsc="a" score="INFINITY"/>
            <rsc_order id="y" first="a" then="g"/>
          </constraints>
        </configuration>
        <status/>
      </cib>
      """;

  private DaemonTraining() {}

  /// Runs the node, and commands on it. Its processes list the classes they load.
  ///
  /// @param commands runs commands on the node, with the environment they are given
  /// @return the exit status
  static int run(Map<String, String> inherited, Consumer<Map<String, String>> commands) {
    try {
      var root = Files.createTempDirectory("systole-training");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(root)));
      var environment = new LinkedHashMap<>(inherited);
      environment.put(Layout.ROOT, root.toString());
      environment.put(Layout.NODE, NODE);
      environment.put("SYSTOLE_DAEMON_USER", "root");
      environment.put(SchedulerDaemon.WARM_UP, "no");
      LinkTraining.prepare(environment, NODE);
      var cib = Layout.of(environment).state("cib");
      Files.createDirectories(cib);
      Files.writeString(cib.resolve("cib.xml"), CIB);
      var links = Training.listing(environment, "pacemakerd", "train-links").start();
      var daemons = Training.listing(environment, "daemons", "train-daemons").start();
      Thread.sleep(SECONDS * 1000); // nothing tells when all has been loaded
      commands.accept(environment);
      var whole = end(daemons) & end(links); // daemons that miss their link end with a failure
      return whole ? 0 : 1;
    } catch (IOException e) {
      System.err.println("systole: cannot prepare the daemons' archive: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /// Ends one of the node's processes: its list is whole then.
  private static boolean end(Process process) throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      return process.exitValue() == 0;
    }
    process.destroyForcibly();
    return false;
  }

  /// Runs the daemons until the standard input ends, and the process with them.
  static int runDaemons() {
    Training.loadZones();
    for (var name : DAEMONS) {
      Thread.ofPlatform().daemon().start(() -> Main.run(name, new String[0]));
    }
    Training.awaitEnd();
    return 0;
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
