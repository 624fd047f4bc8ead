package org.systole.roles.model;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.systole.roles.data.Json;

/// A role bound to a node.
///
/// @param parents what it rests on: in its own snapshot or in the committed one of a deployment
///     above
/// @param user what people set
/// @param system what the cluster set, mostly in answer to an event
/// @param wall what the jig gave back that it had not been given
/// @param run the number of the jig's last run; without one 0, or what an earlier binding had
/// @param cause why it is in error; empty otherwise
public record NodeRole(
    NodeRoleId id,
    NodeRoleState state,
    SortedSet<NodeRoleId> parents,
    Json.Obj user,
    Json.Obj system,
    Json.Obj wall,
    int run,
    String cause) {
  public NodeRole {
    parents = Collections.unmodifiableSortedSet(new TreeSet<>(parents));
  }

  /// The same in another state.
  public NodeRole in(NodeRoleState now) {
    return new NodeRole(id, now, parents, user, system, wall, run, cause);
  }
}
