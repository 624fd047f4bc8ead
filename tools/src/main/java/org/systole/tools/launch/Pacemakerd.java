package org.systole.tools.launch;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Product;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.wire.BlockingClient;
import org.systole.common.world.CannotStart;
import org.systole.pacemakerd.PacemakerdMain;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `pacemakerd`: runs a node, or stops the one that runs.
@picocli.CommandLine.Command(
    description =
        "pacemakerd - primary Pacemaker daemon that launches and monitors all subsidiary Pacemaker"
            + " daemons")
public final class Pacemakerd extends Command {
  private static final String BUILD = "systole";
  private static final String[] FEATURES = {"corosync-ge-2", "monotonic"};
  private static final List<String> DEBUG =
      List.of(
          "yes", "no", "default", "pacemakerd", "cibd", "based", "fenced", "execd", "attrd",
          "schedulerd", "controld");
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final Duration STOP = Duration.ofMinutes(30);

  @Option(
      names = {"-F", "--features"},
      description = "Display full version and list of features Pacemaker was built with")
  private boolean features;

  @Option(
      names = {"-f", "--foreground"},
      description = "(Ignored) Pacemaker always runs in the foreground")
  private boolean foreground;

  @Option(
      names = {"-p", "--pid-file"},
      paramLabel = "FILE",
      description = "(Ignored) Daemon pid file location")
  private String pidFile = "";

  @Option(
      names = {"-S", "--shutdown"},
      description = "Instruct Pacemaker to shutdown on this machine")
  private boolean shutdown;

  @Option(
      names = {"-s", "--standby"},
      description = "Start node in standby state")
  private boolean standby;

  @Option(
      names = {"--debug"},
      paramLabel = "DAEMONS",
      description =
          "Log debugging messages of the node that runs: yes, no, a list of daemons separated by"
              + " commas, or default for what PCMK_debug says")
  private @Nullable String debug;

  public Pacemakerd() {
    super("pacemakerd");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (features) {
      showFeatures();
      return ExitStatus.OK;
    }
    if (shutdown) {
      return stop();
    }
    if (debug != null) {
      return setDebug(debug);
    }
    var environment = new LinkedHashMap<>(terminal().environment());
    if (standby) {
      environment.put("PCMK_node_start_state", "standby");
    }
    try {
      PacemakerdMain.run(environment);
    } catch (CannotStart e) {
      terminal().err().println("pacemakerd: " + e.getMessage());
      terminal().err().flush();
      System.exit(e.status());
    }
    return ExitStatus.OK;
  }

  private ExitStatus setDebug(String daemons) throws CommandException {
    for (var it : daemons.split(",")) {
      if (!DEBUG.contains(it.replaceFirst("^pacemaker-", ""))) {
        throw new CommandException(
            ExitStatus.USAGE,
            "'%s' is no daemon; --debug takes %s".formatted(it, String.join(", ", DEBUG)));
      }
    }
    var socket = Layout.of(terminal().environment()).socket(PacemakerdMessage.SOCKET);
    try (var client = BlockingClient.open(socket, PacemakerdMessage.PROTOCOL)) {
      if (client.call(new PacemakerdMessage.Debug(daemons), ANSWER)
          instanceof PacemakerdMessage.Denied(var why)) {
        throw CommandException.denied("Could not change what the daemons log", why);
      }
      return ExitStatus.OK;
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT, "Could not reach pacemakerd: the node does not run");
    }
  }

  private void showFeatures() {
    switch (out()) {
      case TextOutput text ->
          text.info(
              "Pacemaker %s (Build: %s)\n Supporting v%s: %s"
                  .formatted(
                      Product.COMPATIBLE_VERSION,
                      BUILD,
                      Product.FEATURE_SET,
                      String.join(" ", FEATURES)));
      case XmlOutput xml -> {
        xml.open(
            "pacemakerd",
            "version",
            Product.COMPATIBLE_VERSION,
            "build",
            BUILD,
            "feature_set",
            Product.FEATURE_SET);
        xml.open("features");
        for (var feature : FEATURES) {
          xml.addText("feature", feature);
        }
        xml.close();
        xml.close();
      }
    }
  }

  /// Asks the running supervisor to stop and waits until it is gone.
  private ExitStatus stop() throws CommandException {
    var socket = Layout.of(terminal().environment()).socket(PacemakerdMessage.SOCKET);
    try (var client = BlockingClient.open(socket, PacemakerdMessage.PROTOCOL)) {
      if (client.call(new PacemakerdMessage.Shutdown(), ANSWER)
          instanceof PacemakerdMessage.Denied(var why)) {
        throw CommandException.denied("Could not stop the node", why);
      }
      client.event(STOP);
      throw new CommandException(ExitStatus.TIMEOUT, "The node is still stopping");
    } catch (EOFException e) {
      return ExitStatus.OK; // it has closed the connection: it is down
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Could not request shutdown of existing Pacemaker instance: the node does not run");
    }
  }
}
