package org.systole.tools.cli;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;

/// Says on a terminal what a command that takes long is waiting for: one line of standard error,
/// written over. Programs and files get nothing of it.
public final class ProgressLine implements AutoCloseable {
  private final @Nullable Terminal terminal;
  private String shown = "";

  private ProgressLine(@Nullable Terminal terminal) {
    this.terminal = terminal;
  }

  public static ProgressLine of(Terminal terminal, Output out) {
    var wanted = terminal.isInteractive() && out instanceof TextOutput && !out.isQuiet();
    return new ProgressLine(wanted ? terminal : null);
  }

  /// @param text null for nothing to say at present
  public void show(@Nullable String text) {
    var next = text == null ? "" : text;
    if (terminal != null && !next.equals(shown)) {
      shown = next;
      terminal.err().print(WorkUnderWay.over(next));
      terminal.err().flush();
    }
  }

  /// Takes the line away, for what is written next.
  @Override
  public void close() {
    show(null);
  }
}
