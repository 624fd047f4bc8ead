package org.systole.common.logging;

import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;
import org.systole.common.layout.Layout;
import org.systole.common.world.Log;
import org.systole.common.world.World;

/// The log of a daemon that runs for real: each message goes to the SLF4J logger of the class that
/// says it.
///
/// Safe for use by several threads. No call waits, but [#drain].
public final class DaemonLog implements Log {
  private static final StackWalker CALLERS = StackWalker.getInstance();
  private static final String OWN = "Log"; // the part that speaks of the log itself
  private static final BasicMarkerFactory MARKERS = new BasicMarkerFactory();

  /// SLF4J has no levels of these names: they are its error and info, marked.
  static final Marker CRITICAL = MARKERS.getMarker("critical");

  static final Marker NOTICE = MARKERS.getMarker("notice");

  /// Gives a new log file its owner and mode.
  @FunctionalInterface
  public interface Owning {
    /// @param mode the one the administrator has chosen; null for the usual one
    void give(Path file, @Nullable Set<PosixFilePermission> mode) throws IOException;
  }

  /// The environment variable with further files that get the detailed log, one a line.
  public static final String MORE_FILES = LogSettings.MORE;

  private final LogSettings settings;
  private final LoggerContext loggers = new LoggerContext();
  private final Targets targets;
  private volatile boolean debug;

  private DaemonLog(LogSettings settings, Targets targets) {
    this.settings = settings;
    this.targets = targets;
    loggers.setName(settings.daemon());
    targets.setContext(loggers);
    targets.start();
    loggers.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(targets);
    setLevels(settings.debug());
    loggers.start();
  }

  /// Opens the log of this process. Files are opened by the threads that write to them: one that
  /// cannot be is told on standard error and in the system's log, and tried again.
  ///
  /// @param daemon the daemon's name in the log
  public static DaemonLog open(
      Layout layout, Map<String, String> environment, String daemon, Owning owning) {
    var settings = LogSettings.of(layout, environment, daemon);
    var log = new DaemonLog(settings, Targets.of(settings, layout, owning));
    settings.problems().forEach(log.loggers.getLogger(OWN)::warn);
    return log;
  }

  private void setLevels(boolean on) {
    debug = on;
    loggers
        .getLogger(Logger.ROOT_LOGGER_NAME)
        .setLevel(
            on || settings.traces().any()
                ? ch.qos.logback.classic.Level.DEBUG
                : ch.qos.logback.classic.Level.INFO);
  }

  /// The logger of a library's class. Its debugging messages are kept only where `PCMK_trace_files`
  /// names the class.
  ///
  /// @param name the class's name
  public Logger library(String name) {
    var logger = loggers.getLogger(name);
    var traced = settings.traces().files().contains(simpleName(name));
    logger.setLevel(
        traced ? ch.qos.logback.classic.Level.DEBUG : ch.qos.logback.classic.Level.INFO);
    return logger;
  }

  /// As [org.systole.common.world.World#setDebug].
  public void setDebug(String daemons) {
    var on =
        daemons.equals(World.DEBUG_AS_CONFIGURED)
            ? settings.debug()
            : LogSettings.concerns(daemons, settings.daemon());
    if (on != debug) {
      setLevels(on);
      var how = on ? "logged from now on" : "no longer logged";
      loggers.getLogger(OWN).info(NOTICE, "Debugging messages are " + how);
    }
  }

  @Override
  public boolean keeps(Level level) {
    return level != Level.DEBUG || debug || settings.traces().any();
  }

  @Override
  public void write(Level level, String message) {
    if (!keeps(level)) {
      return;
    }
    var said = CALLERS.walk(frames -> frames.filter(DaemonLog::isOfCaller).findFirst());
    var name = said.map(StackWalker.StackFrame::getClassName).orElse(settings.daemon());
    if (level == Level.DEBUG && !debug) {
      var method = said.map(it -> methodOf(it.getMethodName())).orElse("");
      if (!settings.traces().want(simpleName(name), method, message)) {
        return;
      }
    }
    var logger = loggers.getLogger(outermost(name));
    switch (level) {
      case CRITICAL -> logger.error(CRITICAL, message);
      case ERROR -> logger.error(message);
      case WARNING -> logger.warn(message);
      case NOTICE -> logger.info(NOTICE, message);
      case INFO -> logger.info(message);
      case DEBUG -> logger.debug(message);
    }
  }

  /// Neither the log itself nor what the JDK calls a lambda through.
  private static boolean isOfCaller(StackWalker.StackFrame frame) {
    var name = frame.getClassName();
    return !name.startsWith("java.")
        && !name.equals(DaemonLog.class.getName())
        && !name.startsWith(Log.class.getName());
  }

  /// What is said in a lambda, `lambda$plan$3`, is said in the method around it.
  private static String methodOf(String name) {
    return name.startsWith("lambda$") ? name.substring(7, name.lastIndexOf('$')) : name;
  }

  private static String outermost(String className) {
    var end = className.indexOf('$');
    return end < 0 ? className : className.substring(0, end);
  }

  static String simpleName(String className) {
    var outermost = outermost(className);
    return outermost.substring(outermost.lastIndexOf('.') + 1);
  }

  /// Waits until what was said is written, but no longer than `limit`: for the end of the process.
  ///
  /// @return whether all is
  public boolean drain(Duration limit) {
    return targets.drain(limit);
  }
}
