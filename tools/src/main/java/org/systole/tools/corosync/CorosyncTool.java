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

/// A command of Corosync's: it writes lines of text only, and says in Corosync's words that the
/// node does not run.
abstract class CorosyncTool extends Command {
  private final String notRunning;
  private boolean isDown;
  private final List<String> lines = new ArrayList<>();

  /// @param notRunning what clients take for a node that is down
  CorosyncTool(String name, String notRunning) {
    super(name);
    this.notRunning = notRunning;
  }

  @Override
  protected final @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected final ExitStatus execute() throws CommandException {
    try {
      return carryOut();
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      return notRunning();
    } finally {
      if (out() instanceof TextOutput text) {
        lines.forEach(text::info);
      }
    }
  }

  @Override
  protected final boolean foundNobody(int code) {
    return isDown;
  }

  /// @throws CommandException with [ExitStatus#DISCONNECT] if the node does not run
  abstract ExitStatus carryOut() throws CommandException;

  /// A line of the output, written when the command ends, however it ends.
  final void line(String text) {
    lines.add(text);
  }

  final ExitStatus notRunning() {
    isDown = true;
    return failed(notRunning);
  }

  final ExitStatus failed(String why) {
    terminal().err().println(why);
    return ExitStatus.ERROR;
  }
}
