package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.List;

/// A preference of a resource for some nodes, from a constraint or from within.
public final class Location {
  private final String id;
  private final Resource resource;

  private Role role = Role.UNKNOWN;

  private ProbeMode probeMode = ProbeMode.ALWAYS;

  private final List<ScoredNode> nodes = new ArrayList<>();

  public Location(String id, Resource resource) {
    this.id = id;
    this.resource = resource;
  }

  public String id() {
    return id;
  }

  public Resource resource() {
    return resource;
  }

  /// Applies only to instances of this role; [Role#UNKNOWN] for all.
  public Role role() {
    return role;
  }

  @WrittenBy("constraints")
  public void setRole(Role role) {
    this.role = role;
  }

  public ProbeMode probeMode() {
    return probeMode;
  }

  @WrittenBy("constraints")
  public void setProbeMode(ProbeMode probeMode) {
    this.probeMode = probeMode;
  }

  /// The nodes concerned, each with the score.
  @WrittenBy("constraints")
  public List<ScoredNode> nodes() {
    return nodes;
  }
}
