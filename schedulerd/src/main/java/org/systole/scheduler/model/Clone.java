package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Several instances of a primitive or a group.
public final class Clone extends Resource {
  public int max;
  public int nodeMax = 1;
  public int promotedMax;
  public int promotedNodeMax;

  /// Instances created so far, those beyond [#max] included.
  public int total;

  public boolean ordered;
  public boolean interleave;

  /// Whether promotion scores, and constraints with a promoted role, have been applied.
  public boolean promotionAdded;

  public boolean promotionConstrained;

  /// The configuration of what is cloned.
  public @Nullable Element childXml;

  /// Data of the notifications around each kind of action, kept by the pass that makes them.
  public @Nullable Object startNotifications;

  public @Nullable Object stopNotifications;
  public @Nullable Object promoteNotifications;
  public @Nullable Object demoteNotifications;

  public Clone(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  public boolean isUnique() {
    return is(ResourceFlag.UNIQUE);
  }

  public boolean isPromotable() {
    return is(ResourceFlag.PROMOTABLE);
  }

  /// Whether it has an instance for every node.
  public boolean isUniversal() {
    return max == cluster.nodes.size();
  }

  @Override
  public boolean isActive(boolean all) {
    for (var child : children) {
      if (child.isActive(all) != all) {
        return !all;
      }
    }
    return all;
  }

  @Override
  public int maxPerNode() {
    return nodeMax;
  }
}
