package org.systole.common.operation;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.OperationName;

/// Names of actions as they stand in configurations, operation keys and transition graphs.
///
/// Agents may have actions that are none of these; so what names an action is a text, and this says
/// what the cluster knows of it.
public enum Task {
  // What resource agents are run for.
  MONITOR(TaskName.MONITOR),
  START(TaskName.START),
  STOP(TaskName.STOP),
  PROMOTE(TaskName.PROMOTE),
  DEMOTE(TaskName.DEMOTE),
  NOTIFY(TaskName.NOTIFY),
  MIGRATE_TO(TaskName.MIGRATE_TO),
  MIGRATE_FROM(TaskName.MIGRATE_FROM),
  /// New parameters without a restart, in agents older than OCF 1.1.
  RELOAD(TaskName.RELOAD),
  /// New parameters without a restart.
  RELOAD_AGENT(TaskName.RELOAD_AGENT),
  /// A monitor under the name that init scripts have for it.
  STATUS(TaskName.STATUS),
  META_DATA(TaskName.META_DATA),
  VALIDATE_ALL(TaskName.VALIDATE_ALL),
  /// A failure that is reported without having been asked for.
  ASYNC_MONITOR(TaskName.ASYNC_MONITOR),

  // What fence agents are run for besides.
  REBOOT(TaskName.REBOOT),
  OFF(TaskName.OFF),
  ON(TaskName.ON),
  LIST(TaskName.LIST),

  // What is done to operations and their history.
  CANCEL(TaskName.CANCEL),
  DELETE(TaskName.DELETE),
  HISTORY_DELETE(TaskName.HISTORY_DELETE),
  HISTORY_REFRESH(TaskName.HISTORY_REFRESH),
  CLEAR_FAILCOUNT(TaskName.CLEAR_FAILCOUNT),

  // What the cluster does itself.
  FENCE(TaskName.FENCE),
  SHUTDOWN(TaskName.SHUTDOWN),
  MAINTENANCE_NODES(TaskName.MAINTENANCE_NODES),

  // Points that order other actions.
  RUNNING(TaskName.RUNNING),
  STOPPED(TaskName.STOPPED),
  PROMOTED(TaskName.PROMOTED),
  DEMOTED(TaskName.DEMOTED),
  NOTIFIED(TaskName.NOTIFIED),
  LOAD_STOPPED(TaskName.LOAD_STOPPED),
  ONE_OR_MORE(TaskName.ONE_OR_MORE),
  CLONE_ONE_OR_MORE(TaskName.CLONE_ONE_OR_MORE);

  private static final Map<String, Task> BY_TEXT = new HashMap<>();

  static {
    for (var task : values()) {
      BY_TEXT.put(task.text, task);
    }
  }

  private final String text;
  private final OperationName operation;

  Task(String text) {
    this.text = text;
    this.operation = new OperationName(text);
  }

  /// The task of that name, null if the cluster gives the name no meaning.
  public static @Nullable Task of(@Nullable String text) {
    return text == null ? null : BY_TEXT.get(text);
  }

  /// The task of that name, null if only the agent knows what it means.
  public static @Nullable Task of(OperationName name) {
    return of(name.text());
  }

  /// As the name of an operation.
  public OperationName operation() {
    return operation;
  }

  /// As it is written.
  public String text() {
    return text;
  }

  /// Whether that is the name of this one.
  public boolean is(@Nullable String name) {
    return text.equals(name);
  }

  public boolean is(OperationName name) {
    return text.equals(name.text());
  }

  /// Whether an operation only looks for a resource: a monitor that does not recur.
  public static boolean isProbe(@Nullable String name, long intervalMillis) {
    return intervalMillis == 0 && MONITOR.is(name);
  }

  /// Whether the action so named takes its resource down, or away.
  public static boolean isDown(String name) {
    return switch (of(name)) {
      case STOP, DEMOTE, MIGRATE_TO -> true;
      case null, default -> false;
    };
  }

  /// Whether the action so named brings its resource up, or here.
  public static boolean isUp(String name) {
    return switch (of(name)) {
      case START, PROMOTE, MIGRATE_FROM -> true;
      case null, default -> false;
    };
  }

  /// The milestone that is reached when the action so named is done everywhere, null if there is
  /// none.
  public static @Nullable String done(String name) {
    return switch (of(name)) {
      case START, RUNNING -> TaskName.RUNNING;
      case STOP, STOPPED -> TaskName.STOPPED;
      case NOTIFY, NOTIFIED -> TaskName.NOTIFIED;
      case PROMOTE, PROMOTED -> TaskName.PROMOTED;
      case DEMOTE, DEMOTED -> TaskName.DEMOTED;
      case null, default -> null;
    };
  }

  /// The name of the action behind a milestone; other names stay as they are.
  public static String begun(String name) {
    return switch (of(name)) {
      case RUNNING -> TaskName.START;
      case STOPPED -> TaskName.STOP;
      case PROMOTED -> TaskName.PROMOTE;
      case DEMOTED -> TaskName.DEMOTE;
      case null, default -> name;
    };
  }

  /// Whether orderings can name an action so: the phases of resources and what the cluster does to
  /// nodes.
  public static boolean isKnown(String name) {
    return switch (of(name)) {
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
      case null, default -> false;
    };
  }

  /// Either half of a live migration.
  public boolean isMigration() {
    return this == MIGRATE_TO || this == MIGRATE_FROM;
  }

  /// Either way to take over new parameters without a restart.
  public boolean isReload() {
    return this == RELOAD || this == RELOAD_AGENT;
  }

  @Override
  public String toString() {
    return text;
  }
}
