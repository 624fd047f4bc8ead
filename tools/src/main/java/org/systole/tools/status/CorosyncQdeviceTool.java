package org.systole.tools.status;

import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import picocli.CommandLine.Option;

/// `corosync-qdevice-tool`: how this node stands with the quorum device, in the form of Corosync's.
/// The device is a part of the cluster software here: it is not stopped by itself.
@picocli.CommandLine.Command(description = "Show how this node stands with the quorum device")
public final class CorosyncQdeviceTool extends Command {
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
    super("corosync-qdevice-tool");
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (shutdown) {
      throw CommandException.usage(
          "The quorum device is not stopped by itself: take its section out of corosync.conf");
    }
    String text;
    try {
      text = LinkStatus.device(terminal(), verbose).text();
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      text = null;
    }
    if (text == null) {
      terminal().err().println(NOT_RUNNING);
      return ExitStatus.ERROR;
    }
    if (out() instanceof TextOutput to) {
      text.lines().forEach(to::info);
    }
    return ExitStatus.OK;
  }
}
