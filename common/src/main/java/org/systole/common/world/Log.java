package org.systole.common.world;

/// Where a daemon says what it does. Messages are for administrators: what happened, to what, why.
public interface Log {
  enum Level {
    CRITICAL,
    ERROR,
    WARNING,
    NOTICE,
    INFO,
    DEBUG
  }

  void write(Level level, String message);

  /// Whether messages of this level are kept; ask before building an expensive one.
  default boolean keeps(Level level) {
    return level != Level.DEBUG;
  }

  default void critical(String message) {
    write(Level.CRITICAL, message);
  }

  default void error(String message) {
    write(Level.ERROR, message);
  }

  default void warning(String message) {
    write(Level.WARNING, message);
  }

  default void notice(String message) {
    write(Level.NOTICE, message);
  }

  default void info(String message) {
    write(Level.INFO, message);
  }

  default void debug(String message) {
    if (keeps(Level.DEBUG)) {
      write(Level.DEBUG, message);
    }
  }
}
