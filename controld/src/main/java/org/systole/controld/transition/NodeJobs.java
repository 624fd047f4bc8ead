package org.systole.controld.transition;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.systole.common.transition.GraphAction;
import org.systole.common.transition.GraphRun;

/// How many resource actions of a transition run on each node, and whether a node takes one more.
///
/// A migration counts on both its nodes. There may be a limit of its own for migrations.
final class NodeJobs {
  private final ToIntFunction<String> limit;
  private final Map<String, Integer> jobs = new HashMap<>();
  private final Map<String, Integer> migrations = new HashMap<>();
  private int migrationLimit;

  /// @param limit how many actions may run on a node at a time
  NodeJobs(ToIntFunction<String> limit) {
    this.limit = limit;
  }

  /// Counts anew what runs.
  void count(GraphRun run) {
    jobs.clear();
    migrations.clear();
    migrationLimit = run.graph().migrationLimit();
    for (var action : run.running()) {
      if (action.kind() == GraphAction.Kind.RESOURCE) {
        add(action);
      }
    }
  }

  /// Counts an action if there is room for it.
  ///
  /// @return whether there is
  boolean take(GraphAction action) {
    if (action.kind() != GraphAction.Kind.RESOURCE) {
      return true;
    }
    var source = action.meta("migrate_source");
    var target = action.meta("migrate_target");
    var both = action.isMigration() && source != null && target != null;
    var allowed =
        both
            ? hasRoom(source, true) && hasRoom(target, true)
            : hasRoom(action.executor(), action.isMigration());
    if (allowed) {
      add(action);
    }
    return allowed;
  }

  private void add(GraphAction action) {
    var source = action.meta("migrate_source");
    var target = action.meta("migrate_target");
    if (action.isMigration() && source != null && target != null && !action.isRouted()) {
      for (var node : List.of(source, target)) {
        jobs.merge(node, 1, Integer::sum);
        migrations.merge(node, 1, Integer::sum);
      }
    } else {
      jobs.merge(action.executor(), 1, Integer::sum);
    }
  }

  private boolean hasRoom(String node, boolean migration) {
    if (jobs.getOrDefault(node, 0) >= limit.applyAsInt(node)) {
      return false;
    }
    return !migration
        || migrationLimit <= 0
        || migrations.getOrDefault(node, 0) < migrationLimit;
  }
}
