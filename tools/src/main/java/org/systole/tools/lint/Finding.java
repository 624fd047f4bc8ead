package org.systole.tools.lint;

/// Something in a configuration that deserves a look.
///
/// @param id names the check, always the same
/// @param about the id of the element; empty for the cluster as a whole
/// @param what what is the matter, and what comes of it
/// @param fix what to do about it
public record Finding(String id, Severity severity, String about, String what, String fix) {
  public enum Severity {
    /// Data or service is at risk.
    ERROR,
    /// Something does not do what it looks like.
    WARNING,
    /// Worth knowing.
    NOTICE;

    public String word() {
      return switch (this) {
        case ERROR -> "error";
        case WARNING -> "warning";
        case NOTICE -> "notice";
      };
    }
  }

  /// In a line.
  public String text() {
    return severity.word() + ": " + said();
  }

  /// The same without the severity.
  public String said() {
    var where = about.isEmpty() ? "" : " " + about + ":";
    return "[%s]%s %s. %s".formatted(id, where, what, fix);
  }
}
