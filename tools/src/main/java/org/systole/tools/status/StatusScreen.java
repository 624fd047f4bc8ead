package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// A display kept up to date on a terminal: drawn anew when the CIB changes, when a key is pressed,
/// and now and then anyway. What does not fit is on further pages.
final class StatusScreen {
  private static final String CLEAR = "\033[H\033[2J";

  /// Makes the text to show.
  interface Drawing {
    String draw() throws CommandException;
  }

  private final Terminal terminal;
  private final Drawing drawing;
  private final ScreenKeys keys;
  private final IntSupplier lines;
  private int page;
  private final CibWatch watch;

  /// @param refresh how often to draw without a reason, and to look for the cluster where it is
  ///     gone
  /// @param keys what keys change of the drawing
  /// @param lines how many lines the terminal has
  StatusScreen(
      Terminal terminal, Duration refresh, Drawing drawing, ScreenKeys keys, IntSupplier lines) {
    this.terminal = terminal;
    this.watch = new CibWatch(terminal, refresh, this::draw);
    this.drawing = drawing;
    this.keys = keys;
    this.lines = lines;
  }

  /// Shows until the user ends it.
  ExitStatus run() throws CommandException {
    var watching = Thread.currentThread();
    var reader = Thread.ofPlatform().daemon().name("keys").start(() -> readKeys(watching));
    try {
      watch.run();
      return ExitStatus.OK;
    } finally {
      reader.interrupt();
    }
  }

  private void readKeys(Thread watching) {
    try {
      for (var key = terminal.in().read(); key >= 0; key = terminal.in().read()) {
        press(key);
        if (watch.isOver()) {
          watching.interrupt();
          return;
        }
      }
    } catch (IOException | CommandException e) {
      // without keys the display goes on
    }
  }

  synchronized void press(int key) throws CommandException {
    switch (keys.press(key)) {
      case QUIT -> watch.end();
      case NEXT_PAGE -> page++;
      case REDRAW -> page = 0;
    }
    if (!watch.isOver()) {
      draw();
    }
  }

  synchronized void draw() throws CommandException {
    var text = keys.helping() ? keys.help() : drawing.draw();
    terminal.out().print(CLEAR + paged(text.lines().toList()));
    terminal.out().flush();
  }

  /// The lines of the page that fit, and what there is besides. After the last page comes the first.
  private String paged(List<String> all) {
    var height = Math.max(4, lines.getAsInt() - 1);
    if (all.size() <= height) {
      page = 0;
      return String.join("\n", all) + "\n";
    }
    var fitting = height - 1;
    var pages = (all.size() + fitting - 1) / fitting;
    page %= pages;
    var from = page * fitting;
    var shown = all.subList(from, Math.min(all.size(), from + fitting));
    return String.join("\n", shown)
        + "\n-- page %d of %d; space: next, ?: keys\n".formatted(page + 1, pages);
  }
}
