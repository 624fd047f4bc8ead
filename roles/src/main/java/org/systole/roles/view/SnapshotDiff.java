package org.systole.roles.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.roles.data.Json;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.Snapshot;

/// What one snapshot wants otherwise than another one. States and what jigs gave back are not
/// looked at: nobody wanted them.
public final class SnapshotDiff {
  /// @param subject a noderole, or a role with the snapshot's data for it
  /// @param pointer where in the data, or `rests on`, or empty for the whole
  /// @param before null if it is new
  /// @param after null if it is gone
  public record Change(
      String subject, String pointer, @Nullable String before, @Nullable String after) {
    @Override
    public String toString() {
      if (pointer.isEmpty()) {
        return (before == null ? "+ " : "- ") + subject;
      }
      return "  %s %s: %s -> %s"
          .formatted(
              subject, pointer, before == null ? "none" : before, after == null ? "none" : after);
    }
  }

  private final List<Change> changes = new ArrayList<>();

  private SnapshotDiff() {}

  public static List<Change> between(Snapshot before, Snapshot after) {
    var diff = new SnapshotDiff();
    diff.defaults(before.deploymentRoles(), after.deploymentRoles());
    diff.bound(before.nodeRoles(), after.nodeRoles());
    return diff.changes;
  }

  private void defaults(Map<RoleId, Json.Obj> before, Map<RoleId, Json.Obj> after) {
    var all = new TreeSet<>(before.keySet());
    all.addAll(after.keySet());
    for (var role : all) {
      data(
          "role " + role,
          "",
          before.getOrDefault(role, Json.Obj.EMPTY),
          after.getOrDefault(role, Json.Obj.EMPTY));
    }
  }

  private void bound(Map<NodeRoleId, NodeRole> before, Map<NodeRoleId, NodeRole> after) {
    var all = new TreeSet<>(before.keySet());
    all.addAll(after.keySet());
    for (var id : all) {
      var old = before.get(id);
      var now = after.get(id);
      var name = id.toString();
      if (old == null || now == null) {
        changes.add(
            new Change(name, "", old == null ? null : "bound", now == null ? null : "bound"));
        continue;
      }
      if (!old.parents().equals(now.parents())) {
        changes.add(
            new Change(name, "rests on", old.parents().toString(), now.parents().toString()));
      }
      data(name, "", old.user(), now.user());
    }
  }

  private void data(String subject, String pointer, @Nullable Json before, @Nullable Json after) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (before instanceof Json.Obj(var old) && after instanceof Json.Obj(var now)) {
      var names = new TreeSet<>(old.keySet());
      names.addAll(now.keySet());
      for (var name : names) {
        data(subject, pointer + "/" + name, old.get(name), now.get(name));
      }
      return;
    }
    changes.add(
        new Change(
            subject,
            pointer,
            before == null ? null : before.toString(),
            after == null ? null : after.toString()));
  }
}
