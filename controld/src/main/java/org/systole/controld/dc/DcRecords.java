package org.systole.controld.dc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.CibLink;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.remote.JustTaken;
import org.systole.controld.remote.RemoteRecords;
import org.systole.controld.transition.TransitionEngine;

/// What the DC writes into the CIB: the nodes' states, the quorum, and in the configuration what
/// only a running cluster knows. The configuration, the quorum and the states of members are
/// written only once this node's CIB is the primary one.
public final class DcRecords {
  private static final Duration QUORUM_GAINED_DELAY = Duration.ofSeconds(5);
  private static final Duration CORRECTION_DELAY = Duration.ofMillis(250);
  private static final String SYSTEM = "do_state_transition";

  /// What the records need of the controller.
  public interface Host {
    /// Of this node's term as DC.
    long epoch();

    boolean quorate();

    /// Has all transient attributes of a remote node forgotten.
    void forgetAttributes(NodeName node);

    /// The cluster's name in the configuration; empty if it has none.
    String configuredClusterName();

    /// Whether this node's watchdog is armed.
    boolean hasWatchdog();
  }

  private final World world;
  private final Host host;
  private final LinkMessage.Joined self;
  private final NodeBook book;
  private final Joins joins;
  private final CibLink cib;
  private final TransitionEngine engine;
  private World.@Nullable Timer correction;
  private boolean open;
  private boolean quorate;

  public DcRecords(
      World world,
      Host host,
      LinkMessage.Joined self,
      NodeBook book,
      Joins joins,
      CibLink cib,
      TransitionEngine engine) {
    this.world = world;
    this.host = host;
    this.self = self;
    this.book = book;
    this.joins = joins;
    this.cib = cib;
    this.engine = engine;
  }

  /// Whether this node's CIB is the primary one and this DC may write its records.
  boolean isOpen() {
    return open;
  }

  void open() {
    open = true;
    recordCluster();
    recordQuorum(true);
  }

  void close() {
    open = false;
    if (correction != null) {
      correction.cancel();
      correction = null;
    }
  }

  /// Writes a node's state; also for a node that left the membership after its controller had gone.
  void recordNode(NodeId node, String origin) {
    if (!open) {
      return;
    }
    var changes = changes(node, origin);
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  private List<CibOp> changes(NodeId node, String origin) {
    var known = known(node);
    var state = book.state(node, joins.isMember(node), origin, known);
    if (state == null) {
      return List.of();
    }
    var changes = new ArrayList<CibOp>(List.of(CibOp.put("status", state)));
    var handedOver = HandedOver.forget(state, known);
    if (handedOver != null) {
      changes.add(handedOver);
    } else if ("0".equals(state.get("crmd"))) {
      changes.addAll(JustTaken.recorded(cib.cib(), known));
    }
    return changes;
  }

  /// Records a member that the CIB does not have as one.
  void recordNodeIfNew(NodeId node) {
    var state = known(node);
    if (state == null || "0".equals(state.get("in_ccm", "0"))) {
      recordNode(node, "post_cache_update");
    }
  }

  /// Whether the CIB says that the node is expected to go down, or has gone.
  boolean isRecordedDown(NodeId node) {
    var state = known(node);
    return state != null && "down".equals(state.get("expected"));
  }

  /// Whether the CIB says that a node is down and runs nothing; true for a name that is no node.
  public boolean isDownAndClean(NodeName name) {
    var id = book.id(name);
    var called = book.remote(name);
    var remote = called == null ? null : RemoteRecords.state(cib.cib(), called);
    if (remote != null) {
      return RemoteRecords.isDownAndClean(remote);
    }
    var state = id == null ? null : known(id);
    return id == null
        || state != null
            && "down".equals(state.get("expected"))
            && "0".equals(state.get("in_ccm"))
            && "0".equals(state.get("crmd"))
            && state.first("lrm") == null;
  }

  /// Records a fenced node as down. Only for a stay that has ended: if the node is back, its
  /// resources would be started a second time elsewhere. Nor is it written under a later DC, which
  /// may have let the node in.
  public void recordDown(NodeName name) {
    var id = book.id(name);
    var remote = book.remote(name);
    if (remote != null) {
      host.forgetAttributes(remote);
      write(RemoteRecords.fenced(cib.cib(), remote, world.now().getEpochSecond()), () -> {});
      return;
    }
    if (id == null) {
      world.log().warning("Node " + name + " was fenced, but is not a cluster node");
      return;
    }
    book.expect(id, "down");
    var state = "//node_state[@id=%s]".formatted(CibXPath.literal(id.toString()));
    var changes = new ArrayList<>(HalfMoved.lookAgain(cib.cib(), known(id), null));
    changes.add(CibOp.put("status", book.downState(id, "send_stonith_update")));
    changes.add(CibOp.deleteAllXPath(state + "/lrm"));
    changes.add(CibOp.deleteAllXPath(state + "/transient_attributes"));
    write(changes, () -> {});
  }

  /// An executor of a remote node that was asked to end serves nobody anew, and ends with its last connection. Where the
  /// member with that is gone, or has lost it with its controller, the request is over, too: else the node would be held
  /// down for ever.
  void forgetStopsOver() {
    for (var node : RemoteRecords.askedToStop(cib.cib())) {
      var state = RemoteRecords.state(cib.cib(), node);
      var name = state == null ? null : NodeName.of(state.get(RemoteRecords.CONNECTION));
      var member = name == null ? null : book.id(name);
      if (member == null || !book.isOnline(member) || !RemoteRecords.isMadeBy(known(member), node)) {
        world.log().notice("%s was asked to stop, and its connection is gone: that is over".formatted(node));
        host.forgetAttributes(node);
      }
    }
  }

  /// The `node_state` that the CIB has of a node.
  @Nullable Element known(NodeId node) {
    return known(cib.cib(), node);
  }

  private static @Nullable Element known(@Nullable Element now, NodeId node) {
    var status = now == null ? null : now.first("status");
    return status == null ? null : status.first("node_state", String.valueOf(node));
  }

  /// Corrects what a former DC wrote late: its pending changes may be made after this DC has
  /// recorded the nodes.
  public void correctNodes() {
    if (open && correction == null && !misrecorded().isEmpty()) {
      correction =
          world.after(
              CORRECTION_DELAY,
              () -> {
                correction = null;
                misrecorded().forEach(it -> recordNode(it, SYSTEM));
              });
    }
  }

  /// Writes the states of nodes where somebody has deleted them, as crmsh does while it takes a node out of the cluster that
  /// is still in the list. A node without a state was never seen: one that is known to be down would be fenced, and one that
  /// is lost and without its entry would not, though its resources are started elsewhere. At once, for the next plan waits
  /// for what is being written.
  ///
  /// @param before the CIB before its last change
  public void restoreStates(Element before) {
    if (!open) {
      return;
    }
    var changes = new ArrayList<CibOp>();
    for (var node : book.ids()) {
      if (book.isConfigured(node)) {
        changes.addAll(restored(node, known(before, node), known(node)));
      }
    }
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  private List<CibOp> restored(NodeId node, @Nullable Element before, @Nullable Element now) {
    if (book.isKnownDown(node)) {
      return NodeBook.hasState(now) ? List.of() : List.of(CibOp.put("status", book.downState(node, SYSTEM)));
    }
    if (book.isMember(node)) {
      return NodeBook.hasState(now) || !NodeBook.hasState(before) ? List.of() : changes(node, SYSTEM);
    }
    // nobody else takes that back; what this DC wrote of the node meanwhile need not say what is expected of it
    var deleted = before != null && "member".equals(before.get("expected")) && (now == null || now.get("expected") == null);
    return deleted ? List.of(CibOp.put("status", book.absentState(node, SYSTEM, "member"))) : List.of();
  }

  private List<NodeId> misrecorded() {
    return book.ids().stream().filter(this::isMisrecorded).toList();
  }

  private boolean isMisrecorded(NodeId node) {
    var state = known(node);
    if (state == null) {
      return false;
    }
    var online = !"0".equals(state.get("crmd", "0"));
    var member = !"0".equals(state.get("in_ccm", "0"));
    if (book.isOnline(node)) {
      return joins.phase(node) == Joins.Phase.CONFIRMED
          && !(online && member && "member".equals(state.get("join")));
    }
    var given = joins.phase(node) == Joins.Phase.NONE && !book.isMissing(node);
    return given && (online || member && !book.isMember(node));
  }

  void recordNodes() {
    var changes = new ArrayList<CibOp>();
    for (var node : book.ids()) {
      changes.addAll(changes(node, SYSTEM));
    }
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  /// Writes as the DC of this epoch: the changes are refused once there is a later DC.
  void write(List<CibOp> changes, Runnable done) {
    cib.writeAsDc(changes, host.epoch(), _ -> done.run());
  }

  /// Records that this DC is about to leave in good order.
  public void recordLeaving(Runnable done) {
    recordExpected(
        Element.of(
            "node_state",
            "id",
            String.valueOf(self.localId()),
            "uname",
            self.localName().text(),
            "crm-debug-origin",
            "do_dc_release",
            "join",
            "down",
            "expected",
            "down"),
        done);
  }

  /// Records that a node is expected to go down, so that no later DC takes it for lost.
  public void recordExpectedDown(NodeId node, Runnable done) {
    book.expect(node, "down");
    recordExpected(
        Element.of(
            "node_state",
            "id",
            String.valueOf(node),
            "uname",
            book.name(node).text(),
            "expected",
            "down"),
        done);
  }

  private void recordExpected(Element state, Runnable done) {
    cib.write(List.of(CibOp.put("status", state)), _ -> done.run());
  }

  /// Brings the configuration up to date with what only a running cluster knows. Without quorum it
  /// is left alone.
  private void recordCluster() {
    var now = cib.cib();
    if (!host.quorate() || now == null) {
      return;
    }
    var changes = new ArrayList<CibOp>();
    for (var node : book.ids()) {
      if (book.belongsIntoCib(node)) {
        configure(node, now, changes);
      }
    }
    var set = Element.builder("cluster_property_set").attr("id", "cib-bootstrap-options");
    property(set, "have-watchdog", String.valueOf(host.hasWatchdog()));
    property(set, "dc-version", Product.DC_VERSION);
    property(set, "cluster-infrastructure", "corosync");
    if (!self.clusterName().isEmpty() && host.configuredClusterName().isEmpty()) {
      property(set, "cluster-name", self.clusterName());
    }
    var properties = set.build();
    if (!hasAll(now, properties)) {
      changes.add(CibOp.put("crm_config", properties));
    }
    if (!Product.FEATURE_SET.equals(now.get("crm_feature_set"))) {
      changes.add(CibOp.modifyRoot("crm_feature_set", Product.FEATURE_SET));
    }
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  /// Puts back what a replaced configuration lacks.
  public void restoreCluster() {
    if (open) {
      recordCluster();
    }
  }

  private void configure(NodeId node, Element cib, List<CibOp> changes) {
    var nodes = cib.path("configuration", "nodes");
    var entry = nodes == null ? null : nodes.first("node", String.valueOf(node));
    if (entry == null || !book.name(node).text().equals(entry.get("uname"))) {
      changes.add(CibOp.put("nodes", book.configurationEntry(node)));
    }
  }

  private static boolean hasAll(Element cib, Element properties) {
    var options = cib.path("configuration", "crm_config");
    var set =
        options == null ? null : options.first("cluster_property_set", properties.get("id", ""));
    return set != null
        && properties.children().stream()
            .allMatch(it -> it.equals(set.first("nvpair", it.get("id", ""))));
  }

  private static void property(Element.Builder set, String name, String value) {
    set.add(
        Element.of("nvpair", "id", "cib-bootstrap-options-" + name, "name", name, "value", value));
  }

  void recordQuorum(boolean always) {
    var now = host.quorate();
    if (!open || (now == quorate && !always)) {
      return;
    }
    var changed = now != quorate;
    quorate = now;
    if (changed) {
      recordCluster();
    }
    write(
        List.of(
            CibOp.modifyRoot(
                "have-quorum", now ? "1" : "0", "dc-uuid", String.valueOf(self.localId()))),
        () -> {});
    if (!changed || always) {
      return;
    }
    if (now) {
      // the nodes that bring the quorum may be followed by others at once
      world.after(
          QUORUM_GAINED_DELAY,
          () ->
              engine
                  .abort(
                      TransitionEngine.INFINITY,
                      TransitionEngine.Completion.RESTART,
                      "Quorum gained"));
    } else {
      engine.breakOff("Quorum lost");
    }
  }
}
