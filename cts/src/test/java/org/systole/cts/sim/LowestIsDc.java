package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// Stands for the controller: the node with the lowest id is the DC.
final class LowestIsDc
    implements GroupClient.Listener, RpcClient.Listener<CibMessage.Event> {
  private final GroupClient group;
  private final CibClient cib;
  private @Nullable NodeId localId;
  private long epoch;
  private List<NodeId> present = List.of();

  LowestIsDc(World world) {
    group = new GroupClient(world, "controld", this);
    cib = new CibClient(world, "crmd", this);
    group.open();
    cib.open();
  }

  private void appoint() {
    if (!cib.isConnected() || present.isEmpty()) {
      return;
    }
    if (present.getFirst().equals(localId)) {
      cib.setPrimary(epoch, Duration.ofSeconds(60), _ -> {});
    } else {
      cib.setSecondary(Duration.ofSeconds(60), _ -> {});
    }
  }

  @Override
  public void connected() {
    appoint();
  }

  @Override
  public void joined(LinkMessage.Joined welcome) {
    localId = new NodeId(welcome.localId().number());
  }

  @Override
  public void configured(List<LinkMessage.ConfiguredNode> nodes) {}

  @Override
  public void membership(Membership membership) {
    epoch = membership.number();
  }

  @Override
  public void group(List<NodeId> nodeIds) {
    var dcBefore = present.isEmpty() ? null : present.getFirst();
    present = nodeIds;
    if (!present.isEmpty() && !present.getFirst().equals(dcBefore)) {
      appoint();
    }
  }

  @Override
  public void message(NodeId fromId, boolean broadcast, byte[] payload) {}

  @Override
  public void lost(String why) {}
}
