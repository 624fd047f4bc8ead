package org.systole.tools.launch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.systole.tools.cli.OptionTable;
import org.systole.tools.cli.Terminal;

/// Runs what commands usually run, once, so that the JVM can keep the classes they load in the
/// archives the launcher uses (see `make-archive`). Nothing it does leaves a trace.
final class Training {
  private static final long COMMAND_SECONDS = 120; // where much else runs on the machine

  private static final String CIB =
      """
      <cib validate-with="pacemaker-3.7" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1">
        <configuration>
          <crm_config>
            <cluster_property_set id="cib-bootstrap-options">
              <nvpair id="o1" name="fencing-enabled" value="false"/>
            </cluster_property_set>
          </crm_config>
          <nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>
          <resources>
            <primitive id="a" class="ocf" provider="pacemaker" type="Dummy">
              <operations><op id="a-m" name="monitor" interval="10s"/></operations>
            </primitive>
            <group id="g">
              <primitive id="b" class="ocf" provider="pacemaker" type="Dummy"/>
              <primitive id="c" class="ocf" provider="pacemaker" type="Dummy"/>
            </group>
            <clone id="k">
              <meta_attributes id="k-meta">
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
        <status>
          <node_state id="1" uname="node1" in_ccm="true" crmd="online" join="member" expected="member">
            <lrm id="1"><lrm_resources/></lrm>
          </node_state>
          <node_state id="2" uname="node2" in_ccm="true" crmd="online" join="member" expected="member">
            <lrm id="2"><lrm_resources/></lrm>
          </node_state>
        </status>
      </cib>
      """;

  private static final String[][] LINES = {
    {"crm_mon", "--help"},
    {"crm_mon", "--no-such-option"},
    {"crm_mon", "-1"},
    {"crm_mon", "--output-as=xml"},
    {"crm_simulate", "-S", "-x", "@CIB@"},
    {"crm_verify", "-x", "@CIB@"},
    {"cibadmin", "-Q"},
    {"cibadmin", "-Q", "--xpath", "//nvpair"},
    {"crm_attribute", "-t", "crm_config", "-n", "fencing-enabled", "-G"},
    {"crm_node", "-n"},
    {"iso8601", "-n"},
  };

  private static final String[][] ON_NODE = {
    {"crm_mon", "-1"},
    {"crm_mon", "-1", "--output-as=xml"},
    {"cibadmin", "-Q"},
    {"cibadmin", "-M", "--allow-create", "--scope", "tags", "-X", "<tags/>"},
    {"crm_attribute", "-t", "crm_config", "-n", "no-quorum-policy", "-v", "stop"},
    {"crm_node", "-l"},
    {"crmadmin", "-D"},
    {"stonith_admin", "-L"},
  };

  // What agents and monitoring call all the time, and shells for each agent that they know; see
  // `make-archive`.
  private static final String[][] OFTEN = {
    {"crm_mon", "-1"},
    {"crm_mon", "-1", "--output-as=xml"},
    {"crm_mon", "-1", "-r", "-f", "-A", "-o", "-t", "-c", "-L", "-m3", "-R"},
    {"crm_mon", "-1", "-n", "-b", "-r"},
    {"cibadmin", "-Q"},
    {"cibadmin", "-Q", "--xpath", "//nvpair"},
    {"cibadmin", "-Q", "--scope", "resources"},
    {"cibadmin", "-M", "--allow-create", "--scope", "tags", "-X", "<tags/>"},
    {"crm_attribute", "-t", "crm_config", "-n", "fencing-enabled", "-G"},
    {"crm_attribute", "-t", "crm_config", "-n", "no-such", "-G"},
    {"crm_attribute", "-t", "crm_config", "-n", "no-quorum-policy", "-v", "stop"},
    {"crm_attribute", "-N", "node1", "-n", "trained", "-l", "reboot", "-v", "1"},
    {"crm_attribute", "-N", "node1", "-n", "trained", "-l", "reboot", "-G"},
    {"attrd_updater", "-n", "trained", "-U", "1"},
    {"attrd_updater", "-n", "trained", "-Q"},
    {"crm_node", "-n"},
    {"crm_node", "-l"},
    {"crm_resource", "--list"},
    {"crm_resource", "-r", "a", "--locate"},
    {"crm_resource", "--list-standards"},
    {"crm_resource", "--list-ocf-providers"},
    {"crm_resource", "--list-ocf-alternatives", "Dummy"},
    {"crm_resource", "--list-agents", "ocf:pacemaker"},
    {"crm_resource", "--list-agents", "stonith"},
    {"crm_resource", "--show-metadata", "ocf:pacemaker:Dummy"},
    {"crm_resource", "--show-metadata", "stonith:fence_watchdog"},
  };

  /// Stands for all commands that are not called all the time.
  private static final String OTHERS = "others";

  private Training() {}

  /// Runs one of the commands that are called often, in all the ways it is called, or all others.
  /// The process is only about what these load.
  static int runListed(String command) {
    return command.equals(OTHERS) ? runOthers() : runOften(command);
  }

  private static int runOthers() {
    var status = run();
    for (var line : ON_NODE) {
      runSilently(System.getenv(), line[0], Arrays.copyOfRange(line, 1, line.length));
    }
    return status;
  }

  private static int runOften(String command) {
    loadZones();
    try {
      var cib = Files.createTempFile("systole-training", ".xml");
      try {
        Files.writeString(cib, CIB);
        for (var line : OFTEN) {
          if (line[0].equals(command)) {
            var arguments = Arrays.copyOfRange(line, 1, line.length);
            Main.command(command, Terminal.ofProcess(), arguments);
            Main.command(command, silent(cib), arguments);
          }
        }
      } finally {
        Files.deleteIfExists(cib);
      }
      return 0;
    } catch (IOException e) {
      return 1; // the list is as long as it got
    }
  }

  /// Runs commands that speak to the daemons of a node, and writes lists of the classes they load:
  /// one for each that is called often, one for the others.
  static void onNode(Map<String, String> environment) {
    var often = Arrays.stream(OFTEN).map(line -> line[0]).distinct();
    Stream.concat(often, Stream.of(OTHERS))
        .forEach(it -> await(listing(environment, "commands/" + it, "train-command", it)));
  }

  /// A process of its own that does some of the training and lists the classes it loads.
  ///
  /// @param environment its environment
  /// @param list the file of the list, below the directory that the environment names
  /// @param arguments of [Main]
  static ProcessBuilder listing(
      Map<String, String> environment, String list, String... arguments) {
    var builder = program(environment, arguments);
    var lists = environment.get("SYSTOLE_CLASS_LISTS");
    if (lists != null) {
      builder.command().add(1, "-XX:DumpLoadedClassList=" + Path.of(lists, list));
    }
    return builder;
  }

  /// A process of its own that does some of the training.
  ///
  /// @param environment its environment
  /// @param arguments of [Main]
  static ProcessBuilder program(Map<String, String> environment, String... arguments) {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xlog:disable"));
    line.addAll(List.of("-XX:-UsePerfData", "-Xmx512m", "-Xss512k"));
    line.addAll(List.of("-XX:ErrorFile=/dev/null", "-XX:-CreateCoredumpOnCrash"));
    line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    line.addAll(List.of(System.getProperty("java.class.path"), "org.systole.tools.launch.Main"));
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line);
    builder.environment().putAll(environment);
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    return builder;
  }

  private static void await(ProcessBuilder builder) {
    try {
      var process = builder.start();
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "systole: a command did not end within %d s: it is not listed whole, and starts slower"
                .formatted(COMMAND_SECONDS));
        process.destroyForcibly();
      }
    } catch (IOException e) {
      System.err.println("systole: cannot list the classes of a command: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static int run() {
    try {
      storeOptions();
      var cib = Files.createTempFile("systole-training", ".xml");
      try {
        Files.writeString(cib, CIB);
        for (var line : LINES) {
          var arguments = new String[line.length - 1];
          for (var at = 1; at < line.length; at++) {
            arguments[at - 1] = line[at].replace("@CIB@", cib.toString());
          }
          Main.command(line[0], silent(cib), arguments);
        }
      } finally {
        Files.deleteIfExists(cib);
      }
      return 0;
    } catch (IOException e) {
      System.err.println("systole: cannot prepare the archive of classes: " + e.getMessage());
      return 1;
    }
  }

  private static void storeOptions() throws IOException {
    var home = System.getenv("SYSTOLE_HOME");
    var source = Training.class.getProtectionDomain().getCodeSource();
    if (home == null || source == null) {
      return;
    }
    OptionTable.store(
        Path.of(home, "lib", "options"),
        Path.of(source.getLocation().getPath()),
        Commands.all());
  }

  static void runSilently(Map<String, String> environment, String command, String... arguments) {
    Main.command(command, silent(environment), arguments);
  }

  /// Waits until the standard input ends, and ends the process.
  static void awaitEnd() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.err.println("systole: cannot wait for the end of the training: " + e.getMessage());
    }
    Runtime.getRuntime().halt(0);
  }

  /// Loads what a zone other than UTC takes: not every machine keeps UTC, and this one may.
  static void loadZones() {
    ZoneId.systemDefault().getRules();
  }

  private static Terminal silent(Path cib) {
    return silent(
        Map.of(
            "CIB_file",
            cib.toString(),
            "SYSTOLE_HOME",
            System.getenv().getOrDefault("SYSTOLE_HOME", "")));
  }

  private static Terminal silent(Map<String, String> environment) {
    var nowhere = new PrintStream(new ByteArrayOutputStream());
    return new Terminal(
        InputStream.nullInputStream(),
        nowhere,
        nowhere,
        environment,
        Path.of("").toAbsolutePath(),
        Terminal.ofProcess().clock(),
        () -> ZoneOffset.UTC);
  }
}
