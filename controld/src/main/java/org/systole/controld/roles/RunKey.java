package org.systole.controld.roles;

import org.jspecify.annotations.Nullable;
import org.systole.roles.model.NodeRoleId;

/// A run of a noderole's jig.
record RunKey(NodeRoleId id, int run) implements Comparable<RunKey> {
  static @Nullable RunKey of(String noderole, int run) {
    var id = NodeRoleId.of(noderole);
    return id == null ? null : new RunKey(id, run);
  }

  @Override
  public int compareTo(RunKey other) {
    var order = id.compareTo(other.id);
    return order != 0 ? order : Integer.compare(run, other.run);
  }
}
