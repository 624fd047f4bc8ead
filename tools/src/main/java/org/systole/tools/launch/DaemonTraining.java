package org.systole.tools.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibQuery;
import org.systole.common.layout.Layout;
import org.systole.common.wire.BlockingClient;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.schedulerd.SchedulerDaemon;

/// Runs a cluster of one node for a few seconds, its daemons in one process but for pacemakerd, so
/// that the JVM can keep the classes they load in the archive that they share (see `make-archive`).
/// Then once more with a remote node, for what only who has to do with these loads. Nothing of it is left.
final class DaemonTraining {
  private static final Duration AT_LEAST = Duration.ofSeconds(8);

  /// Without any change of the CIB, and in all: where much else runs on the machine it takes long, but goes on.
  private static final Duration AT_REST = Duration.ofSeconds(150);

  private static final Duration AT_MOST = Duration.ofSeconds(900);
  private static final Duration SAY_EACH = Duration.ofSeconds(15);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);
  private static final long END_SECONDS = 60;
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
    return run(inherited, new Member(), commands);
  }

  /// Runs the node once more, with a remote node. What its processes load, and the archive of the daemons
  /// has not, is kept in another one on top of that.
  ///
  /// @param below the archive of the daemons
  /// @param archive the one to be made
  /// @return the exit status
  static int runWithRemote(Map<String, String> inherited, String below, String archive) {
    return run(inherited, new RemoteTraining(below, archive), _ -> {});
  }

  /// What is run.
  interface Kind {
    /// Makes ready what is not the node's own, and says what it begins with. Of what it is told `a` is a
    /// resource with a monitor each 10 s.
    String configuration(Map<String, String> environment) throws IOException;

    ProcessBuilder links(Map<String, String> environment);

    ProcessBuilder daemons(Map<String, String> environment);
  }

  private record Member() implements Kind {
    @Override
    public String configuration(Map<String, String> environment) {
      return CIB;
    }

    @Override
    public ProcessBuilder links(Map<String, String> environment) {
      return Training.listing(environment, "pacemakerd", "train-links");
    }

    @Override
    public ProcessBuilder daemons(Map<String, String> environment) {
      return Training.listing(environment, "daemons", "train-daemons");
    }
  }

  private static int run(
      Map<String, String> inherited, Kind kind, Consumer<Map<String, String>> commands) {
    try {
      var root = Files.createTempDirectory("systole-training");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(root)));
      var environment = new LinkedHashMap<>(inherited);
      environment.put(Layout.ROOT, root.toString());
      environment.put(Layout.NODE, NODE);
      environment.put("SYSTOLE_DAEMON_USER", "root");
      environment.put(SchedulerDaemon.WARM_UP, SchedulerDaemon.ONCE);
      LinkTraining.prepare(environment, NODE);
      var cib = Layout.of(environment).state("cib");
      Files.createDirectories(cib);
      Files.writeString(cib.resolve("cib.xml"), kind.configuration(environment));
      var links = kind.links(environment).start();
      var daemons = kind.daemons(environment).start();
      var wait = new Wait();
      var up = awaitMonitor(Layout.of(environment), daemons, wait);
      if (up) {
        commands.accept(environment);
      }
      var whole = end(daemons) & end(links); // daemons that miss their link end with a failure
      if (!up || !whole) {
        System.err.println(
            "systole: the node that shows which classes daemons load %s; this machine may be too busy"
                .formatted(up || !daemons.isAlive() ? "failed" : "did not come up within " + wait.seconds() + " s"));
      }
      return up && whole ? 0 : 1;
    } catch (IOException e) {
      System.err.println("systole: cannot prepare the daemons' archive: " + e.getMessage());
      return 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    }
  }

  /// How long the node has been waited for, and when something was last heard of it.
  private static final class Wait {
    private final long begin = System.nanoTime();
    private long heard = begin;
    private long said = begin;

    void heard() {
      heard = System.nanoTime();
    }

    void say() {
      if (heard - said >= SAY_EACH.toNanos()) {
        said = heard;
        System.err.println("systole: the node goes on, after %d s".formatted(seconds()));
      }
    }

    boolean isOver() {
      return left().isZero();
    }

    Duration left() {
      var now = System.nanoTime();
      var left = Math.min(AT_REST.toNanos() - (now - heard), AT_MOST.toNanos() - (now - begin));
      return Duration.ofNanos(Math.max(0, left));
    }

    Duration took() {
      return Duration.ofNanos(System.nanoTime() - begin);
    }

    long seconds() {
      return took().toSeconds();
    }
  }

  /// Waits until the node monitors its resource, and as long again: what else is loaded is so by then, as
  /// far as anything tells.
  private static boolean awaitMonitor(Layout layout, Process daemons, Wait wait)
      throws InterruptedException {
    while (!wait.isOver() && daemons.isAlive()) {
      if (monitors(layout, wait)) {
        var took = wait.took();
        var more = took.compareTo(AT_LEAST.dividedBy(2)) > 0 ? took : AT_LEAST.minus(took);
        Thread.sleep(more.toMillis());
        return true;
      }
      Thread.sleep(LOOK_AGAIN.toMillis()); // nothing tells when a daemon comes up
    }
    return false;
  }

  private static boolean monitors(Layout layout, Wait wait) {
    try (var cib = BlockingClient.open(layout.socket(CibMessage.SOCKET), CibMessage.PROTOCOL)) {
      cib.call(new CibMessage.Subscribe(), ANSWER);
      wait.heard();
      while (!wait.isOver()) {
        var reply = cib.call(new CibMessage.Query(CibQuery.ALL, ""), ANSWER);
        if (reply instanceof CibMessage.Answer answer && answer.xml() != null && shown(answer.xml())) {
          return true;
        }
        if (cib.event(wait.left()) != null) {
          wait.heard();
          wait.say();
        }
      }
    } catch (IOException | XmlException e) {
      return false; // it is not up yet
    }
    return false;
  }

  private static boolean shown(String cib) throws XmlException {
    return XmlReader.parse(cib)
            .find(it -> it.is("lrm_rsc_op") && "a_monitor_10000".equals(it.get("operation_key")))
        != null;
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
    begin();
    Training.awaitEnd();
    return 0;
  }

  /// Runs the daemons, which end with the process.
  static void begin() {
    Training.loadZones();
    for (var name : DAEMONS) {
      Thread.ofPlatform().daemon().start(() -> Main.run(name, new String[0]));
    }
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
