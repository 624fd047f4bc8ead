package org.systole.execd;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.real.DaemonAnswer;
import org.systole.common.real.DaemonArguments;
import org.systole.common.real.DaemonMain;
import org.systole.common.real.DaemonOption;
import org.systole.common.world.CannotStart;
import org.systole.common.world.World;
import org.systole.execd.client.ExecConnection;
import org.systole.execd.client.tls.RemoteProof;
import org.systole.execd.client.tls.TlsStreams;

/// Runs the executor of a remote node for real.
public final class RemotedMain {
  private static final String NAME = "remoted";
  private static final int USAGE = 64;
  private static final int FATAL = 100;
  private static final String LOG_FILE = "PCMK_logfile";
  private static final String DEBUG = "PCMK_debug";

  /// Set by the launcher where it is the first process of a container; `full` or `vars` in this
  /// variable have the same effect elsewhere.
  private static final String FIRST_PROCESS = "PCMK_remote_pid1";

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
    try {
      var arguments = DaemonArguments.parse(List.of(args), DaemonOption.REMOTE_EXECUTOR);
      var asked =
          new DaemonAnswer(DaemonMain.called(NAME), DaemonOption.REMOTE_EXECUTOR, args, out, errors);
      var status = asked.give(arguments, () -> "");
      if (status != null) {
        return status;
      }
      put(environment, RemotedDaemon.PORT, arguments.value(DaemonOption.PORT));
      put(environment, LOG_FILE, arguments.value(DaemonOption.ONLY_LOG_FILE));
      put(environment, DEBUG, arguments.has(DaemonOption.VERBOSE) ? "yes" : null);
    } catch (DaemonArguments.Misused e) {
      errors.println(DaemonMain.misused(DaemonMain.called(NAME), String.valueOf(e.getMessage())));
      return USAGE;
    }
    return run(environment, errors);
  }

  private static void put(Map<String, String> environment, String variable, @Nullable String value) {
    if (value != null) {
      environment.put(variable, value);
    }
  }

  private static int run(Map<String, String> environment, PrintStream errors) {
    try {
      var layout = Layout.of(environment);
      var whole = withContainers(layout, environment);
      RemoteProof.checkOptions(whole);
      refuseSecond(layout);
      return DaemonMain.run(NAME, "exec", whole, RemotedMain::start);
    } catch (CannotStart e) {
      errors.println(DaemonMain.called(NAME) + ": " + e.getMessage());
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
