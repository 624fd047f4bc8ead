package org.systole.scheduler.model;

/// How utilization takes part in placement (`placement-strategy`).
public enum PlacementStrategy {
  DEFAULT("default"),
  UTILIZATION("utilization"),
  MINIMAL("minimal"),
  BALANCED("balanced");

  private final String text;

  PlacementStrategy(String text) {
    this.text = text;
  }

  public String text() {
    return text;
  }
}
