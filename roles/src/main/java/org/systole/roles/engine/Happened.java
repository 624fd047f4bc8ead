package org.systole.roles.engine;

import org.systole.roles.model.RoleEvent;

/// An event that came about.
///
/// @param subject the noderole, node or deployment it is about
/// @param trouble what went wrong with the role's answer to it; empty if nothing did
public record Happened(RoleEvent event, String subject, String trouble) {
  @Override
  public String toString() {
    return event.word() + " " + subject + (trouble.isEmpty() ? "" : ": " + trouble);
  }
}
