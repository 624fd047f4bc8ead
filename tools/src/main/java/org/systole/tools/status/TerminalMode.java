package org.systole.tools.status;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The terminal the process runs on, by `stty`, since Java cannot tell it that each key is wanted at
/// once. Without that program keys count after Enter.
final class TerminalMode implements AutoCloseable {
  private static final File TERMINAL = new File("/dev/tty");
  private static final int LINES = 24;
  private static final int SECONDS = 2;

  private final @Nullable String before;
  private final Thread atExit = new Thread(this::restore);

  private TerminalMode(@Nullable String before) {
    this.before = before;
  }

  /// Has each key told at once and not shown, until this is closed or the process ends.
  static TerminalMode ofKeys() {
    var before = stty(List.of("-g"));
    var mode = new TerminalMode(before == null || before.isEmpty() ? null : before);
    if (mode.before != null) {
      Runtime.getRuntime().addShutdownHook(mode.atExit);
      stty(List.of("-icanon", "-echo", "min", "1"));
    }
    return mode;
  }

  /// How many lines the terminal has.
  static int lines() {
    var size = stty(List.of("size"));
    try {
      var lines = size == null ? 0 : Integer.parseInt(size.split(" ", 2)[0]);
      return lines > 0 ? lines : LINES;
    } catch (NumberFormatException e) {
      return LINES;
    }
  }

  private void restore() {
    if (before != null) {
      stty(List.of(before));
    }
  }

  @Override
  public void close() {
    if (before != null) {
      Runtime.getRuntime().removeShutdownHook(atExit);
    }
    restore();
  }

  /// @return what it says; null if it cannot be run
  private static @Nullable String stty(List<String> arguments) {
    var command = new java.util.ArrayList<>(List.of("stty"));
    command.addAll(arguments);
    try {
      var process =
          new ProcessBuilder(command)
              .redirectInput(TERMINAL)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor(SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0
          ? said.strip()
          : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
