package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// What is known of a resource and what is decided about it; [Resource] adds the questions.
abstract sealed class ResourceState permits Resource {
  private final WorkingSet cluster;
  private String id;
  private @Nullable String historyId;
  private Element xml;
  private Element originalXml;
  private @Nullable Element operations;
  private @Nullable Resource parent;
  private final List<Resource> children = new ArrayList<>();
  private final EnumSet<ResourceFlag> flags = EnumSet.noneOf(ResourceFlag.class);
  private Map<String, String> meta = new LinkedHashMap<>();
  private Map<String, String> utilization = new LinkedHashMap<>();
  private int priority;
  private int promotionPriority;
  private Role role = Role.STOPPED;
  private Role nextRole = Role.UNKNOWN;
  private int stickiness;
  private long failureTimeoutMs;
  private int migrationThreshold = Score.INFINITY;
  private long reconnectIntervalMs;
  private @Nullable String pendingAction;
  private @Nullable Node pendingNode;
  private long lockTime;
  private @Nullable Node lockNode;
  private final List<Action> actions = new ArrayList<>();
  private @Nullable ProbeConfig probeConfig;
  private @Nullable Resource launcher;
  private final List<Resource> launched = new ArrayList<>();
  private MultipleActive multipleActive = MultipleActive.STOP_START;
  private @Nullable ScoredNode assigned;
  private final List<Node> active = new ArrayList<>();
  private NodeTable probed = new NodeTable();
  private NodeTable allowed = new NodeTable();
  private @Nullable Node partialMigrationSource;
  private @Nullable Node partialMigrationTarget;
  private final List<Node> danglingMigrationSources = new ArrayList<>();
  private @Nullable Node lostMigrationTarget;
  private @Nullable Node migratingTo;
  private final List<Colocation> withThis = new ArrayList<>();
  private final List<Colocation> thisWith = new ArrayList<>();
  private final List<Location> locations = new ArrayList<>();
  private final List<TicketConstraint> tickets = new ArrayList<>();
  private final Map<String, Map<String, String>> parameterCache = new LinkedHashMap<>();

  ResourceState(WorkingSet cluster, String id, Element xml, Element originalXml) {
    this.cluster = cluster;
    this.id = id;
    this.xml = xml;
    this.originalXml = originalXml;
  }

  public final WorkingSet cluster() {
    return cluster;
  }

  /// The id, with `:N` for a clone instance.
  public final String id() {
    return id;
  }

  /// The id under which an anonymous instance was found in the history, null if the same.
  public final @Nullable String historyId() {
    return historyId;
  }

  /// The id under which it is in the histories, which do not number the instances of an anonymous clone.
  public final String nameInHistories() {
    return historyId == null ? id : historyId;
  }

  final void setHistoryId(@Nullable String historyId) {
    this.historyId = historyId;
  }

  /// The effective configuration, a template merged in.
  public final Element xml() {
    return xml;
  }

  /// The configuration as written.
  public final Element originalXml() {
    return originalXml;
  }

  /// The configured operations, id-ref resolved.
  public final @Nullable Element operations() {
    return operations;
  }

  @WrittenBy("unpack")
  public final void setOperations(@Nullable Element operations) {
    this.operations = operations;
  }

  @WrittenBy("assignment")
  public final @Nullable Resource parent() {
    return parent;
  }

  @WrittenBy("unpack")
  public final void setParent(@Nullable Resource parent) {
    this.parent = parent;
  }

  @WrittenBy({"unpack", "orderings", "actions"})
  public final List<Resource> children() {
    return children;
  }

  public final EnumSet<ResourceFlag> flags() {
    return flags;
  }

  @WrittenBy("unpack")
  public final Map<String, String> meta() {
    return meta;
  }

  public final Map<String, String> utilization() {
    return utilization;
  }

  @WrittenBy("unpack")
  public final void setUtilization(Map<String, String> utilization) {
    this.utilization = utilization;
  }

  public final int priority() {
    return priority;
  }

  @WrittenBy({"unpack", "assignment", "actions"})
  public final void setPriority(int priority) {
    this.priority = priority;
  }

  /// The promotion score on the assigned node.
  public final int promotionPriority() {
    return promotionPriority;
  }

  @WrittenBy("assignment")
  public final void setPromotionPriority(int promotionPriority) {
    this.promotionPriority = promotionPriority;
  }

  public final Role role() {
    return role;
  }

  @WrittenBy({"unpack", "assignment", "actions", "status"})
  public final void setRole(Role role) {
    this.role = role;
  }

  public final Role nextRole() {
    return nextRole;
  }

  @WrittenBy({"operations", "unpack", "assignment", "actions"})
  public final void setNextRole(Role nextRole) {
    this.nextRole = nextRole;
  }

  public final int stickiness() {
    return stickiness;
  }

  @WrittenBy("unpack")
  public final void setStickiness(int stickiness) {
    this.stickiness = stickiness;
  }

  /// Failures are forgotten after this many milliseconds; 0 for never.
  public final long failureTimeoutMs() {
    return failureTimeoutMs;
  }

  @WrittenBy("unpack")
  public final void setFailureTimeoutMs(long failureTimeoutMs) {
    this.failureTimeoutMs = failureTimeoutMs;
  }

  /// Banned from a node after this many failures there.
  public final int migrationThreshold() {
    return migrationThreshold;
  }

  @WrittenBy("unpack")
  public final void setMigrationThreshold(int migrationThreshold) {
    this.migrationThreshold = migrationThreshold;
  }

  /// Retry interval of a remote connection, milliseconds.
  public final long reconnectIntervalMs() {
    return reconnectIntervalMs;
  }

  @WrittenBy("unpack")
  public final void setReconnectIntervalMs(long reconnectIntervalMs) {
    this.reconnectIntervalMs = reconnectIntervalMs;
  }

  /// The action that history says is under way, and where.
  public final @Nullable String pendingAction() {
    return pendingAction;
  }

  @WrittenBy("unpack")
  public final void setPendingAction(@Nullable String pendingAction) {
    this.pendingAction = pendingAction;
  }

  public final @Nullable Node pendingNode() {
    return pendingNode;
  }

  @WrittenBy("unpack")
  public final void setPendingNode(@Nullable Node pendingNode) {
    this.pendingNode = pendingNode;
  }

  /// The shutdown lock: since when (seconds since the epoch, 0 for none) and to which node.
  public final long lockTime() {
    return lockTime;
  }

  @WrittenBy({"unpack", "constraints"})
  public final void setLockTime(long lockTime) {
    this.lockTime = lockTime;
  }

  public final @Nullable Node lockNode() {
    return lockNode;
  }

  @WrittenBy({"unpack", "constraints"})
  public final void setLockNode(@Nullable Node lockNode) {
    this.lockNode = lockNode;
  }

  /// Its actions, in the order they were created; to be added to by [#addAction] only.
  public final List<Action> actions() {
    return actions;
  }

  /// How its probes are configured, once one has been created: the same on every node.
  public final @Nullable ProbeConfig probeConfig() {
    return probeConfig;
  }

  @WrittenBy("operations")
  public final void setProbeConfig(@Nullable ProbeConfig probeConfig) {
    this.probeConfig = probeConfig;
  }

  /// What starts the node behind this connection, or the container this resource belongs to.
  public final @Nullable Resource launcher() {
    return launcher;
  }

  @WrittenBy("unpack")
  public final void setLauncher(@Nullable Resource launcher) {
    this.launcher = launcher;
  }

  @WrittenBy("unpack")
  public final List<Resource> launched() {
    return launched;
  }

  public final MultipleActive multipleActive() {
    return multipleActive;
  }

  @WrittenBy("unpack")
  public final void setMultipleActive(MultipleActive multipleActive) {
    this.multipleActive = multipleActive;
  }

  /// Where this run wants it to be; a copy with the score. Primitives only.
  public final @Nullable ScoredNode assigned() {
    return assigned;
  }

  @WrittenBy("assignment")
  public final void setAssigned(@Nullable ScoredNode assigned) {
    this.assigned = assigned;
  }

  /// Where it is, or may be, active now; of a collective resource, where any descendant is.
  @WrittenBy({"unpack", "assignment"})
  public final List<Node> active() {
    return active;
  }

  /// Where its state is known from the history.
  @WrittenBy("unpack")
  public final NodeTable probed() {
    return probed;
  }

  /// Where it may run, with scores.
  @WrittenBy({"unpack", "constraints", "actions"})
  public final NodeTable allowed() {
    return allowed;
  }

  @WrittenBy({"unpack", "assignment"})
  public final void setAllowed(NodeTable allowed) {
    this.allowed = allowed;
  }

  public final @Nullable Node partialMigrationSource() {
    return partialMigrationSource;
  }

  @WrittenBy({"unpack", "assignment", "actions"})
  public final void setPartialMigrationSource(@Nullable Node partialMigrationSource) {
    this.partialMigrationSource = partialMigrationSource;
  }

  public final @Nullable Node partialMigrationTarget() {
    return partialMigrationTarget;
  }

  @WrittenBy({"unpack", "assignment", "actions"})
  public final void setPartialMigrationTarget(@Nullable Node partialMigrationTarget) {
    this.partialMigrationTarget = partialMigrationTarget;
  }

  /// Nodes that need a stop after a migration away from them was never finished.
  @WrittenBy("unpack")
  public final List<Node> danglingMigrationSources() {
    return danglingMigrationSources;
  }

  /// A node that is not there, and may have what was, or may have been, migrated to it live; null if there is none.
  public final @Nullable Node lostMigrationTarget() {
    return lostMigrationTarget;
  }

  /// Sets [#lostMigrationTarget()].
  @WrittenBy("unpack")
  public final void setLostMigrationTarget(Node target) {
    lostMigrationTarget = target;
  }

  /// The node that it is being moved to live, where nobody knows yet what has come of that; null if it is not being moved.
  public final @Nullable Node migratingTo() {
    return migratingTo;
  }

  /// Sets [#migratingTo()].
  @WrittenBy("unpack")
  public final void setMigratingTo(@Nullable Node target) {
    migratingTo = target;
  }

  /// Colocations of others with this one, and of this one with others, itself named in them.
  public final List<Colocation> withThis() {
    return withThis;
  }

  public final List<Colocation> thisWith() {
    return thisWith;
  }

  @WrittenBy("constraints")
  public final List<Location> locations() {
    return locations;
  }

  @WrittenBy("constraints")
  public final List<TicketConstraint> tickets() {
    return tickets;
  }

  /// Instance attributes per node name ("" for no node), evaluated when first asked for.
  public final Map<String, Map<String, String>> parameterCache() {
    return parameterCache;
  }
}
