package org.systole.scheduler.model;

import org.systole.common.xml.Element;

/// A single resource with an agent.
public final class Primitive extends Resource {
  public Primitive(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  @Override
  public boolean isActive(boolean all) {
    for (var node : active()) {
      if (node.unclean() || node.online() || !is(ResourceFlag.MANAGED)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Role role(boolean current) {
    return current ? role() : nextRole();
  }

  @Override
  public int maxPerNode() {
    return 1;
  }
}
