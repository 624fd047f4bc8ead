package org.systole.schedulerd.model;

import java.util.EnumSet;

/// An action that comes before or after another one, and what that means.
public final class RelatedAction {
  public final Action action;
  public final EnumSet<RelationFlag> flags;
  public boolean graphed;

  public RelatedAction(Action action, EnumSet<RelationFlag> flags) {
    this.action = action;
    this.flags = flags;
  }
}
