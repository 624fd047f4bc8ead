package org.systole.controld;

import org.jspecify.annotations.Nullable;

/// An operation's name in the history: `web_monitor_10000`.
record OperationKey(String resource, String operation, long intervalMillis) {
  /// @return null if the text is no such key
  static @Nullable OperationKey parse(String text) {
    var beforeInterval = text.lastIndexOf('_');
    if (beforeInterval <= 0) {
      return null;
    }
    long interval;
    try {
      interval = Long.parseLong(text.substring(beforeInterval + 1));
    } catch (NumberFormatException _) {
      return null;
    }
    var rest = text.substring(0, beforeInterval);
    for (var compound : new String[] {"_migrate_to", "_migrate_from"}) {
      if (rest.endsWith(compound) && rest.length() > compound.length()) {
        return new OperationKey(
            rest.substring(0, rest.length() - compound.length()), compound.substring(1), interval);
      }
    }
    var beforeOperation = rest.lastIndexOf('_');
    if (beforeOperation <= 0) {
      return null;
    }
    var resource = rest.substring(0, beforeOperation);
    for (var notification : new String[] {"_pre_notify", "_post_notify"}) {
      if (resource.endsWith(notification)) {
        return new OperationKey(
            resource.substring(0, resource.length() - notification.length()), "notify", interval);
      }
    }
    return new OperationKey(resource, rest.substring(beforeOperation + 1), interval);
  }

  static String text(String resource, String operation, long intervalMillis) {
    return resource + "_" + operation + "_" + intervalMillis;
  }

  @Override
  public String toString() {
    return text(resource, operation, intervalMillis);
  }
}
