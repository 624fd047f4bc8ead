package org.systole.scheduler.model;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;

/// What is known of the cluster and what is decided about it; [WorkingSet] adds the questions.
abstract sealed class ClusterState permits WorkingSet {
  private final Element cib;
  private final Instant now;
  private final EnumSet<ClusterFlag> flags =
      EnumSet.of(
          ClusterFlag.SYMMETRIC,
          ClusterFlag.CONCURRENT_FENCING,
          ClusterFlag.STOP_REMOVED_RESOURCES,
          ClusterFlag.CANCEL_REMOVED_ACTIONS);
  private Map<String, String> options = new LinkedHashMap<>();
  private NoQuorumPolicy noQuorumPolicy = NoQuorumPolicy.STOP;
  private String fenceAction = TaskName.REBOOT;
  private long fenceTimeoutMs = 60_000;
  private long priorityFencingDelayMs;
  private long shutdownLockMs;
  private long nodePendingMs;
  private PlacementStrategy placementStrategy = PlacementStrategy.DEFAULT;
  private int healthRed;
  private int healthYellow;
  private int healthGreen;
  private @Nullable Element resourceDefaults;
  private @Nullable Element operationDefaults;
  private @Nullable String localNode;
  private @Nullable Node dc;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Resource> resources = new ArrayList<>();
  private final Map<String, IdRefs> templates = new LinkedHashMap<>();
  private final Map<String, IdRefs> tags = new LinkedHashMap<>();
  private final Map<String, Ticket> tickets = new LinkedHashMap<>();
  private final List<Location> locations = new ArrayList<>();
  private final List<Colocation> colocations = new ArrayList<>();
  private final List<Ordering> orderings = new ArrayList<>();
  private final List<Action> actions = new ArrayList<>();
  private final Map<String, Action> singletons = new HashMap<>();
  private final List<Element> failed = new ArrayList<>();
  private final List<ParameterCheck> parameterChecks = new ArrayList<>();
  private final List<Resource> stopNeeded = new ArrayList<>();
  private int instanceCount;
  private int disabledCount;
  private int blockedCount;
  private long recheckBy;
  private final List<ScoreLine> scoreLines = new ArrayList<>();
  private final List<ScoreCause> scoreCauses = new ArrayList<>();
  private final List<Message> messages = new ArrayList<>();

  ClusterState(Element cib, Instant now) {
    this.cib = cib;
    this.now = now;
  }

  /// The CIB this run works on, brought up to the current schema.
  public Element cib() {
    return cib;
  }

  /// The time for which rules hold and failures expire.
  public Instant now() {
    return now;
  }

  @WrittenBy("unpack")
  public EnumSet<ClusterFlag> flags() {
    return flags;
  }

  /// Cluster options as configured, not yet validated.
  public Map<String, String> options() {
    return options;
  }

  public NoQuorumPolicy noQuorumPolicy() {
    return noQuorumPolicy;
  }

  @WrittenBy("unpack")
  public void setNoQuorumPolicy(NoQuorumPolicy noQuorumPolicy) {
    this.noQuorumPolicy = noQuorumPolicy;
  }

  public String fenceAction() {
    return fenceAction;
  }

  @WrittenBy("unpack")
  public void setFenceAction(String fenceAction) {
    this.fenceAction = fenceAction;
  }

  public long fenceTimeoutMs() {
    return fenceTimeoutMs;
  }

  @WrittenBy("unpack")
  public void setFenceTimeoutMs(long fenceTimeoutMs) {
    this.fenceTimeoutMs = fenceTimeoutMs;
  }

  public long priorityFencingDelayMs() {
    return priorityFencingDelayMs;
  }

  @WrittenBy("unpack")
  public void setPriorityFencingDelayMs(long priorityFencingDelayMs) {
    this.priorityFencingDelayMs = priorityFencingDelayMs;
  }

  public long shutdownLockMs() {
    return shutdownLockMs;
  }

  @WrittenBy("unpack")
  public void setShutdownLockMs(long shutdownLockMs) {
    this.shutdownLockMs = shutdownLockMs;
  }

  public long nodePendingMs() {
    return nodePendingMs;
  }

  @WrittenBy("unpack")
  public void setNodePendingMs(long nodePendingMs) {
    this.nodePendingMs = nodePendingMs;
  }

  public PlacementStrategy placementStrategy() {
    return placementStrategy;
  }

  @WrittenBy("unpack")
  public void setPlacementStrategy(PlacementStrategy placementStrategy) {
    this.placementStrategy = placementStrategy;
  }

  /// What the health words are worth.
  public int healthRed() {
    return healthRed;
  }

  @WrittenBy("unpack")
  public void setHealthRed(int healthRed) {
    this.healthRed = healthRed;
  }

  public int healthYellow() {
    return healthYellow;
  }

  @WrittenBy("unpack")
  public void setHealthYellow(int healthYellow) {
    this.healthYellow = healthYellow;
  }

  public int healthGreen() {
    return healthGreen;
  }

  @WrittenBy("unpack")
  public void setHealthGreen(int healthGreen) {
    this.healthGreen = healthGreen;
  }

  public @Nullable Element resourceDefaults() {
    return resourceDefaults;
  }

  @WrittenBy("unpack")
  public void setResourceDefaults(@Nullable Element resourceDefaults) {
    this.resourceDefaults = resourceDefaults;
  }

  public @Nullable Element operationDefaults() {
    return operationDefaults;
  }

  @WrittenBy("unpack")
  public void setOperationDefaults(@Nullable Element operationDefaults) {
    this.operationDefaults = operationDefaults;
  }

  /// The name of the node that runs this, null if it is not known.
  public @Nullable String localNode() {
    return localNode;
  }

  public @Nullable Node dc() {
    return dc;
  }

  @WrittenBy("unpack")
  public void setDc(@Nullable Node dc) {
    this.dc = dc;
  }

  /// All nodes, ordered by name.
  public List<Node> nodes() {
    return nodes;
  }

  /// Top-level resources, by priority and then as configured.
  @WrittenBy("unpack")
  public List<Resource> resources() {
    return resources;
  }

  @WrittenBy("unpack")
  public Map<String, IdRefs> templates() {
    return templates;
  }

  @WrittenBy("unpack")
  public Map<String, IdRefs> tags() {
    return tags;
  }

  @WrittenBy({"unpack", "constraints"})
  public Map<String, Ticket> tickets() {
    return tickets;
  }

  @WrittenBy("constraints")
  public List<Location> locations() {
    return locations;
  }

  @WrittenBy("constraints")
  public List<Colocation> colocations() {
    return colocations;
  }

  @WrittenBy("constraints")
  public List<Ordering> orderings() {
    return orderings;
  }

  @WrittenBy("operations")
  public List<Action> actions() {
    return actions;
  }

  /// Actions without a resource, by key.
  @WrittenBy("operations")
  public Map<String, Action> singletons() {
    return singletons;
  }

  /// History entries of failed actions, in the order found, each with `uname` and `rsc-id` set.
  @WrittenBy("unpack")
  public List<Element> failed() {
    return failed;
  }

  @WrittenBy({"unpack", "actions"})
  public List<ParameterCheck> parameterChecks() {
    return parameterChecks;
  }

  /// Containers that must be stopped because something in them failed.
  @WrittenBy("unpack")
  public List<Resource> stopNeeded() {
    return stopNeeded;
  }

  public int instanceCount() {
    return instanceCount;
  }

  void setInstanceCount(int instanceCount) {
    this.instanceCount = instanceCount;
  }

  public int disabledCount() {
    return disabledCount;
  }

  void setDisabledCount(int disabledCount) {
    this.disabledCount = disabledCount;
  }

  public int blockedCount() {
    return blockedCount;
  }

  void setBlockedCount(int blockedCount) {
    this.blockedCount = blockedCount;
  }

  /// When to run again at the latest, seconds since the epoch; 0 if it does not matter.
  public long recheckBy() {
    return recheckBy;
  }

  void setRecheckBy(long recheckBy) {
    this.recheckBy = recheckBy;
  }

  /// What the run has to say about scores and capacities, in order; only if asked for.
  @WrittenBy({"operations", "assignment"})
  public List<ScoreLine> scoreLines() {
    return scoreLines;
  }

  /// Every score that moved a placement, in order; only with [ClusterFlag#EXPLAIN].
  public List<ScoreCause> scoreCauses() {
    return scoreCauses;
  }

  /// What is to be said about the input, in order, as often as it was met.
  public List<Message> messages() {
    return messages;
  }
}
