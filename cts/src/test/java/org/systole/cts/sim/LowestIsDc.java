package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// Stands for the controller: the node with the lowest id is the DC.
final class LowestIsDc
    implements GroupClient.Listener, RpcClient.Listener<CibMessage.Event> {
  private final GroupClient group;
  private final CibClient cib;
  private int localId;
  private long epoch;
  private List<Integer> present = List.of();

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
    if (present.getFirst() == localId) {
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
    localId = welcome.localId();
  }

  @Override
  public void membership(Membership membership) {
    epoch = membership.number();
  }

  @Override
  public void group(List<Integer> nodeIds) {
    var dcBefore = present.isEmpty() ? 0 : present.getFirst();
    present = nodeIds;
    if (!present.isEmpty() && present.getFirst() != dcBefore) {
      appoint();
    }
  }

  @Override
  public void message(int fromId, boolean broadcast, byte[] payload) {}

  @Override
  public void lost(String why) {}
}
