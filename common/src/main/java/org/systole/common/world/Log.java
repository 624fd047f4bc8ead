package org.systole.common.world;

import java.util.function.Supplier;

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

  /// The same log for what belongs to one affair, such as a transition or a fencing: each line ends
  /// with its name, by which it can be followed through the logs of all daemons.
  ///
  /// @param affair such as `transition=12`; empty for none
  default Log about(String affair) {
    return affair.isEmpty() ? this : new About(this, affair);
  }

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

  /// The same, for what is said often: the message is made only where it is kept.
  default void debug(Supplier<String> message) {
    if (keeps(Level.DEBUG)) {
      write(Level.DEBUG, message.get());
    }
  }

  /// See [#about].
  record About(Log log, String affair) implements Log {
    @Override
    public void write(Level level, String message) {
      log.write(level, message + " | " + affair);
    }

    @Override
    public boolean keeps(Level level) {
      return log.keeps(level);
    }
  }
}
