package org.systole.scheduler.operations;

import org.jspecify.annotations.Nullable;

/// Names of actions as they appear in keys and graphs.
public final class Task {
  public static final String MONITOR = "monitor";
  public static final String START = "start";
  public static final String RUNNING = "running";
  public static final String STOP = "stop";
  public static final String STOPPED = "stopped";
  public static final String PROMOTE = "promote";
  public static final String PROMOTED = "promoted";
  public static final String DEMOTE = "demote";
  public static final String DEMOTED = "demoted";
  public static final String NOTIFY = "notify";
  public static final String NOTIFIED = "notified";
  public static final String MIGRATE_TO = "migrate_to";
  public static final String MIGRATE_FROM = "migrate_from";
  public static final String CANCEL = "cancel";
  public static final String DELETE = "delete";
  public static final String HISTORY_DELETE = "lrm_delete";
  public static final String RELOAD = "reload-agent";
  public static final String CLEAR_FAILCOUNT = "clear_failcount";
  public static final String SHUTDOWN = "do_shutdown";
  public static final String FENCE = "stonith";
  public static final String MAINTENANCE_NODES = "maintenance_nodes";
  public static final String LOAD_STOPPED = "load_stopped";
  public static final String ONE_OR_MORE = "one-or-more";
  public static final String CLONE_ONE_OR_MORE = "clone-one-or-more";

  private Task() {}

  public static boolean isDown(String task) {
    return switch (task) {
      case STOP, DEMOTE, MIGRATE_TO -> true;
      default -> false;
    };
  }

  public static boolean isUp(String task) {
    return switch (task) {
      case START, PROMOTE, MIGRATE_FROM -> true;
      default -> false;
    };
  }

  /// The milestone reached when an action is done everywhere, null if there is none.
  public static @Nullable String done(String task) {
    return switch (task) {
      case START, RUNNING -> RUNNING;
      case STOP, STOPPED -> STOPPED;
      case NOTIFY, NOTIFIED -> NOTIFIED;
      case PROMOTE, PROMOTED -> PROMOTED;
      case DEMOTE, DEMOTED -> DEMOTED;
      default -> null;
    };
  }

  /// The action behind a milestone; other names stay as they are.
  public static String begun(String task) {
    return switch (task) {
      case RUNNING -> START;
      case STOPPED -> STOP;
      case PROMOTED -> PROMOTE;
      case DEMOTED -> DEMOTE;
      default -> task;
    };
  }

  /// Whether the scheduler gives the name a meaning of its own.
  public static boolean isKnown(String task) {
    return switch (task) {
      case MONITOR,
          START,
          RUNNING,
          STOP,
          STOPPED,
          PROMOTE,
          PROMOTED,
          DEMOTE,
          DEMOTED,
          NOTIFY,
          NOTIFIED,
          SHUTDOWN,
          FENCE ->
          true;
      default -> false;
    };
  }

  public static boolean isProbe(String task, long intervalMs) {
    return intervalMs == 0 && task.equals(MONITOR);
  }
}
