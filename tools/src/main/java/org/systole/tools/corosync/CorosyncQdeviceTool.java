package org.systole.tools.corosync;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import picocli.CommandLine.Option;

/// `corosync-qdevice-tool`: how this node stands with the quorum device, in the form of Corosync's.
/// The device is a part of the cluster software here: it is not stopped by itself.
@picocli.CommandLine.Command(description = "Show how this node stands with the quorum device")
public final class CorosyncQdeviceTool extends CorosyncTool {
  /// What pcs takes for a device that does not run.
  private static final String NOT_RUNNING =
      "Can't connect to QDevice socket (is QDevice running?): No such file or directory";

  @Option(
      names = {"-s"},
      description = "Show status (the default)")
  private boolean status;

  @Option(
      names = {"-v"},
      description = "Show more")
  private boolean verbose;

  @Option(
      names = {"-H"},
      hidden = true)
  private boolean shutdown;

  @Option(
      names = {"-p"},
      paramLabel = "SOCKET",
      description = "Accepted; the node's own socket is asked")
  private @Nullable String socket;

  public CorosyncQdeviceTool() {
    super("corosync-qdevice-tool", NOT_RUNNING);
  }

  @Override
  ExitStatus carryOut() throws CommandException {
    if (shutdown) {
      throw CommandException.usage(
          "The quorum device is not stopped by itself: take its section out of corosync.conf");
    }
    var text = LinkStatus.device(terminal(), verbose).text();
    if (text == null) {
      return notRunning();
    }
    text.lines().forEach(this::line);
    return ExitStatus.OK;
  }
}
