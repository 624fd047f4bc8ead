package org.systole.scheduler.model;

import org.systole.common.xml.Element;

/// Primitives that run together, one after the other.
public final class Group extends Resource {
  private boolean ordered = true;
  private boolean colocated = true;

  public Group(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  @Override
  public boolean isActive(boolean all) {
    var any = false;
    var every = true;
    for (var child : children()) {
      if (child.isActive(all)) {
        any = true;
      } else {
        every = false;
      }
    }
    return any && (!all || every);
  }

  @Override
  public int maxPerNode() {
    return 1;
  }

  public boolean ordered() {
    return ordered;
  }

  @WrittenBy("unpack")
  public void setOrdered(boolean ordered) {
    this.ordered = ordered;
  }

  public boolean colocated() {
    return colocated;
  }

  @WrittenBy("unpack")
  public void setColocated(boolean colocated) {
    this.colocated = colocated;
  }
}
