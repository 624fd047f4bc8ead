package org.systole.controld.transition;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphRun;

/// Tells results that a transition waits for from those that the plan did not foresee.
final class ResultMatching {
  /// What a result is to the transition.
  sealed interface Match {
    /// An action of the transition waits for it: the one that the key names.
    record Awaited() implements Match {}

    /// A recurring operation of an earlier plan has ended; an action may have asked for that.
    record Cancelled() implements Match {}

    /// A recurring operation of an earlier plan goes well, and that is told again: a remote node's
    /// results are when it is connected anew.
    record Again(String why) implements Match {}

    /// The result is known already.
    record NoNews() implements Match {}

    record Unexpected(String why) implements Match {}
  }

  private final TransitionNames names;

  /// So many unplanned results are remembered: a remote host can make up as many as it likes.
  static final int OUTSIDE_MAX = 10_000;

  /// Unplanned results, each of which counts once; the last one last.
  private final Set<Integer> outside = new LinkedHashSet<>();

  /// Actions of the transition last begun whose recurring operation is known to have failed.
  private final Set<Integer> failing = new HashSet<>();

  private long failingIn;

  ResultMatching(TransitionNames names) {
    this.names = names;
  }

  /// A new term as DC.
  void newTerm() {
    outside.clear();
  }

  /// @param run the transition last begun
  /// @param over whether it has ended
  /// @param key the transition key of the result
  /// @param operation what was done, as [OperationKey] writes it
  /// @param wrong whether it came out otherwise than was expected
  Match match(
      GraphRun run,
      boolean over,
      TransitionKey key,
      String operation,
      ExecStatus status,
      boolean wrong) {
    if (!key.isPlanned()) {
      return isNew(key.action()) ? unexpected("Unexpected event") : new Match.NoNews();
    }
    var parsed = OperationKey.parse(operation);
    var recurs = parsed != null && parsed.intervalMillis() != 0;
    if (key.action() < 0 || !names.isOfThisTerm(key)) {
      // An earlier DC's recurring operation that is ended, as by a cleanup, is no failure either.
      return recurs && status == ExecStatus.CANCELLED
          ? new Match.Cancelled()
          : unexpected("Foreign event");
    }
    var ofLast = key.transition() == names.number();
    if (ofLast && !over) {
      // What went well before may fail while the transition still goes on. It counts once, also
      // where it was the failure that was awaited, and is read again.
      var fails = recurs && wrong && status != ExecStatus.CANCELLED && isFirst(key);
      return !run.isOver(key.action())
          ? new Match.Awaited()
          : fails ? unexpected("Change in recurring result") : new Match.NoNews();
    }
    if (recurs) {
      var why = "Change in recurring result";
      return status == ExecStatus.CANCELLED
          ? new Match.Cancelled()
          : wrong || status != ExecStatus.DONE ? unexpected(why) : new Match.Again(why);
    }
    if (ofLast) {
      return run.isOver(key.action()) ? new Match.NoNews() : unexpected("Inactive graph");
    }
    return unexpected("Old event");
  }

  private boolean isNew(int unplanned) {
    if (outside.size() == OUTSIDE_MAX && !outside.contains(unplanned)) {
      outside.remove(outside.iterator().next());
    }
    return outside.add(unplanned);
  }

  private boolean isFirst(TransitionKey key) {
    if (failingIn != key.transition()) {
      failingIn = key.transition();
      failing.clear();
    }
    return failing.add(key.action());
  }

  private static Match unexpected(String why) {
    return new Match.Unexpected(why);
  }
}
