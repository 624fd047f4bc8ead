package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;

/// A node of the cluster: what all tables of scored nodes share about it.
///
/// Two references are to the same node exactly if they are the same object.
public final class Node {
  private final int index;

  private final String id;

  private final String name;

  private boolean remoteKind;

  private int score;

  private ProbeMode probeMode = ProbeMode.ALWAYS;

  private final EnumSet<NodeFlag> flags = EnumSet.noneOf(NodeFlag.class);

  private boolean online;
  private boolean pending;
  private boolean unclean;
  private boolean shutdown;
  private boolean maintenance;

  private final Map<String, String> attributes = new LinkedHashMap<>();

  private final Map<String, String> utilization = new LinkedHashMap<>();

  private final List<Resource> running = new ArrayList<>();

  private int resourceCount;

  private final List<Resource> assigned = new ArrayList<>();

  private int priority;

  private @Nullable Resource remote;

  private @Nullable HostStatus host;

  private long fencedAt;

  private long connectionFailedAt;

  private final Map<String, OpDigests> digests = new LinkedHashMap<>();

  public Node(int index, String id, String name) {
    this.index = index;
    this.id = id;
    this.name = name;
  }

  public boolean is(NodeFlag flag) {
    return flags.contains(flag);
  }

  @WrittenBy({"operations", "unpack", "assignment"})
  public void set(NodeFlag flag) {
    flags.add(flag);
  }

  @WrittenBy({"operations", "unpack"})
  public void clear(NodeFlag flag) {
    flags.remove(flag);
  }

  /// A remote node: reached through a connection that no guest or container launches.
  public boolean isRemote() {
    return remoteKind && (remote == null || remote.launcher() == null);
  }

  /// Whether it is a host that nothing can be asked of before its connection, which nobody holds to have failed, is there.
  public boolean isAway() {
    return is(NodeFlag.HOST_AWAY) && (remote == null || !remote.is(ResourceFlag.FAILED));
  }

  /// A guest or bundle node.
  public boolean isGuest() {
    return remoteKind && remote != null && remote.launcher() != null;
  }

  public boolean isBundleNode() {
    return isGuest() && remote != null && remote.isBundled();
  }

  @Override
  public String toString() {
    return name;
  }

  /// Number of the node in order of creation, by which tables find it.
  public int index() {
    return index;
  }

  /// The id of the cluster layer, or the name for a remote or guest node.
  public String id() {
    return id;
  }

  public String name() {
    return name;
  }

  /// Whether this is a remote, guest or bundle node rather than a member of the cluster layer.
  public boolean remoteKind() {
    return remoteKind;
  }

  @WrittenBy("unpack")
  public void setRemoteKind(boolean remoteKind) {
    this.remoteKind = remoteKind;
  }

  /// The score of the node itself (from its `score` attribute), the base of every table.
  public int score() {
    return score;
  }

  @WrittenBy("unpack")
  public void setScore(int score) {
    this.score = score;
  }

  /// The base of every table, too: whether resources may be looked for here.
  public ProbeMode probeMode() {
    return probeMode;
  }

  @WrittenBy("unpack")
  public void setProbeMode(ProbeMode probeMode) {
    this.probeMode = probeMode;
  }

  /// Flags of this node alone; see [#is].
  public EnumSet<NodeFlag> flags() {
    return flags;
  }

  public boolean online() {
    return online;
  }

  @WrittenBy({"unpack", "assignment"})
  public void setOnline(boolean online) {
    this.online = online;
  }

  public boolean pending() {
    return pending;
  }

  @WrittenBy("unpack")
  public void setPending(boolean pending) {
    this.pending = pending;
  }

  public boolean unclean() {
    return unclean;
  }

  @WrittenBy({"operations", "unpack", "assignment"})
  public void setUnclean(boolean unclean) {
    this.unclean = unclean;
  }

  public boolean shutdown() {
    return shutdown;
  }

  @WrittenBy({"unpack", "actions", "assignment"}) // actions: of a remote node that is to be reached elsewhere
  public void setShutdown(boolean shutdown) {
    this.shutdown = shutdown;
  }

  /// How host HA has it; null if that does not look after it.
  public @Nullable HostStatus host() {
    return host;
  }

  @WrittenBy("unpack")
  public void setHost(@Nullable HostStatus host) {
    this.host = host;
  }

  /// When a remote node was fenced, in seconds since the epoch; 0 unless it was since the cluster was last connected to it.
  @WrittenBy("unpack")
  public void setFencedAt(long fencedAt) {
    this.fencedAt = fencedAt;
  }

  /// Notes that an operation of a remote node's connection failed at this second; the last one counts.
  @WrittenBy("unpack")
  public void noteConnectionFailure(long second) {
    connectionFailedAt = Math.max(connectionFailedAt, second);
  }

  /// Whether the node was fenced for all that its connection has failed of. Both are whole seconds: of one and the same the
  /// failure is held for the earlier, as no attempt after a fencing fails so fast.
  public boolean isFencedForItsConnection() {
    return connectionFailedAt > 0 && connectionFailedAt <= fencedAt;
  }

  public boolean maintenance() {
    return maintenance;
  }

  @WrittenBy("unpack")
  public void setMaintenance(boolean maintenance) {
    this.maintenance = maintenance;
  }

  /// Node attributes, permanent and transient, `#uname` and its kin included.
  @WrittenBy("unpack")
  public Map<String, String> attributes() {
    return attributes;
  }

  public Map<String, String> utilization() {
    return utilization;
  }

  /// Primitives active here according to the history, in the order found.
  @WrittenBy({"unpack", "assignment"})
  public List<Resource> running() {
    return running;
  }

  /// Counter of resources here, kept by the passes.
  public int resourceCount() {
    return resourceCount;
  }

  @WrittenBy("assignment")
  public void setResourceCount(int resourceCount) {
    this.resourceCount = resourceCount;
  }

  /// Primitives assigned here by this run.
  @WrittenBy("assignment")
  public List<Resource> assigned() {
    return assigned;
  }

  /// Sum of the priorities of what is active here, for `priority-fencing-delay`.
  public int priority() {
    return priority;
  }

  @WrittenBy("unpack")
  public void setPriority(int priority) {
    this.priority = priority;
  }

  /// The connection of a remote, guest or bundle node.
  @WrittenBy("operations")
  public @Nullable Resource remote() {
    return remote;
  }

  @WrittenBy("unpack")
  public void setRemote(@Nullable Resource remote) {
    this.remote = remote;
  }

  /// Digests already calculated for this node, by operation key.
  @WrittenBy("operations")
  public Map<String, OpDigests> digests() {
    return digests;
  }
}
