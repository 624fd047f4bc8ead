package org.systole.schedulerd.model;

/// Something the run has to say about its input, collected instead of printed.
public record Message(Severity severity, String text) {
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
