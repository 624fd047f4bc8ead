package org.systole.scheduler.model;

/// An action that comes before or after another one, and what that means.
public final class RelatedAction {
  public final Action action;
  /// Bits of [Relation].
  public int flags;
  public boolean graphed;

  public RelatedAction(Action action, int flags) {
    this.action = action;
    this.flags = flags;
  }
}
