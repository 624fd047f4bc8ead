package org.systole.tools.corosync;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.tools.cli.CommandException;
import picocli.CommandLine.Option;

/// `corosync-cmapctl`: the configuration in force, the members and the quorum under the names and in
/// the form of Corosync's cmap. One key can be set, which ends the wait for all nodes.
@picocli.CommandLine.Command(
    description =
        "Show the configuration in force, members and quorum by Corosync's names (words beside"
            + " options: keys with -g, else what keys begin with); with -s"
            + " quorum.cancel_wait_for_all u8 1 wait for no other nodes any more, where wait_for_all"
            + " has this one wait: those that are away have to be off")
public final class CorosyncCmapctl extends CorosyncTool {
  private static final String END_WAIT = "quorum.cancel_wait_for_all";

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
      names = {"-s"},
      description = "Set a key; there is only quorum.cancel_wait_for_all")
  private boolean set;

  @Option(
      names = {"-d", "-D", "-t", "-T", "-C"},
      hidden = true)
  private boolean refused;

  @Option(
      names = {"-p"},
      hidden = true)
  private @Nullable String refusedFile;

  public CorosyncCmapctl() {
    super("corosync-cmapctl", "Failed to initialize the cmap API. Error CS_ERR_LIBRARY");
  }

  @Override
  ExitStatus carryOut() throws CommandException {
    if (set && arguments().equals(List.of(END_WAIT, "u8", "1"))) {
      RunningConfig.ask(terminal(), new PacemakerdMessage.EndWait(), RunningConfig.ANSWER);
      return ExitStatus.OK;
    }
    if (set || refused || refusedFile != null) {
      throw CommandException.usage(
          "Keys cannot be set, deleted or watched here: change corosync.conf on all nodes and run"
              + " corosync-cfgtool -R");
    }
    if (!List.of("icmap", "default").contains(map)) {
      throw CommandException.usage("There is no map " + map + ", only icmap");
    }
    if (get && arguments().isEmpty()) {
      return failed("Expected key after options");
    }
    return show(CmapKeys.of(RunningConfig.of(terminal())));
  }

  private ExitStatus show(SortedMap<String, CmapKeys.Value> keys) {
    var found = ExitStatus.OK;
    if (!get) {
      keys.forEach(
          (name, value) -> {
            if (isAskedFor(name)) {
              show(name, value);
            }
          });
      return found;
    }
    for (var name : arguments()) {
      var value = keys.get(name);
      if (value == null) {
        found = failed("Can't get key %s. Error CS_ERR_NOT_EXIST".formatted(name));
      } else {
        show(name, value);
      }
    }
    return found;
  }

  /// A list of all keys has each member once.
  private boolean isAskedFor(String name) {
    return arguments().isEmpty()
        ? !name.startsWith(CmapKeys.FORMER_MEMBERS)
        : arguments().stream().anyMatch(name::startsWith);
  }

  private void show(String name, CmapKeys.Value value) {
    line(
        valuesOnly && get
            ? value.text()
            : "%s (%s) = %s".formatted(name, value.type(), value.text()));
  }
}
