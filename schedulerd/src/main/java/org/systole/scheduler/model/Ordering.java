package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;

/// "First, then then" between two actions, or between all actions of a resource with some key.
public final class Ordering {
  private final int id;
  private Relations relations;
  private @Nullable Resource firstResource;
  private @Nullable Action firstAction;
  private @Nullable String firstTask;
  private @Nullable Resource thenResource;
  private @Nullable Action thenAction;
  private @Nullable String thenTask;

  public Ordering(int id, Relations relations) {
    this.id = id;
    this.relations = relations;
  }

  public int id() {
    return id;
  }

  public Relations relations() {
    return relations;
  }

  public @Nullable Resource firstResource() {
    return firstResource;
  }

  @WrittenBy("constraints")
  public void setFirstResource(@Nullable Resource firstResource) {
    this.firstResource = firstResource;
  }

  public @Nullable Action firstAction() {
    return firstAction;
  }

  @WrittenBy("constraints")
  public void setFirstAction(@Nullable Action firstAction) {
    this.firstAction = firstAction;
  }

  public @Nullable String firstTask() {
    return firstTask;
  }

  @WrittenBy("constraints")
  public void setFirstTask(@Nullable String firstTask) {
    this.firstTask = firstTask;
  }

  public @Nullable Resource thenResource() {
    return thenResource;
  }

  @WrittenBy("constraints")
  public void setThenResource(@Nullable Resource thenResource) {
    this.thenResource = thenResource;
  }

  public @Nullable Action thenAction() {
    return thenAction;
  }

  @WrittenBy("constraints")
  public void setThenAction(@Nullable Action thenAction) {
    this.thenAction = thenAction;
  }

  public @Nullable String thenTask() {
    return thenTask;
  }

  @WrittenBy("constraints")
  public void setThenTask(@Nullable String thenTask) {
    this.thenTask = thenTask;
  }
}
