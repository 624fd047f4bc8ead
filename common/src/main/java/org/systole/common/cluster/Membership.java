package org.systole.common.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// Who is in the cluster, as every member agreed; not what a transport happens to believe.
///
/// @param number rises with every membership; the same number means the same members everywhere
/// @param members sorted by id
/// @param quorate whether these members may act for the whole cluster. This node's own view of it:
///     it turns false without a new number when the lease behind it lapses
public record Membership(long number, List<Member> members, boolean quorate) {
  public Membership {
    members = List.copyOf(members);
  }

  public @Nullable Member byId(NodeId id) {
    for (var member : members) {
      if (member.id().equals(id)) {
        return member;
      }
    }
    return null;
  }

  public @Nullable Member byName(NodeName name) {
    for (var member : members) {
      if (member.name().equals(name)) {
        return member;
      }
    }
    return null;
  }
}
