package org.systole.controld.transition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;
import org.systole.common.values.NodeName;

/// How many resource actions of a transition run on each node, and whether a node takes one more.
///
/// A migration counts on both its nodes. There may be a limit of its own for migrations. Connections to remote nodes that are
/// being made count by themselves: each waits for as long as its node boots, and takes no place from what is work. So does looking for
/// connections, which a member does at once: before the first of many is made, all members are asked about all of them.
final class NodeJobs {
  private static final int LOOKS = 8; // of them in the place of one that is work

  private final ToIntFunction<NodeName> limit;
  private final Map<NodeName, Integer> jobs = new HashMap<>();
  private final Map<NodeName, Integer> migrations = new HashMap<>();
  private final Map<NodeName, Integer> connections = new HashMap<>();
  private final Map<NodeName, Integer> looks = new HashMap<>();
  private int migrationLimit;

  /// @param limit how many actions may run on a node at a time
  NodeJobs(ToIntFunction<NodeName> limit) {
    this.limit = limit;
  }

  /// Counts again what runs.
  void count(GraphRun run) {
    jobs.clear();
    migrations.clear();
    connections.clear();
    looks.clear();
    migrationLimit = run.graph().migrationLimit();
    for (var action : run.running()) {
      if (action.kind() == GraphAction.Kind.RESOURCE) {
        add(action);
      }
    }
  }

  /// How many actions may be under way in the whole cluster. What people have set holds for all of them. Where members are busy
  /// with other work, what is waited for while a remote node boots takes nobody's place: what ran there would be started
  /// elsewhere only after that.
  ///
  /// @param now what holds with the load there is
  int batchLimit(int configured, int now) {
    return now == configured ? now : now + sum(connections) + sum(looks);
  }

  /// Whether others may begin beside an action as if it were not there.
  static boolean leavesRoom(GraphAction action) {
    return action.connects() || action.looksForConnection();
  }

  private static int sum(Map<NodeName, Integer> counts) {
    return counts.values().stream().mapToInt(it -> it).sum();
  }

  /// Counts an action if there is room for it. While nothing ends, a node that is full stays so.
  GraphRun.Verdict take(GraphAction action) {
    if (action.kind() != GraphAction.Kind.RESOURCE) {
      return GraphRun.Verdict.YES;
    }
    if (action.connects()) {
      return takeOne(connections, action.executor(), 1);
    }
    if (action.looksForConnection()) {
      return takeOne(looks, action.executor(), LOOKS);
    }
    var source = NodeName.of(action.meta("migrate_source"));
    var target = NodeName.of(action.meta("migrate_target"));
    var both = action.isMigration() && source != null && target != null;
    var allowed =
        both
            ? hasRoom(source, true) && hasRoom(target, true)
            : hasRoom(action.executor(), action.isMigration());
    if (allowed) {
      add(action);
      return GraphRun.Verdict.YES;
    }
    return both ? GraphRun.Verdict.NO : GraphRun.Verdict.EXECUTOR_FULL;
  }

  // What is full of connections may have room for others: it is not called full.
  private GraphRun.Verdict takeOne(Map<NodeName, Integer> counts, @Nullable NodeName node, int times) {
    if (node != null && counts.getOrDefault(node, 0) >= limit.applyAsInt(node) * times) {
      return GraphRun.Verdict.NO;
    }
    addOne(counts, node);
    return GraphRun.Verdict.YES;
  }

  private static void addOne(Map<NodeName, Integer> counts, @Nullable NodeName node) {
    if (node != null) {
      counts.merge(node, 1, Integer::sum);
    }
  }

  private void add(GraphAction action) {
    if (action.connects()) {
      addOne(connections, action.executor());
      return;
    }
    if (action.looksForConnection()) {
      addOne(looks, action.executor());
      return;
    }
    var source = NodeName.of(action.meta("migrate_source"));
    var target = NodeName.of(action.meta("migrate_target"));
    if (action.isMigration() && source != null && target != null && !action.isRouted()) {
      for (var node : List.of(source, target)) {
        jobs.merge(node, 1, Integer::sum);
        migrations.merge(node, 1, Integer::sum);
      }
      return;
    }
    addOne(jobs, action.executor());
  }

  private boolean hasRoom(@Nullable NodeName node, boolean migration) {
    if (node == null) {
      return true; // no node carries it out
    }
    if (jobs.getOrDefault(node, 0) >= limit.applyAsInt(node)) {
      return false;
    }
    return !migration
        || migrationLimit <= 0
        || migrations.getOrDefault(node, 0) < migrationLimit;
  }
}
