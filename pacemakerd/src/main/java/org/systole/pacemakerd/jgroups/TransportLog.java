package org.systole.pacemakerd.jgroups;

import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.systole.common.real.FileLog;

/// Brings what JGroups has to say into the node's log: warnings as information, for most of them
/// tell of peers that come and go, and errors as warnings.
public final class TransportLog implements Log {
  private final FileLog to;

  private TransportLog(FileLog to) {
    this.to = to;
  }

  /// Has to be called before the first class of JGroups is used.
  public static void install(FileLog to) {
    var log = new TransportLog(to);
    org.jgroups.logging.LogFactory.setCustomLogFactory(
        new CustomLogFactory() {
          @Override
          public Log getLog(Class<?> user) {
            return log;
          }

          @Override
          public Log getLog(String user) {
            return log;
          }
        });
  }

  private static String filled(String format, Object... values) {
    try {
      return format.formatted(values);
    } catch (java.util.IllegalFormatException e) {
      return format;
    }
  }

  @Override
  public boolean isFatalEnabled() {
    return true;
  }

  @Override
  public boolean isErrorEnabled() {
    return true;
  }

  @Override
  public boolean isWarnEnabled() {
    return true;
  }

  @Override
  public boolean isInfoEnabled() {
    return false;
  }

  @Override
  public boolean isDebugEnabled() {
    return false;
  }

  @Override
  public boolean isTraceEnabled() {
    return false;
  }

  @Override
  public void fatal(String message) {
    to.error("PeerTcp: " + message);
  }

  @Override
  public void fatal(String format, Object... values) {
    fatal(filled(format, values));
  }

  @Override
  public void fatal(String message, Throwable cause) {
    fatal(message + ": " + cause);
  }

  @Override
  public void error(String message) {
    to.warning("PeerTcp: " + message);
  }

  @Override
  public void error(String format, Object... values) {
    error(filled(format, values));
  }

  @Override
  public void error(String message, Throwable cause) {
    error(message + ": " + cause);
  }

  @Override
  public void warn(String message) {
    to.info("PeerTcp: " + message);
  }

  @Override
  public void warn(String format, Object... values) {
    warn(filled(format, values));
  }

  @Override
  public void warn(String message, Throwable cause) {
    warn(message + ": " + cause);
  }

  @Override
  public void info(String message) {}

  @Override
  public void info(String format, Object... values) {}

  @Override
  public void debug(String message) {}

  @Override
  public void debug(String format, Object... values) {}

  @Override
  public void debug(String message, Throwable cause) {}

  @Override
  public void trace(Object message) {}

  @Override
  public void trace(String message) {}

  @Override
  public void trace(String format, Object... values) {}

  @Override
  public void trace(String message, Throwable cause) {}

  @Override
  public void setLevel(String level) {}

  @Override
  public String getLevel() {
    return "warn";
  }
}
