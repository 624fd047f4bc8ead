package org.systole.tools.cli;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.scheduler.model.Message;
import org.systole.scheduler.model.WorkingSet;

/// What a command comes across that is wrong in the configuration or status, on standard error for
/// those who ask for it by `PCMK_stderr`: errors, and with each `--verbose` the next level, too.
public final class StatusMessages {
  private final Terminal terminal;
  private final boolean wanted;
  private final int verbosity;
  private @Nullable WorkingSet last;
  private int told;

  /// @param verbosity how often the user asked for more detail
  public StatusMessages(Terminal terminal, int verbosity) {
    this.terminal = terminal;
    this.verbosity = verbosity;
    wanted = wanted(terminal);
  }

  /// Whether `PCMK_stderr` asks for what a command has to say on standard error.
  public static boolean wanted(Terminal terminal) {
    return Bool.isTrue(terminal.environment().getOrDefault("PCMK_stderr", "").strip());
  }

  /// Tells what was found since the last call for the same working set.
  public void tell(WorkingSet status) {
    if (!wanted) {
      return;
    }
    if (status != last) {
      last = status;
      told = 0;
    }
    var all = status.messages();
    for (; told < all.size(); told++) {
      var message = all.get(told);
      if (needed(message.severity()) <= verbosity) {
        terminal.err().println(message.logLine());
      }
    }
  }

  private static int needed(Message.Severity severity) {
    return switch (severity) {
      case ERROR, LOG_ERROR, CONFIG_ERROR -> 0;
      case WARNING, LOG_WARNING, CONFIG_WARNING -> 1;
      case NOTICE -> 2;
      case INFO -> 3;
    };
  }
}
