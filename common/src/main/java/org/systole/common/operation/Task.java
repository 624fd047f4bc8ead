package org.systole.common.operation;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Names of actions as they stand in configurations, operation keys and transition graphs.
///
/// Agents may have actions that are none of these; so what names an action is a text, and this says
/// what the cluster knows of it.
public enum Task {
  // What resource agents are run for.
  MONITOR("monitor"),
  START("start"),
  STOP("stop"),
  PROMOTE("promote"),
  DEMOTE("demote"),
  NOTIFY("notify"),
  MIGRATE_TO("migrate_to"),
  MIGRATE_FROM("migrate_from"),
  /// New parameters without a restart, in agents older than OCF 1.1.
  RELOAD("reload"),
  /// New parameters without a restart.
  RELOAD_AGENT("reload-agent"),
  /// A monitor under the name that init scripts have for it.
  STATUS("status"),
  META_DATA("meta-data"),
  VALIDATE_ALL("validate-all"),
  /// A failure that is reported without having been asked for.
  ASYNC_MONITOR("asyncmon"),

  // What fence agents are run for besides.
  REBOOT("reboot"),
  OFF("off"),
  ON("on"),
  LIST("list"),

  // What is done to operations and their history.
  CANCEL("cancel"),
  DELETE("delete"),
  HISTORY_DELETE("lrm_delete"),
  HISTORY_REFRESH("lrm_refresh"),
  CLEAR_FAILCOUNT("clear_failcount"),

  // What the cluster does itself.
  FENCE("stonith"),
  SHUTDOWN("do_shutdown"),
  MAINTENANCE_NODES("maintenance_nodes"),

  // Points that order other actions.
  RUNNING("running"),
  STOPPED("stopped"),
  PROMOTED("promoted"),
  DEMOTED("demoted"),
  NOTIFIED("notified"),
  LOAD_STOPPED("load_stopped"),
  ONE_OR_MORE("one-or-more"),
  CLONE_ONE_OR_MORE("clone-one-or-more");

  private static final Map<String, Task> BY_TEXT = new HashMap<>();

  static {
    for (var task : values()) {
      BY_TEXT.put(task.text, task);
    }
  }

  private final String text;

  Task(String text) {
    this.text = text;
  }

  /// The task of that name, null if the cluster gives the name no meaning.
  public static @Nullable Task of(@Nullable String text) {
    return text == null ? null : BY_TEXT.get(text);
  }

  /// As it is written.
  public String text() {
    return text;
  }

  /// Whether that is the name of this one.
  public boolean is(@Nullable String name) {
    return text.equals(name);
  }

  /// Whether an operation only looks for a resource: a monitor that does not recur.
  public static boolean isProbe(@Nullable String name, long intervalMillis) {
    return intervalMillis == 0 && MONITOR.is(name);
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
