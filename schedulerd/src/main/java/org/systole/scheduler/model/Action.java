package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Something the cluster may do: to a resource, to a node, or a mere milestone.
public final class Action {
  public final int id;

  /// Above the abort priority of a transition the action is still executed.
  public int priority;

  public final @Nullable Resource resource;

  /// Where it is executed, or what it is done to.
  public @Nullable Node node;

  /// The score the resource had for the node when the action was created.
  public int nodeScore;

  /// The configured operation, id-ref resolved.
  public @Nullable Element config;

  public String task;

  /// The key, such as `rsc_monitor_10000`.
  public String key;

  /// For a cancel: the task that is cancelled.
  public @Nullable String cancelTask;

  public @Nullable String reason;
  /// The flags as a set of bits; see [#is].
  public int flags;
  public Requires needs = Requires.NOTHING;
  public OnFail onFail = OnFail.RESTART;
  public Role failRole = Role.UNKNOWN;

  /// The flags that follow from the same action of all instances of its resource, and the count of
  /// [WorkingSet#actionChanges()] for which they do; -1 if they were not asked for.
  public int inferredFlags;

  public long inferredAt = -1;

  /// Meta-attributes of the action, without the prefix they get in a graph.
  public Map<String, String> meta = new LinkedHashMap<>();

  /// Instance attributes of the action alone.
  public Map<String, String> extra = Map.of();

  /// How many of the first actions of a "one or more" ordering are runnable so far, and must be.
  public int runnableBefore;

  public int requiredRunnableBefore;

  public final List<RelatedAction> before = new ArrayList<>();
  public final List<RelatedAction> after = new ArrayList<>();

  public Action(int id, @Nullable Resource resource, String task, String key) {
    this.id = id;
    this.resource = resource;
    this.task = task;
    this.key = key;
  }

  public boolean is(ActionFlag flag) {
    return (flags & flag.bit) != 0;
  }

  public void set(ActionFlag flag) {
    change(flags | flag.bit);
  }

  public void clear(ActionFlag flag) {
    change(flags & ~flag.bit);
  }

  private void change(int changed) {
    if (changed != flags) {
      flags = changed;
      if (resource != null) {
        resource.cluster.actionChanges++;
      }
    }
  }

  /// The key of an operation: resource, task and interval in milliseconds.
  public static String key(String resourceId, String task, long intervalMs) {
    return resourceId + "_" + task + "_" + intervalMs;
  }

  @Override
  public String toString() {
    return key + (node == null ? "" : "@" + node.name);
  }
}
