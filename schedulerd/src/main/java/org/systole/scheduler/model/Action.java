package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Something the cluster may do: to a resource, to a node, or a mere milestone.
public final class Action {
  private final int id;

  private int priority;

  private final @Nullable Resource resource;

  private @Nullable Node node;

  private int nodeScore;

  private @Nullable Element config;

  private String task;

  private String key;

  private @Nullable String cancelTask;

  private @Nullable String reason;
  private ActionFlags flags = ActionFlags.NONE;
  private Requires needs = Requires.NOTHING;
  private OnFail onFail = OnFail.RESTART;
  private Role failRole = Role.UNKNOWN;

  private ActionFlags inferredFlags = ActionFlags.NONE;

  private long inferredAt = -1;

  private Map<String, String> meta = new LinkedHashMap<>();

  private Map<String, String> extra = Map.of();

  private int runnableBefore;

  private int requiredRunnableBefore;

  private final List<RelatedAction> before = new ArrayList<>();
  private final List<RelatedAction> after = new ArrayList<>();

  public Action(int id, @Nullable Resource resource, String task, String key) {
    this.id = id;
    this.resource = resource;
    this.task = task;
    this.key = key;
  }

  public boolean is(ActionFlag flag) {
    return flags.has(flag);
  }

  @WrittenBy({"actions", "assignment", "graph", "operations", "orderings", "sim", "unpack"})
  public void set(ActionFlag flag) {
    change(flags.with(flag));
  }

  @WrittenBy({"actions", "assignment", "graph", "operations", "orderings", "sim", "unpack"})
  public void clear(ActionFlag flag) {
    change(flags.without(flag));
  }

  private void change(ActionFlags changed) {
    if (changed != flags) {
      flags = changed;
      if (resource != null) {
        resource.cluster().actionChanges++;
      }
    }
  }

  /// The key of an operation: resource, task and interval in milliseconds.
  public static String key(String resourceId, String task, long intervalMs) {
    return resourceId + "_" + task + "_" + intervalMs;
  }

  @Override
  public String toString() {
    return key + (node == null ? "" : "@" + node.name());
  }

  public int id() {
    return id;
  }

  /// Above the abort priority of a transition the action is still executed.
  public int priority() {
    return priority;
  }

  @WrittenBy("actions")
  public void setPriority(int priority) {
    this.priority = priority;
  }

  @WrittenBy("orderings")
  public @Nullable Resource resource() {
    return resource;
  }

  /// Where it is executed, or what it is done to.
  public @Nullable Node node() {
    return node;
  }

  @WrittenBy({"operations", "assignment"})
  public void setNode(@Nullable Node node) {
    this.node = node;
  }

  /// The score the resource had for the node when the action was created.
  public int nodeScore() {
    return nodeScore;
  }

  /// The configured operation, id-ref resolved.
  public @Nullable Element config() {
    return config;
  }

  @WrittenBy("operations")
  public void setConfig(@Nullable Element config) {
    this.config = config;
  }

  /// What is to be done, as text: most of it is a [Task], but a plan also has milestones of its own
  /// (`running`, `all_stopped`), and names that only an agent knows.
  public String task() {
    return task;
  }

  @WrittenBy("actions")
  public void setTask(String task) {
    this.task = task;
  }

  /// The key, such as `rsc_monitor_10000`.
  public String key() {
    return key;
  }

  /// For a cancel: the task that is cancelled.
  public @Nullable String cancelTask() {
    return cancelTask;
  }

  @WrittenBy("actions")
  public void setCancelTask(@Nullable String cancelTask) {
    this.cancelTask = cancelTask;
  }

  public @Nullable String reason() {
    return reason;
  }

  @WrittenBy("operations")
  public void setReason(@Nullable String reason) {
    this.reason = reason;
  }

  public ActionFlags flags() {
    return flags;
  }

  void setFlags(ActionFlags flags) {
    this.flags = flags;
  }

  public Requires needs() {
    return needs;
  }

  @WrittenBy({"operations", "actions"})
  public void setNeeds(Requires needs) {
    this.needs = needs;
  }

  public OnFail onFail() {
    return onFail;
  }

  @WrittenBy("operations")
  public void setOnFail(OnFail onFail) {
    this.onFail = onFail;
  }

  public Role failRole() {
    return failRole;
  }

  @WrittenBy("operations")
  public void setFailRole(Role failRole) {
    this.failRole = failRole;
  }

  /// The flags that follow from the same action of all instances of its resource, and the count of
  /// [WorkingSet#actionChanges()] for which they do; -1 if they were not asked for.
  public ActionFlags inferredFlags() {
    return inferredFlags;
  }

  @WrittenBy("orderings")
  public void setInferredFlags(ActionFlags inferredFlags) {
    this.inferredFlags = inferredFlags;
  }

  public long inferredAt() {
    return inferredAt;
  }

  @WrittenBy("orderings")
  public void setInferredAt(long inferredAt) {
    this.inferredAt = inferredAt;
  }

  /// Meta-attributes of the action, without the prefix they get in a graph.
  @WrittenBy({"operations", "unpack", "actions", "graph"})
  public Map<String, String> meta() {
    return meta;
  }

  @WrittenBy("operations")
  public void setMeta(Map<String, String> meta) {
    this.meta = meta;
  }

  /// Instance attributes of the action alone.
  public Map<String, String> extra() {
    return extra;
  }

  @WrittenBy("operations")
  public void setExtra(Map<String, String> extra) {
    this.extra = extra;
  }

  /// How many of the first actions of a "one or more" ordering are runnable so far, and must be.
  public int runnableBefore() {
    return runnableBefore;
  }

  @WrittenBy("orderings")
  public void setRunnableBefore(int runnableBefore) {
    this.runnableBefore = runnableBefore;
  }

  public int requiredRunnableBefore() {
    return requiredRunnableBefore;
  }

  @WrittenBy("constraints")
  public void setRequiredRunnableBefore(int requiredRunnableBefore) {
    this.requiredRunnableBefore = requiredRunnableBefore;
  }

  @WrittenBy({"operations", "graph"})
  public List<RelatedAction> before() {
    return before;
  }

  @WrittenBy("operations")
  public List<RelatedAction> after() {
    return after;
  }
}
