package org.systole.scheduler.model;

/// An action that comes before or after another one, and what that means.
public final class RelatedAction {
  private final Action action;
  private Relations relations;
  private boolean graphed;

  public RelatedAction(Action action, Relations relations) {
    this.action = action;
    this.relations = relations;
  }

  public Action action() {
    return action;
  }

  public Relations relations() {
    return relations;
  }

  @WrittenBy({"orderings", "graph"})
  public void setRelations(Relations relations) {
    this.relations = relations;
  }

  public boolean graphed() {
    return graphed;
  }

  @WrittenBy("graph")
  public void setGraphed(boolean graphed) {
    this.graphed = graphed;
  }
}
