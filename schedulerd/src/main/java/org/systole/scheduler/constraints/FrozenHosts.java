package org.systole.scheduler.constraints;

import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.WorkingSet;

/// Remote nodes of a side without quorum whose policy is to freeze: nothing is brought to them that does not run there.
///
/// A side with quorum has the members of this one fenced before it starts what they run. A remote node it only connects to, as soon as the
/// member that had the connection is fenced. Of what was moved there meanwhile it knows nothing, and would start it a second time. Pacemaker moves
/// it. A guest goes down with its machine's member.
public final class FrozenHosts {
  /// What stands for the id of a constraint.
  public static final String SOURCE = "without quorum nothing is brought to a remote node (no-quorum-policy=freeze)";

  private FrozenHosts() {}

  /// Bans what is not there already from remote nodes, if there is no quorum.
  public static void apply(WorkingSet cluster) {
    if (cluster.is(ClusterFlag.QUORATE) || cluster.noQuorumPolicy() != NoQuorumPolicy.FREEZE) {
      return;
    }
    for (var node : cluster.nodes()) {
      if (node.isRemote()) {
        cluster.resources().forEach(it -> JoinGate.ban(SOURCE, it, node));
      }
    }
  }
}
