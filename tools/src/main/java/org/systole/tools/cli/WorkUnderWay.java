package org.systole.tools.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.controld.client.CtlMessage;

/// What the cluster is doing, in a line for a person.
public final class WorkUnderWay {
  private static final int SHOWN = 3;
  private static final int WIDTH = 76;

  private WorkUnderWay() {}

  /// @return null if it does nothing
  public static @Nullable String text(CtlMessage.Work work) {
    if (work.idle()) {
      return null;
    }
    var transition = work.transition();
    var line = new StringBuilder();
    if (transition == null) {
      line.append(work.state().equals("S_POLICY_ENGINE") ? "planning" : "working");
    } else {
      line.append("transition ").append(transition.number());
      line.append(": ").append(transition.done()).append(" of ").append(transition.total());
      line.append(transition.total() == 1 ? " step done" : " steps done");
    }
    if (!work.pending().isEmpty()) {
      line.append("; now ").append(some(work.pending()));
    }
    return line.toString();
  }

  /// @param actions that are left to do though nothing is under way; may be none
  public static String left(List<String> actions) {
    return actions.isEmpty()
        ? "an operation is recorded as under way"
        : "nothing under way; left to do: " + some(actions);
  }

  private static String some(List<String> pending) {
    var first = String.join(", ", pending.subList(0, Math.min(SHOWN, pending.size())));
    return pending.size() > SHOWN
        ? "%s and %d more".formatted(first, pending.size() - SHOWN)
        : first;
  }

  /// A line that takes the place of the one before on a terminal.
  static String over(String text) {
    return "\r\033[K" + (text.length() > WIDTH ? text.substring(0, WIDTH) + "..." : text);
  }
}
