package org.systole.common.logging;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.world.Log.Level;

/// The log file that the administrator has chosen, and the usual one for as long as the chosen one
/// cannot be opened: that is tried again and again.
final class ChosenFile implements LogTarget {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final LogFile chosen;
  private final LogFile usual;
  private final Consumer<String> inTrouble;
  private boolean onChosen = true;
  private long triedNanos;

  /// @param inTrouble told once each time the log begins to go to the usual file
  ChosenFile(LogFile chosen, LogFile usual, Consumer<String> inTrouble) {
    this.chosen = chosen;
    this.usual = usual;
    this.inTrouble = inTrouble;
  }

  @Override
  public String what() {
    return (onChosen ? chosen : usual).what();
  }

  @Override
  public void write(List<LogLine> lines) throws IOException {
    choose();
    (onChosen ? chosen : usual).write(lines);
  }

  @Override
  public void idle() throws IOException {
    choose();
    (onChosen ? chosen : usual).idle();
  }

  /// Goes over to the chosen file if it can be opened. Once it is open it stays the one: if it takes
  /// no lines then, they wait.
  private void choose() throws IOException {
    if (chosen.isOpen() || !onChosen && System.nanoTime() - triedNanos < RETRY.toNanos()) {
      return;
    }
    try {
      chosen.open();
      if (!onChosen) {
        onChosen = true;
        usual.write(List.of(LogLine.own(Level.NOTICE, "The log goes on in " + chosen.what())));
      }
    } catch (IOException | RuntimeException e) {
      triedNanos = System.nanoTime();
      if (onChosen) {
        onChosen = false;
        var why =
            "Cannot open %s: %s. The log goes to %s until it can; see PCMK_logfile"
                .formatted(chosen.what(), LogFile.reason(e), usual.what());
        inTrouble.accept(why);
        usual.write(List.of(LogLine.own(Level.ERROR, why)));
      }
    }
  }
}
