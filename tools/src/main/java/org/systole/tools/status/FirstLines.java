package org.systole.tools.status;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.TextOutput;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.WorkUnderWay;

/// The head of the screen: what is wrong, and what the cluster is doing about it.
final class FirstLines {
  private static final Duration ANSWER = Duration.ofSeconds(2);

  private FirstLines() {}

  /// @param work null if the cluster does nothing, or does not say
  static void show(TextOutput out, List<String> problems, @Nullable String work) {
    if (!problems.isEmpty()) {
      out.begin("Problems");
      problems.forEach(out::item);
      out.end();
    }
    if (work != null) {
      out.begin("Now");
      out.item(work);
      out.end();
    }
    if (!problems.isEmpty() || work != null) {
      out.spacer();
    }
  }

  /// What the DC says that it is doing; null if nothing, or if it cannot be asked.
  static @Nullable String work(Terminal terminal) {
    try (var controller = CtlConnection.open(terminal.environment(), ANSWER)) {
      return controller.ask(new CtlMessage.WorkQuery()) instanceof CtlMessage.Work work
          ? WorkUnderWay.text(work)
          : null;
    } catch (IOException e) {
      return null;
    }
  }
}
