package org.systole.tools.attributes;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LocalNodeName;
import org.systole.tools.cli.Terminal;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `crm_standby`: the node attribute `standby`, in words that say what it is for.
@picocli.CommandLine.Command(
    description = "Check, enable, or disable standby mode for a cluster node")
public final class CrmStandby extends Command {
  private final List<String> action = new ArrayList<>();

  @Option(
      names = {"-N", "--node", "-U", "--uname"},
      paramLabel = "NODE",
      description = "Operate on the named node instead of the current one")
  private @Nullable String node;

  @Option(
      names = {"-l", "--lifetime"},
      paramLabel = "VALUE",
      description = "Until when should the setting take effect: reboot, forever")
  private @Nullable String lifetime;

  @Option(
      names = {"-i", "--id", "--attr-id"},
      paramLabel = "VALUE",
      description = "(Advanced) XML ID used to identify standby attribute")
  private @Nullable String id;

  @Option(
      names = {"-q", "-Q", "--quiet"},
      description = "Print only the standby status (if querying)")
  private boolean quiet;

  public CrmStandby() {
    super("crm_standby");
  }

  @Option(
      names = {"-G", "--query", "--get-value"},
      description = "Query the current value of standby mode (on/off)")
  private void query(boolean yes) {
    action.clear();
    action.add("--query");
  }

  @Option(
      names = {"-v", "--update", "--attr-value"},
      paramLabel = "VALUE",
      description = "Update the value of standby mode (on/off)")
  private void update(String value) {
    action.clear();
    action.addAll(List.of("--update", value));
  }

  @Option(
      names = {"-D", "--delete", "--delete-attr"},
      description = "Let standby mode use default value")
  private void delete(boolean yes) {
    action.clear();
    action.add("--delete");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (action.isEmpty()) {
      action.add("--query");
    }
    var line = new ArrayList<String>();
    var live =
        !terminal().environment().containsKey("CIB_file")
            && !terminal().environment().containsKey("CIB_shadow")
            && !CibInUse.isElsewhere(terminal().environment());
    line.addAll(
        List.of("-N", node == null ? LocalNodeName.of(terminal(), live) : node, "-n", "standby"));
    line.addAll(action);
    if (id != null) {
      line.addAll(List.of("--id", id));
    }
    if (quiet) {
      line.add("--quiet");
    }
    if (lifetime != null) {
      return attribute(terminal(), line, "--lifetime", lifetime);
    }
    return switch (action.getFirst()) {
      case "--update" -> attribute(terminal(), line, "-l", "forever");
      case "--delete" -> {
        var forever = attribute(terminal(), line, "-l", "forever");
        yield forever == ExitStatus.OK
            ? attribute(terminal(), line, "-l", "reboot")
            : forever; // it has said why
      }
      default -> {
        // The permanent setting if there is one, else that until the next reboot, else off.
        var silent = new PrintStream(new ByteArrayOutputStream());
        var t = terminal();
        var trial =
            new Terminal(
                t.in(), silent, silent, t.environment(), t.directory(), t.clock(), t.zones());
        yield attribute(trial, line, "-l", "forever") == ExitStatus.OK
            ? attribute(terminal(), line, "-l", "forever")
            : attribute(terminal(), line, "-l", "reboot", "-d", "off");
      }
    };
  }

  private ExitStatus attribute(Terminal terminal, List<String> line, String... more) {
    var whole = new ArrayList<>(line);
    whole.addAll(List.of(more));
    var code = new CrmAttribute().run(terminal, whole.toArray(String[]::new));
    saidWhy();
    var status = ExitStatus.of(code);
    return status == null ? ExitStatus.ERROR : status;
  }
}
