package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node of the cluster: what all tables of scored nodes share about it.
///
/// Two references are to the same node exactly if they are the same object.
public final class Node {
  /// Number of the node in order of creation, by which tables find it.
  public final int index;

  /// The id of the cluster layer, or the name for a remote or guest node.
  public final String id;

  public final String name;

  /// Whether this is a remote, guest or bundle node rather than a member of the cluster layer.
  public boolean remoteKind;

  /// The score of the node itself (from its `score` attribute), the base of every table.
  public int score;

  /// The base of every table, too: whether resources may be looked for here.
  public ProbeMode probeMode = ProbeMode.ALWAYS;

  /// Flags of this node alone; see [#is].
  public final EnumSet<NodeFlag> flags = EnumSet.noneOf(NodeFlag.class);

  public boolean online;
  public boolean pending;
  public boolean unclean;
  public boolean shutdown;
  public boolean maintenance;

  /// Node attributes, permanent and transient, `#uname` and its kin included.
  public final Map<String, String> attributes = new LinkedHashMap<>();

  public final Map<String, String> utilization = new LinkedHashMap<>();

  /// Primitives active here according to the history, in the order found.
  public final List<Resource> running = new ArrayList<>();

  /// Counter of resources here, kept by the passes.
  public int resourceCount;

  /// Primitives assigned here by this run.
  public final List<Resource> assigned = new ArrayList<>();

  /// Sum of the priorities of what is active here, for `priority-fencing-delay`.
  public int priority;

  /// The connection of a remote, guest or bundle node.
  public @Nullable Resource remote;

  /// Digests already calculated for this node, by operation key.
  public final Map<String, OpDigests> digests = new LinkedHashMap<>();

  public Node(int index, String id, String name) {
    this.index = index;
    this.id = id;
    this.name = name;
  }

  public boolean is(NodeFlag flag) {
    return flags.contains(flag);
  }

  public void set(NodeFlag flag) {
    flags.add(flag);
  }

  public void clear(NodeFlag flag) {
    flags.remove(flag);
  }

  /// A remote node: reached through a connection that no guest or container launches.
  public boolean isRemote() {
    return remoteKind && (remote == null || remote.launcher == null);
  }

  /// A guest or bundle node.
  public boolean isGuest() {
    return remoteKind && remote != null && remote.launcher != null;
  }

  public boolean isBundleNode() {
    return isGuest() && remote != null && remote.isBundled();
  }

  @Override
  public String toString() {
    return name;
  }
}
