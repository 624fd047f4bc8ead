package org.systole.execd;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.Product;
import org.systole.common.real.DaemonMain;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;
import org.systole.execd.client.ExecConnection;
import org.systole.execd.client.tls.RemoteProof;
import org.systole.execd.client.tls.TlsStreams;

/// Runs the executor of a remote node for real.
public final class RemotedMain {
  private static final String NAME = "remoted";
  private static final String CALLED = "pacemaker-" + NAME;
  private static final int USAGE = 64;
  private static final int FATAL = 100;
  private static final String LOG_FILE = "PCMK_logfile";

  /// Set by the launcher where it is the first process of a container; `full` or `vars` in this
  /// variable have the same effect elsewhere.
  private static final String FIRST_PROCESS = "PCMK_remote_pid1";

  private static final String HELP =
      """
      systole-remoted - executor of a remote node: runs resource agents for a cluster

      Usage:
        systole-remoted [--port PORT] [--logfile FILE]
        systole-remoted --version | --help

      --port, -p PORT        the port to serve, instead of 3121 or PCMK_remote_port
      --logfile, -l FILE     the log, instead of PCMK_logfile
      --version, -$          print the version
      --help, -?             print this text""";

  private RemotedMain() {}

  /// Runs the daemon, or answers one of the arguments. With a running daemon it does not return.
  ///
  /// @return the exit status
  public static int run(String[] args, Map<String, String> inherited) {
    return run(args, inherited, System.out, System.err);
  }

  static int run(
      String[] args, Map<String, String> inherited, PrintStream out, PrintStream errors) {
    var environment = new LinkedHashMap<>(inherited);
    for (var at = 0; at < args.length; at++) {
      switch (args[at]) {
        case "--version", "-$" -> {
          out.println("Pacemaker " + Product.COMPATIBLE_VERSION);
          return 0;
        }
        case "--help", "-?", "-h" -> {
          out.println(HELP);
          return 0;
        }
        default -> {
          var variable = variable(args[at]);
          if (variable == null) {
            return misused(errors, "unknown argument '" + args[at] + "'");
          }
          if (at + 1 == args.length) {
            return misused(errors, args[at] + " needs a value");
          }
          environment.put(variable, args[++at]);
        }
      }
    }
    return run(environment, errors);
  }

  /// The environment variable that an option stands for; null if there is no such option.
  private static @Nullable String variable(String option) {
    return switch (option) {
      case "--port", "-p" -> RemotedDaemon.PORT;
      case "--logfile", "-l" -> LOG_FILE;
      default -> null;
    };
  }

  private static int misused(PrintStream errors, String what) {
    errors.printf("%1$s: %2$s; try %1$s --help%n", CALLED, what);
    return USAGE;
  }

  private static int run(Map<String, String> environment, PrintStream errors) {
    try {
      var layout = Layout.of(environment);
      var whole = withContainers(layout, environment);
      RemoteProof.checkOptions(whole);
      refuseSecond(layout);
      return DaemonMain.run(NAME, "exec", whole, RemotedMain::start);
    } catch (CannotStart e) {
      errors.println(CALLED + ": " + e.getMessage());
      return e.status();
    }
  }

  private static void start(World world, Layout layout, Map<String, String> environment) {
    var proof = RemoteProof.of(layout, environment);
    try {
      proof.check();
    } catch (IOException e) {
      world.log().warning("No cluster can connect before this is mended: " + e.getMessage());
    }
    RemotedDaemon.start(world, layout, environment, new TlsStreams(world, proof));
  }

  /// Adds what the host of a container wants set in it. What was set when the container was started
  /// comes first.
  private static Map<String, String> withContainers(
      Layout layout, Map<String, String> environment) {
    var first = environment.get(FIRST_PROCESS);
    if (!"full".equals(first) && !"vars".equals(first)) {
      return environment;
    }
    var file = layout.configuration().resolve("pcmk-init.env");
    try {
      var text = Files.exists(file) ? Files.readString(file) : "";
      var whole = ContainerVariables.add(text, environment);
      if (first.equals("full")) {
        whole.putIfAbsent(LOG_FILE, "/var/log/pcmk-init.log"); // there may be no other directory
        whole.remove(RemotedDaemon.RETURNS); // its end is that of the container
      }
      return whole;
    } catch (IOException e) {
      throw new CannotStart("Cannot read " + CannotStart.reason(e), FATAL);
    }
  }

  /// Two executors would run the same agents at the same time.
  private static void refuseSecond(Layout layout) {
    try (var _ = ExecConnection.open(layout)) {
      throw new CannotStart(
          "An executor runs on this machine already: a member of a cluster (systole) and a remote"
              + " node (pacemaker_remote) cannot be one machine",
          FATAL);
    } catch (IOException e) {
      return; // nobody serves it
    }
  }
}
