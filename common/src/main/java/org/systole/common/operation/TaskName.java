package org.systole.common.operation;

/// The names of [Task]s as constants, for where names are compared as text: in plans an action may
/// have a name that is no task's, or one made of a task's and something else.
public final class TaskName {
  public static final String MONITOR = "monitor";
  public static final String START = "start";
  public static final String STOP = "stop";
  public static final String PROMOTE = "promote";
  public static final String DEMOTE = "demote";
  public static final String NOTIFY = "notify";
  public static final String MIGRATE_TO = "migrate_to";
  public static final String MIGRATE_FROM = "migrate_from";
  public static final String RELOAD = "reload";
  public static final String RELOAD_AGENT = "reload-agent";
  public static final String STATUS = "status";
  public static final String META_DATA = "meta-data";
  public static final String VALIDATE_ALL = "validate-all";
  public static final String ASYNC_MONITOR = "asyncmon";
  public static final String REBOOT = "reboot";
  public static final String OFF = "off";
  public static final String ON = "on";
  public static final String LIST = "list";
  public static final String CANCEL = "cancel";
  public static final String DELETE = "delete";
  public static final String HISTORY_DELETE = "lrm_delete";
  public static final String HISTORY_REFRESH = "lrm_refresh";
  public static final String CLEAR_FAILCOUNT = "clear_failcount";
  public static final String FENCE = "stonith";
  public static final String SHUTDOWN = "do_shutdown";
  public static final String MAINTENANCE_NODES = "maintenance_nodes";
  public static final String RUNNING = "running";
  public static final String STOPPED = "stopped";
  public static final String PROMOTED = "promoted";
  public static final String DEMOTED = "demoted";
  public static final String NOTIFIED = "notified";
  public static final String LOAD_STOPPED = "load_stopped";
  public static final String ONE_OR_MORE = "one-or-more";
  public static final String CLONE_ONE_OR_MORE = "clone-one-or-more";

  private TaskName() {}
}
