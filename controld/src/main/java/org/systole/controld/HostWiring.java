package org.systole.controld;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.Levels;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.hosts.HostHa;
import org.systole.controld.hosts.PowerReader;
import org.systole.controld.remote.AgentRuns;
import org.systole.controld.remote.HostRequests;

/// What host HA needs of the rest. Its parts are made when they are first needed: most clusters do not
/// use it.
final class HostWiring extends Wiring implements HostHa.Host {
  private @Nullable HostHa dc;
  private @Nullable AgentRuns runs;
  private @Nullable HostRequests requests;
  private @Nullable PowerReader powers;

  HostWiring(World world, Controller it) {
    super(world, it);
  }

  /// The DC's part.
  HostHa dc() {
    var made = dc;
    if (made == null) {
      made = new HostHa(world, this);
      dc = made;
    }
    return made;
  }

  /// This node is DC no more.
  void release() {
    if (dc != null) {
      dc.release();
    }
  }

  /// The part of a member that has connections to hosts.
  HostRequests requests() {
    var made = requests;
    if (made == null) {
      var agents = new AgentRuns(world);
      runs = agents;
      made = new HostRequests(world, it.remote, it.connections, agents);
      requests = made;
    }
    return made;
  }

  /// Whether a host is being asked over a connection of its own.
  boolean isVisited(NodeName node) {
    return requests != null && requests.isVisiting(node);
  }

  /// Takes a result that is that of an agent's single run.
  ///
  /// @param node that tells it
  /// @return whether it is
  boolean tookResult(NodeName node, OperationResult result) {
    return runs != null && runs.took(node, result);
  }

  @Override
  public @Nullable Element cib() {
    return it.cib.cib();
  }

  @Override
  public long epoch() {
    return it.watch.epoch();
  }

  @Override
  public long membershipNumber() {
    return it.members.membershipNumber();
  }

  @Override
  public boolean knowHostHa() {
    return it.peers.speaks(Levels.HOST_HA);
  }

  @Override
  public boolean knowPowerReads() {
    return it.peers.speaks(Levels.HOST_POWER);
  }

  @Override
  public boolean knowQuorumWanted() {
    return it.peers.speaks(Levels.QUORUM_WANTED);
  }

  /// The part of a member that reads the power of hosts for the DC.
  PowerReader powers() {
    var made = powers;
    if (made == null) {
      made = PowerReader.connected(world);
      powers = made;
    }
    return made;
  }

  @Override
  public boolean hasQuorum() {
    return it.members.quorate();
  }

  @Override
  public boolean isInMaintenance() {
    return it.options.isTrue("maintenance-mode");
  }

  @Override
  public void writeAsDc(List<CibOp> changes, Consumer<Boolean> done) {
    it.cib.writeAsDc(changes, it.watch.epoch(), done);
  }

  @Override
  public void forgetAttributes(NodeName node) {
    it.attributes.removeNode(node, true);
  }

  @Override
  public void alert(@Nullable NodeName host, String text) {
    it.alerts.host(host, text);
  }
}
