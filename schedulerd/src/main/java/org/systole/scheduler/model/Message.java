package org.systole.scheduler.model;

/// Something the run has to say about its input, collected instead of printed.
///
/// @param origin the step that found it, by the name under which commands report it; may be empty
/// @param detail what is of interest to developers; may be empty
public record Message(Severity severity, String text, String origin, String detail) {
  public Message(Severity severity, String text) {
    this(severity, text, "", "");
  }

  /// The line that a command writes to its log.
  public String logLine() {
    var level =
        switch (severity) {
          case ERROR, LOG_ERROR, CONFIG_ERROR -> "error";
          case WARNING, LOG_WARNING, CONFIG_WARNING -> "warning";
          case NOTICE -> "notice";
          case INFO -> "info";
        };
    return "(" + origin + ") \t" + level + ": " + text + (detail.isEmpty() ? "" : " | " + detail);
  }

  /// How serious a message is, and whether it is about the configuration.
  public enum Severity {
    ERROR,
    /// An error that does not mark the input as having errors.
    LOG_ERROR,
    WARNING,
    /// A warning that does not mark the input as having warnings.
    LOG_WARNING,
    /// A mistake in the configuration.
    CONFIG_ERROR,
    /// Doubtful or deprecated configuration.
    CONFIG_WARNING,
    NOTICE,
    INFO
  }
}
