package org.systole.roles.view;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotState;

/// The noderoles that count now: those of the committed snapshots.
public final class LiveRoles {
  private final RolesDocument document;
  private final SortedMap<NodeRoleId, NodeRole> live = new TreeMap<>();
  private final List<Snapshot> committed = new ArrayList<>();

  public LiveRoles(RolesDocument document) {
    this.document = document;
    for (var snapshot : document.snapshots().values()) {
      if (snapshot.state() == SnapshotState.COMMITTED) {
        live.putAll(snapshot.nodeRoles());
        committed.add(snapshot);
      }
    }
  }

  public RolesDocument document() {
    return document;
  }

  public SortedMap<NodeRoleId, NodeRole> all() {
    return live;
  }

  public @Nullable NodeRole get(NodeRoleId id) {
    return live.get(id);
  }

  /// The snapshot that a noderole is in.
  public @Nullable Snapshot snapshot(NodeRoleId id) {
    for (var snapshot : committed) {
      if (snapshot.nodeRoles().containsKey(id)) {
        return snapshot;
      }
    }
    return null;
  }
}
