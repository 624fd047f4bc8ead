package org.systole.tools.corosync;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `corosync-cmapctl`: the configuration in force, the members and the quorum under the names and in
/// the form of Corosync's cmap. Nothing can be set.
@picocli.CommandLine.Command(
    description = "Show the configuration in force, members and quorum by Corosync's names")
public final class CorosyncCmapctl extends Command {
  @Option(
      names = {"-g"},
      description = "Show just the keys that are named")
  private boolean get;

  @Option(
      names = {"-b"},
      description = "Accepted; no value is binary")
  private boolean binary;

  @Option(
      names = {"-q"},
      description = "With -g: show values only")
  private boolean valuesOnly;

  @Option(
      names = {"-m"},
      paramLabel = "MAP",
      description = "icmap (the default); statistics are not kept")
  private String map = "icmap";

  @Option(
      names = {"-s", "-d", "-D", "-t", "-T", "-C"},
      hidden = true)
  private boolean refused;

  @Option(
      names = {"-p"},
      hidden = true)
  private @Nullable String refusedFile;

  @Parameters(
      paramLabel = "KEY",
      arity = "0..*",
      description = "Keys with -g, else what keys begin with; all if there is none")
  private List<String> wanted = new ArrayList<>();

  public CorosyncCmapctl() {
    super("corosync-cmapctl");
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (refused || refusedFile != null) {
      throw CommandException.usage(
          "Keys cannot be set, deleted or watched here: change corosync.conf on all nodes and run"
              + " corosync-cfgtool -R");
    }
    if (!List.of("icmap", "default").contains(map)) {
      throw CommandException.usage("There is no map " + map + ", only icmap");
    }
    if (get && wanted.isEmpty()) {
      terminal().err().println("Expected key after options");
      return ExitStatus.ERROR;
    }
    RunningConfig running;
    try {
      running = RunningConfig.of(terminal());
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      terminal().err().println("Failed to initialize the cmap API. Error CS_ERR_LIBRARY");
      return ExitStatus.ERROR;
    }
    return show(CmapKeys.of(running));
  }

  private ExitStatus show(java.util.SortedMap<String, CmapKeys.Value> keys) {
    var found = ExitStatus.OK;
    if (!get) {
      keys.forEach(
          (name, value) -> {
            if (wanted.isEmpty() || wanted.stream().anyMatch(name::startsWith)) {
              show(name, value);
            }
          });
      return found;
    }
    for (var name : wanted) {
      var value = keys.get(name);
      if (value == null) {
        terminal().err().println("Can't get key %s. Error CS_ERR_NOT_EXIST".formatted(name));
        found = ExitStatus.ERROR;
      } else {
        show(name, value);
      }
    }
    return found;
  }

  private void show(String name, CmapKeys.Value value) {
    if (out() instanceof TextOutput text) {
      text.info(
          valuesOnly && get
              ? value.text()
              : "%s (%s) = %s".formatted(name, value.type(), value.text()));
    }
  }
}
