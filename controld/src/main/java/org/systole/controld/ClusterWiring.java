package org.systole.controld;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.dc.Admissions;
import org.systole.controld.dc.Dc;
import org.systole.controld.dc.DcRecords;
import org.systole.controld.dc.JoinClient;
import org.systole.controld.dc.Members;
import org.systole.controld.dc.Planner;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.operations.HistoryXml;

/// What the parts that elect a DC, let nodes join and let them leave need of the rest.
final class ClusterWiring extends Wiring
    implements Election.Host,
        DcWatch.Host,
        Admissions.Host,
        DcRecords.Host,
        Dc.Host,
        Planner.Host,
        Members.Host,
        JoinClient.Host,
        Leaving.Host {
  ClusterWiring(World world, Controller it) {
    super(world, it);
  }

  @Override
  public void broadcast(PeerMessage message) {
    it.peers.broadcast(message);
  }

  @Override
  public boolean allConfiguredOnline() {
    return it.book.allConfiguredOnline();
  }

  @Override
  public boolean quorate() {
    return it.members.quorate();
  }

  @Override
  public boolean hasLostQuorum() {
    return it.members.hasLostQuorum();
  }

  @Override
  public boolean isQuorumDue() {
    return it.members.isQuorumDue();
  }

  @Override
  public void quorumDecided() {
    it.planner.planning().retry();
  }

  @Override
  public boolean knowsRoles() {
    return it.roles.mayPlan();
  }

  @Override
  public Element withRoles(Element cib) {
    return it.roles.inPlan(cib);
  }

  @Override
  public long membershipNumber() {
    return it.members.membershipNumber();
  }

  @Override
  public Election.Claim claim() {
    return new Election.Claim(
        Product.FEATURE_SET, it.members.bornOn(), it.leaving.isWanted(), nodeName());
  }

  @Override
  public void forgetAttributes(NodeName node) {
    it.attributes.removeNode(node, true);
  }

  @Override
  public long highestEpoch() {
    return it.watch.highestEpoch();
  }

  @Override
  public Duration integrationTimeout() {
    return it.options.integrationTimeout();
  }

  @Override
  public Duration finalizationTimeout() {
    return it.options.finalizationTimeout();
  }

  @Override
  public Duration recheckInterval() {
    return it.options.recheckInterval();
  }

  @Override
  public boolean isAdmitted(NodeId node) {
    return it.admissions.has(node);
  }

  @Override
  public Map<NodeId, NodeName> memberNames() {
    var names = new TreeMap<NodeId, NodeName>();
    for (var id : it.book.ids()) {
      if (it.book.isMember(id)) {
        names.put(id, it.book.name(id));
      }
    }
    return names;
  }

  @Override
  public boolean fences() {
    return it.options.fencing();
  }

  @Override
  public boolean shutdownLock() {
    return it.options.shutdownLock();
  }

  @Override
  public String configuredClusterName() {
    return it.options.clusterName();
  }

  @Override
  public boolean hasWatchdog() {
    return it.hasWatchdog;
  }

  @Override
  public Duration dcDeadtime() {
    return it.options.dcDeadtime();
  }

  @Override
  public void seeking(NodeId node) {
    it.dc.announced(node);
  }

  @Override
  public long epoch() {
    return it.watch.epoch();
  }

  @Override
  public void alert(NodeId node, NodeName name, String what) {
    it.alerts.node(name, node, what);
  }

  @Override
  public void controllersCame(List<NodeId> nodes) {
    nodes.forEach(node -> it.fencing.appeared(it.book.name(node)));
    if (it.governs()) {
      broadcast(new PeerMessage.Heartbeat(epoch()));
    }
    it.remote.came(nodes);
    it.load.repeat();
  }

  @Override
  public void controllerGone(NodeId node, NodeName name) {
    it.throttle.forget(name);
  }

  @Override
  public void changed() {
    it.roles.membersChanged();
    it.checkReady();
  }

  @Override
  public void joinDone() {
    it.fencing.tookOver();
    it.hosts.dc().tookOver();
    it.roles.joined();
  }

  @Override
  public List<NodeId> joined() {
    if (isDc()) {
      return it.dc.joined();
    }
    return state() == State.NOT_DC ? List.of(it.self.localId()) : List.of();
  }

  @Override
  public boolean freezes() {
    return it.options.freezes();
  }

  @Override
  public Element resources() {
    var state = it.remote.nodeState();
    var lrm = state.first("lrm");
    return lrm != null && it.leftRunning.isLost(it.operations.runner().knownResources())
        ? state.replace(state.indexOf(lrm), HistoryXml.lost(lrm))
        : state;
  }

  @Override
  public void start(Runnable then) {
    it.leftRunning.whenKept(
        () ->
            it.startState.apply(
                () -> it.connections.beforeJoining(it.remote.activeResources(), then)));
  }

  @Override
  public boolean isLeaving() {
    return it.leaving.isWanted();
  }

  @Override
  public void tellFeatureSet() {
    setAttribute(Product.FEATURE_SET_ATTRIBUTE, nodeName(), Product.FEATURE_SET);
  }

  @Override
  public void stay() {
    if (it.leaving.wasWanted()) {
      setAttribute("shutdown", nodeName(), "0");
    }
  }

  @Override
  public boolean knowsResources() {
    return it.neighbours.isThere(Neighbours.EXECUTOR);
  }

  @Override
  public List<ResourceId> activeResources() {
    return it.remote.activeResources();
  }

  @Override
  public boolean isUnsure() {
    return it.leftRunning.isUnsure();
  }

  @Override
  public void keepLeftRunning(Runnable done) {
    it.leftRunning.leave(it.operations.runner().leftRunning(), done);
  }

  @Override
  public void recordLeaving(Runnable done) {
    it.records.recordLeaving(done);
  }

  @Override
  public @Nullable Element cib() {
    return it.cib.cib();
  }
}
