package org.systole.roles.view;

/// Where a value that a jig sees comes from.
///
/// @param subject a noderole, or the deployment role of a snapshot
/// @param part which of its data: `user`, `system`, `wall`; `role` for a deployment role
public record Origin(String subject, String part) {
  @Override
  public String toString() {
    return subject + " " + part;
  }
}
