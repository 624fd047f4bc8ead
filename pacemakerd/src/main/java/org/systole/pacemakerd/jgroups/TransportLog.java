package org.systole.pacemakerd.jgroups;

import java.util.IllegalFormatException;
import java.util.function.Function;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.slf4j.Logger;

/// Writes JGroups' log messages into the daemon's log, under the names of its classes: warnings as
/// information, because most of them are about peers that come and go, and errors as warnings. Its
/// own information and below is kept only of classes whose debugging messages are asked for.
public final class TransportLog implements Log {
  private final Logger to;

  private TransportLog(Logger to) {
    this.to = to;
  }

  /// Has to be called before the first class of JGroups is used.
  ///
  /// @param loggers gives the logger of a class by its name
  public static void install(Function<String, Logger> loggers) {
    LogFactory.setCustomLogFactory(
        new CustomLogFactory() {
          @Override
          public Log getLog(Class<?> user) {
            return getLog(user.getName());
          }

          @Override
          public Log getLog(String user) {
            return new TransportLog(loggers.apply(user));
          }
        });
  }

  private static String filled(String format, Object... values) {
    try {
      return format.formatted(values);
    } catch (IllegalFormatException e) {
      return format;
    }
  }

  private static String because(String message, Throwable cause) {
    return message + ": " + cause;
  }

  @Override
  public boolean isFatalEnabled() {
    return to.isErrorEnabled();
  }

  @Override
  public boolean isErrorEnabled() {
    return to.isWarnEnabled();
  }

  @Override
  public boolean isWarnEnabled() {
    return to.isInfoEnabled();
  }

  @Override
  public boolean isInfoEnabled() {
    return to.isDebugEnabled();
  }

  @Override
  public boolean isDebugEnabled() {
    return to.isDebugEnabled();
  }

  @Override
  public boolean isTraceEnabled() {
    return to.isDebugEnabled();
  }

  @Override
  public void fatal(String message) {
    to.error(message);
  }

  @Override
  public void fatal(String format, Object... values) {
    fatal(filled(format, values));
  }

  @Override
  public void fatal(String message, Throwable cause) {
    fatal(because(message, cause));
  }

  @Override
  public void error(String message) {
    to.warn(message);
  }

  @Override
  public void error(String format, Object... values) {
    error(filled(format, values));
  }

  @Override
  public void error(String message, Throwable cause) {
    error(because(message, cause));
  }

  @Override
  public void warn(String message) {
    to.info(message);
  }

  @Override
  public void warn(String format, Object... values) {
    warn(filled(format, values));
  }

  @Override
  public void warn(String message, Throwable cause) {
    warn(because(message, cause));
  }

  @Override
  public void info(String message) {
    debug(message);
  }

  @Override
  public void info(String format, Object... values) {
    debug(format, values);
  }

  @Override
  public void debug(String message) {
    to.debug(message);
  }

  @Override
  public void debug(String format, Object... values) {
    if (to.isDebugEnabled()) {
      to.debug(filled(format, values));
    }
  }

  @Override
  public void debug(String message, Throwable cause) {
    if (to.isDebugEnabled()) {
      to.debug(because(message, cause));
    }
  }

  @Override
  public void trace(Object message) {
    if (to.isDebugEnabled()) {
      to.debug(String.valueOf(message));
    }
  }

  @Override
  public void trace(String message) {
    debug(message);
  }

  @Override
  public void trace(String format, Object... values) {
    debug(format, values);
  }

  @Override
  public void trace(String message, Throwable cause) {
    debug(message, cause);
  }

  /// Ignored: the host's options set the level.
  @Override
  public void setLevel(String level) {}

  @Override
  public String getLevel() {
    return to.isDebugEnabled() ? "trace" : "warn";
  }
}
