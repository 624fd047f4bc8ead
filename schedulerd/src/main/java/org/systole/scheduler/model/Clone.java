package org.systole.scheduler.model;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Several instances of a primitive or a group.
public final class Clone extends Resource {
  private int max;
  private int nodeMax = 1;
  private int promotedMax;
  private int promotedNodeMax;

  private int total;

  private boolean ordered;
  private boolean interleave;

  private boolean promotionAdded;

  private boolean promotionConstrained;

  private @Nullable Element childXml;

  private @Nullable Object startNotifications;

  private @Nullable Object stopNotifications;
  private @Nullable Object promoteNotifications;
  private @Nullable Object demoteNotifications;

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
    return max == cluster().nodes().size();
  }

  @Override
  public boolean isActive(boolean all) {
    for (var child : children()) {
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

  public int max() {
    return max;
  }

  @WrittenBy("unpack")
  public void setMax(int max) {
    this.max = max;
  }

  public int nodeMax() {
    return nodeMax;
  }

  @WrittenBy("unpack")
  public void setNodeMax(int nodeMax) {
    this.nodeMax = nodeMax;
  }

  public int promotedMax() {
    return promotedMax;
  }

  @WrittenBy("unpack")
  public void setPromotedMax(int promotedMax) {
    this.promotedMax = promotedMax;
  }

  public int promotedNodeMax() {
    return promotedNodeMax;
  }

  @WrittenBy("unpack")
  public void setPromotedNodeMax(int promotedNodeMax) {
    this.promotedNodeMax = promotedNodeMax;
  }

  /// Instances created so far, those beyond [#max] included.
  public int total() {
    return total;
  }

  @WrittenBy("unpack")
  public void setTotal(int total) {
    this.total = total;
  }

  public boolean ordered() {
    return ordered;
  }

  @WrittenBy("unpack")
  public void setOrdered(boolean ordered) {
    this.ordered = ordered;
  }

  public boolean interleave() {
    return interleave;
  }

  @WrittenBy("unpack")
  public void setInterleave(boolean interleave) {
    this.interleave = interleave;
  }

  /// Whether promotion scores, and constraints with a promoted role, have been applied.
  public boolean promotionAdded() {
    return promotionAdded;
  }

  @WrittenBy("assignment")
  public void setPromotionAdded(boolean promotionAdded) {
    this.promotionAdded = promotionAdded;
  }

  public boolean promotionConstrained() {
    return promotionConstrained;
  }

  @WrittenBy("assignment")
  public void setPromotionConstrained(boolean promotionConstrained) {
    this.promotionConstrained = promotionConstrained;
  }

  /// The configuration of what is cloned.
  public @Nullable Element childXml() {
    return childXml;
  }

  @WrittenBy("unpack")
  public void setChildXml(@Nullable Element childXml) {
    this.childXml = childXml;
  }

  /// Data of the notifications around each kind of action, kept by the pass that makes them.
  public @Nullable Object startNotifications() {
    return startNotifications;
  }

  @WrittenBy("actions")
  public void setStartNotifications(@Nullable Object startNotifications) {
    this.startNotifications = startNotifications;
  }

  public @Nullable Object stopNotifications() {
    return stopNotifications;
  }

  @WrittenBy("actions")
  public void setStopNotifications(@Nullable Object stopNotifications) {
    this.stopNotifications = stopNotifications;
  }

  public @Nullable Object promoteNotifications() {
    return promoteNotifications;
  }

  @WrittenBy("actions")
  public void setPromoteNotifications(@Nullable Object promoteNotifications) {
    this.promoteNotifications = promoteNotifications;
  }

  public @Nullable Object demoteNotifications() {
    return demoteNotifications;
  }

  @WrittenBy("actions")
  public void setDemoteNotifications(@Nullable Object demoteNotifications) {
    this.demoteNotifications = demoteNotifications;
  }
}
