package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.List;

/// A preference of a resource for some nodes, from a constraint or from within.
public final class Location {
  public final String id;
  public final Resource resource;

  /// Applies only to instances of this role; [Role#UNKNOWN] for all.
  public Role role = Role.UNKNOWN;

  public ProbeMode probeMode = ProbeMode.ALWAYS;

  /// The nodes concerned, each with the score.
  public final List<ScoredNode> nodes = new ArrayList<>();

  public Location(String id, Resource resource) {
    this.id = id;
    this.resource = resource;
  }
}
