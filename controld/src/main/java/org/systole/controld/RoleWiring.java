package org.systole.controld;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.Levels;
import org.systole.common.options.NodeMaintenance;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.roles.RoleDirector;
import org.systole.controld.transition.TransitionEngine;

/// What the DC's work on the cluster's roles needs of the rest.
final class RoleWiring extends Wiring implements RoleDirector.Host {
  private static final String ATTRIBUTE = "#role-";

  RoleWiring(World world, Controller it) {
    super(world, it);
  }

  @Override
  public boolean governs() {
    return it.governs();
  }

  @Override
  public long epoch() {
    return it.watch.epoch();
  }

  @Override
  public List<NodeId> joined() {
    return it.dc.joined();
  }

  @Override
  public boolean knowsChecks() {
    return it.peers.speaks(Levels.ROLE_CHECKS);
  }

  @Override
  public boolean knowsEnding() {
    return it.peers.speaks(Levels.RUNS_ENDED);
  }

  @Override
  public long stay(NodeName node) {
    var id = it.book.id(node);
    return id == null ? 0 : it.book.sinceNumber(id);
  }

  @Override
  public boolean isLeftAlone(NodeName node) {
    var cib = it.cib.cib();
    return it.options.maintenanceMode() || cib == null || isInMaintenance(cib, node, now());
  }

  @Override
  public List<String> gate() {
    return it.options.joinGateRoles();
  }

  private IsoTime now() {
    return IsoTime.of(world.now(), world.zone());
  }

  static boolean isInMaintenance(Element cib, NodeName node, IsoTime now) {
    return NodeMaintenance.isOn(cib, node, now);
  }

  boolean isLeftAlone(NodeId node) {
    return isLeftAlone(it.book.name(node));
  }

  /// The CIB is another one. What the status says of maintenance is no part of the configuration.
  void cibChanged(Element before, Element after) {
    if (it.governs() && changesMaintenance(before, after, now())) {
      it.roles.membersChanged();
    }
  }

  /// Whether a node has come into maintenance, or out of it, by its attributes in the status.
  static boolean changesMaintenance(Element before, Element after, IsoTime now) {
    var was = before.first("status");
    var is = after.first("status");
    if (is == null || was == is) {
      return false; // what did not change is the same object
    }
    for (var at = 0; at < is.childCount(); at++) {
      var state = is.children().get(at);
      if (was != null && at < was.childCount() && attributes(was.children().get(at)) == attributes(state)) {
        continue;
      }
      var node = NodeName.of(state.get("uname"));
      if (node != null && isInMaintenance(before, node, now) != isInMaintenance(after, node, now)) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable Element attributes(Element state) {
    return state.first("transient_attributes");
  }

  @Override
  public void alert(NodeName node, String role, String state, String text) {
    it.alerts.role(node, it.book.id(node), Map.of("role", role, "role_state", state), text);
  }

  @Override
  public SortedMap<NodeName, SortedMap<String, String>> roleAttributes() {
    var all = new TreeMap<NodeName, SortedMap<String, String>>();
    var cib = it.cib.cib();
    var status = cib == null ? null : cib.first("status");
    if (status != null) {
      for (var state : status.children("node_state")) {
        var node = NodeName.of(state.get("uname"));
        var attributes = state.first("transient_attributes");
        if (node != null && attributes != null) {
          for (var set : attributes.children("instance_attributes")) {
            for (var pair : set.children("nvpair")) {
              var name = pair.get("name", "");
              if (name.startsWith(ATTRIBUTE)) {
                all.computeIfAbsent(node, _ -> new TreeMap<>()).put(name, pair.get("value", ""));
              }
            }
          }
        }
      }
    }
    return all;
  }

  @Override
  public void readRoles(long known, Consumer<CibMessage.Answer> done) {
    it.cib.roles(known, done);
  }

  @Override
  public void changeRoles(Element request, Duration timeout, Consumer<CibMessage.Answer> done) {
    it.cib.changeRoles(CibOp.roles(request), epoch(), timeout, done);
  }

  @Override
  public void mayPlan() {
    it.planner.planning().retry();
  }

  @Override
  public void planAgain(String why) {
    it.engine.abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, why);
  }
}
