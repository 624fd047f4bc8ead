package org.systole.controld.transition;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Score;
import org.systole.controld.transition.ResultMatching.Match;

/// Processes the results of a transition's actions, from the CIB or acknowledged directly:
/// concludes actions, counts failures, and aborts the transition on results that the plan did not
/// foresee.
final class Results {
  /// The transition that results are for.
  interface Transition {
    /// The graph last begun.
    GraphRun run();

    boolean isOver();

    /// The action that was to bring a node down, null if there was none.
    @Nullable GraphAction downing(CibNodeId node);

    /// An action is over.
    ///
    /// @return whether it was waited for
    boolean conclude(int action, boolean succeeded);

    /// The scheduler is to be asked again.
    void abort(int priority, String why);

    /// A remote node is connected, tells its results again or runs what was looked for there, and another
    /// plan is needed; what finds out about such nodes may go on.
    void connected(String why);

    /// Starts what is due now.
    void goOn();
  }

  /// Counts failures, see [TransitionEngine.Host#countFailure].
  @FunctionalInterface
  interface Counter {
    void count(CibNodeId node, OperationKey operation, @Nullable String value);
  }

  /// The members that have the connections of remote nodes, which may be others by now than those that were asked.
  interface Elsewhere {
    /// Asks another member than before, if the connection of an action's remote node has gone over to that; false if not.
    boolean startElsewhere(GraphAction action, TransitionKey key);

    /// Whether another member than the one that has the connection of an action's remote node by now was asked for it.
    boolean isAskedOfAnother(GraphAction action, long transition);

    /// Whether an action was asked of a member.
    boolean isAskedOf(GraphAction action, NodeId member, long transition);

    /// Writes a failure that no node reported.
    void recordFailure(GraphAction action, TransitionKey key, ExecStatus status, String why);

    /// Has an action given up that is under way; what comes of it is told as always.
    void giveUp(GraphAction action, TransitionKey key);

    /// Whether a member has the connection of an action's remote node.
    boolean isConnected(GraphAction action, CibNodeId member);
  }

  private final TransitionNames names;
  private final ResultMatching matching;
  private final Transition transition;
  private final Counter counter;
  private final Elsewhere elsewhere;
  private final Set<CibNodeId> lostMembers = new LinkedHashSet<>();
  private int lostIn; // in the transition of this number

  Results(TransitionNames names, Transition transition, Counter counter, Elsewhere elsewhere) {
    this.names = names;
    this.matching = new ResultMatching(names);
    this.transition = transition;
    this.counter = counter;
    this.elsewhere = elsewhere;
  }

  /// A new term as DC.
  void newTerm() {
    matching.newTerm();
  }

  /// A change of the CIB.
  void changed(List<CibChange> changes) {
    for (var change : changes) {
      switch (change) {
        case CibChange.Plan(var why) -> transition.abort(Score.INFINITY, why);
        case CibChange.Connected(var node, var why) -> {
          giveUpUnheard(node, null);
          transition.connected(why);
        }
        case CibChange.ConnectionLost(var node) -> giveUpUnheard(node, null);
        case CibChange.Moved(var node) -> lostMembers().forEach(it -> giveUpUnheard(node, it));
        case CibChange.StatusGone(var node, var why) -> {
          if (transition.downing(node) == null) {
            transition.abort(Score.INFINITY, why);
          }
        }
        case CibChange.OperationGone(var node, var id) -> {
          if (!cancelConfirmed(id, node)) {
            transition.abort(Score.INFINITY, "Resource operation removal");
          }
        }
        case CibChange.Operation(var node, var operation) -> operation(node, operation);
        case CibChange.Refresh(var _, var operations) -> {
          if (transition.run().pending() == 0 || transition.isOver()) {
            transition.abort(Score.INFINITY, "History refresh");
          } else {
            operations.forEach(it -> operation(it.node(), it.operation()));
          }
        }
      }
    }
  }

  /// Matches a record of an operation, or a direct acknowledgement, to what was asked for.
  void operation(CibNodeId node, HistoryEntry record) {
    var status = record.status();
    if (!record.hasTransitionKey() || status == ExecStatus.PENDING) {
      return;
    }
    var id = record.key();
    var rc = OcfCode.undegraded(record.rc(TransitionKey.NOT_KNOWN));
    var key = record.transitionKey();
    if (key == null) {
      transition.abort(Score.INFINITY, "Bad event");
      return;
    }
    var wrong = rc != key.expectedRc();
    switch (matching.match(transition.run(), transition.isOver(), key, id, status, wrong)) {
      case Match.NoNews _ -> {}
      case Match.Cancelled _ -> cancelConfirmed(id, node);
      case Match.Again(var why) -> transition.connected(why);
      case Match.Unexpected(var why) -> {
        transition.abort(Score.INFINITY, why);
        mayBeLost(node, record, rc);
        if (status != ExecStatus.INVALID) { // never ran
          countFailure(node, record, rc, key, false);
        }
      }
      case Match.Awaited _ -> awaited(node, record, rc, key);
    }
  }

  private void awaited(CibNodeId node, HistoryEntry record, int rc, TransitionKey key) {
    var run = transition.run();
    var action = run.action(key.action());
    if (action == null) {
      transition.abort(Score.INFINITY, "Unknown event");
      return;
    }
    if (!isAsked(action, node)) {
      names
          .log()
          .warning(
              "Not taking a result of %s from %s for that of %s: another action has its number"
                  .formatted(record.key(), node, action));
      transition.abort(Score.INFINITY, "Unknown event");
      return;
    }
    if (record.status() == ExecStatus.INVALID && isAskedElsewhere(action, key, OcfCode.NONE.is(rc))) {
      return;
    }
    var ignored = "ignore".equals(action.meta("on_fail"));
    var failed = !ignored && rc != key.expectedRc();
    if (record.status() != ExecStatus.INVALID) {
      countFailure(node, record, rc, key, ignored);
    }
    transition.conclude(action.id(), !failed);
    if (failed) {
      mayBeLost(node, record, rc);
      names.log()
          .notice(
              "Transition %d action %d (%s on %s): expected %d but got %d"
                  .formatted(
                      names.number(),
                      action.id(),
                      record.key(),
                      record.node(),
                      key.expectedRc(),
                      rc));
      if (action.findsOut() && action.isProbe() && rc == OcfCode.OK.number()) {
        transition.connected("Event failed"); // it was found
      } else {
        transition.abort(run.priority(action.id()) + 1, "Event failed");
      }
    }
    transition.goOn();
  }

  /// An action was not done by the member that was asked for it, as another one has the connection to the remote node by now.
  ///
  /// @param unknown whether it may have been done, or still be under way: nothing may be planned before that is known, and a
  ///     member that asks for it once more finds out. The remote node does not do it at the same time again. Where nobody can be
  ///     asked a migration is held for failed: what was moved is stopped at both ends.
  private boolean isAskedElsewhere(GraphAction action, TransitionKey key, boolean unknown) {
    if ((unknown || !transition.run().aborted()) && elsewhere.startElsewhere(action, key)) {
      return true;
    }
    if (unknown && (action.is(Task.MIGRATE_TO) || action.is(Task.MIGRATE_FROM))) {
      elsewhere.recordFailure(action, key, ExecStatus.ERROR, "the remote node was handed on, and nobody knows whether it was done");
    }
    return false;
  }

  /// A member is lost. What it was asked to have done on remote nodes that it has handed on it may not have asked for itself.
  void lost(NodeId member) {
    lostMembers().add(CibNodeId.of(member));
    for (var action : List.copyOf(transition.run().running())) {
      if (elsewhere.isAskedOf(action, member, names.number())
          && elsewhere.isAskedOfAnother(action, names.number())
          && !isAskedElsewhere(action, names.key(action.id(), action.expectedRc()), true)
          && transition.conclude(action.id(), false)) {
        transition.abort(Score.INFINITY, "Node failure");
      }
    }
  }

  /// The members that were lost since a transition began. What such a one has last written may come after that: that it had taken a
  /// remote node over. It hears of nothing there any more.
  private Set<CibNodeId> lostMembers() {
    if (lostIn != names.number()) {
      lostMembers.clear();
      lostIn = names.number();
    }
    return lostMembers;
  }

  /// Somebody is lost, and is to be fenced before all else. The next plan does not wait for connections to remote nodes that are being
  /// made meanwhile, which takes as long as a host needs to start: they are given up, and made by that plan.
  void hurry() {
    for (var action : List.copyOf(transition.run().running())) {
      if (!transition.isOver() && action.connects() && action.meta("container") == null) {
        elsewhere.giveUp(action, names.key(action.id(), action.expectedRc()));
      }
    }
  }

  /// What fails may be the connection to a remote node. A probe that finds it, or does not, has not failed.
  private void mayBeLost(CibNodeId member, HistoryEntry record, int rc) {
    var key = OperationKey.parse(record.key());
    var lost = key == null ? null : NodeName.of(key.resource().text());
    if (lost != null
        && record.status() != ExecStatus.INVALID
        && rc != OcfCode.OK.number()
        && rc != OcfCode.NOT_RUNNING.number()) {
      giveUpUnheard(CibNodeId.ofRemote(lost), member);
      if (Task.MONITOR.is(key.operation()) || Task.ASYNC_MONITOR.is(key.operation())) {
        hurry();
      }
    }
  }

  /// The member that has the connection of a remote node has lost it, or has made it anew. It says of each operation that
  /// it was asked for itself that its end is unknown. But it hears, too, of what was asked of the member that has given the
  /// node away, and knows nothing of that before it ends: that may have ended unheard, and nobody else says so.
  ///
  /// @param by which may have the connection; null if the one that has it
  private void giveUpUnheard(CibNodeId node, @Nullable CibNodeId by) {
    if (transition.isOver()) {
      return;
    }
    for (var action : List.copyOf(transition.run().running())) {
      if (node.equals(action.nodeId())
          && (by == null || elsewhere.isConnected(action, by))
          && elsewhere.isAskedOfAnother(action, names.number())
          && transition.conclude(action.id(), false)) {
        names.log().info("Given up because the connection to %s broke after it was moved: %s".formatted(node, action));
        transition.abort(Score.INFINITY, "Remote node lost");
      }
    }
  }

  /// Whether a node can tell what came of an action: a remote host makes up the keys it gives back as
  /// it likes, and must not say that another node was fenced, or has stopped a resource.
  private static boolean isAsked(GraphAction action, CibNodeId node) {
    return action.kind() == GraphAction.Kind.RESOURCE && node.equals(action.nodeId());
  }

  private boolean cancelConfirmed(String id, CibNodeId node) {
    Predicate<GraphAction> wanted =
        it ->
            it.is(Task.CANCEL)
                && node.equals(it.nodeId())
                && (it.key().equals(id) || it.key().equals(cancelKey(id)));
    var action = transition.run().begun(wanted);
    if (action == null) {
      return false;
    }
    if (!transition.isOver() && transition.conclude(action.id(), true)) {
      transition.goOn();
    }
    return true;
  }

  private static String cancelKey(String id) {
    var key = OperationKey.parse(id);
    return key == null ? id : key.as(Task.CANCEL).toString();
  }

  private void countFailure(
      CibNodeId node, HistoryEntry record, int rc, TransitionKey key, boolean ignored) {
    var failure = FailureCount.of(record, rc, key, transition.run().graph());
    if (failure != null) {
      counter.count(node, failure.operation(), ignored ? null : failure.value());
    }
  }
}
