package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.output.Product;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// What the DC writes into the CIB of what it knows: the nodes' states, the quorum, and in the
/// configuration what only a running cluster can tell. Nothing is written before the CIB is this
/// node's to give out.
final class DcRecords {
  private static final Duration QUORUM_GAINED_DELAY = Duration.ofSeconds(5);
  private static final Duration CORRECTION_DELAY = Duration.ofMillis(250);
  private static final String SYSTEM = "do_state_transition";
  private static final String VERSION = Product.COMPATIBLE_VERSION + "-systole";

  private final World world;
  private final Controller controller;
  private final Joins joins;
  private World.@Nullable Timer correction;
  private boolean open;
  private boolean quorate;

  DcRecords(World world, Controller controller, Joins joins) {
    this.world = world;
    this.controller = controller;
    this.joins = joins;
  }

  /// Whether the CIB is this node's to give out.
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

  /// Also for a node that only left the membership after its controller had gone.
  void recordNode(int node, String origin) {
    if (!open) {
      return;
    }
    var state = controller.book().state(node, joins.isMember(node), origin, known(node));
    if (state != null) {
      write(List.of(CibOp.put("status", state)), () -> {});
    }
  }

  /// A member that the CIB does not know to be one.
  void recordNodeIfNew(int node) {
    var state = known(node);
    if (state == null || "0".equals(state.get("in_ccm", "0"))) {
      recordNode(node, "post_cache_update");
    }
  }

  /// Whether the CIB says that it is to end, or has.
  boolean isRecordedDown(int node) {
    var state = known(node);
    return state != null && "down".equals(state.get("expected"));
  }

  /// The `node_state` that the CIB has of a node.
  @Nullable Element known(int node) {
    var cib = controller.cib().cib();
    var status = cib == null ? null : cib.first("status");
    return status == null ? null : status.first("node_state", String.valueOf(node));
  }

  /// What a former DC had under way may be carried out after this one has recorded the nodes, and
  /// would stand.
  void correctNodes() {
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

  private List<Integer> misrecorded() {
    return controller.book().ids().stream().filter(this::isMisrecorded).toList();
  }

  private boolean isMisrecorded(int node) {
    var state = known(node);
    if (state == null) {
      return false;
    }
    var book = controller.book();
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
    for (var node : controller.book().ids()) {
      var state = controller.book().state(node, joins.isMember(node), SYSTEM, known(node));
      if (state != null) {
        changes.add(CibOp.put("status", state));
      }
    }
    if (!changes.isEmpty()) {
      write(changes, () -> {});
    }
  }

  /// Writes what this node knows as the DC: nothing of it may be made once there is a later DC.
  void write(List<CibOp> changes, Runnable done) {
    controller.cib().writeAsDc(changes, controller.epoch(), _ -> done.run());
  }

  /// Writes that this DC is about to end in good order.
  void recordLeaving(Runnable done) {
    recordExpected(
        Element.of(
            "node_state",
            "id",
            controller.nodeId(),
            "uname",
            controller.nodeName(),
            "crm-debug-origin",
            "do_dc_release",
            "join",
            "down",
            "expected",
            "down"),
        done);
  }

  /// Writes that a node is to end, so that nobody takes it for lost, whoever is DC by then.
  void recordExpectedDown(int node, Runnable done) {
    controller.book().expect(node, "down");
    recordExpected(
        Element.of(
            "node_state",
            "id",
            String.valueOf(node),
            "uname",
            controller.book().name(node),
            "expected",
            "down"),
        done);
  }

  private void recordExpected(Element state, Runnable done) {
    controller.cib().write(List.of(CibOp.put("status", state)), _ -> done.run());
  }

  /// Brings the configuration up to date with what only a running cluster knows. Without quorum it
  /// is left alone.
  private void recordCluster() {
    var now = controller.cib().cib();
    if (!controller.quorate() || now == null) {
      return;
    }
    var changes = new ArrayList<CibOp>();
    for (var node : controller.book().ids()) {
      if (controller.book().isConfigured(node)) {
        configure(node, now, changes);
      }
    }
    var set = Element.builder("cluster_property_set").attr("id", "cib-bootstrap-options");
    property(set, "have-watchdog", "false");
    property(set, "dc-version", VERSION);
    property(set, "cluster-infrastructure", "corosync");
    if (!controller.clusterName().isEmpty() && controller.options().clusterName().isEmpty()) {
      property(set, "cluster-name", controller.clusterName());
    }
    var properties = set.build();
    if (!hasAll(now, properties)) {
      changes.add(CibOp.put("crm_config", properties));
    }
    if (!changes.isEmpty()) {
      controller.cib().write(changes, _ -> {});
    }
  }

  /// Puts back what a replaced configuration left out.
  void restoreCluster() {
    if (open) {
      recordCluster();
    }
  }

  private void configure(int node, Element cib, List<CibOp> changes) {
    var nodes = cib.path("configuration", "nodes");
    var entry = nodes == null ? null : nodes.first("node", String.valueOf(node));
    if (entry == null || !controller.book().name(node).equals(entry.get("uname"))) {
      changes.add(CibOp.put("nodes", controller.book().configurationEntry(node)));
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
    var now = controller.quorate();
    if (!open || (now == quorate && !always)) {
      return;
    }
    var changed = now != quorate;
    quorate = now;
    if (changed) {
      recordCluster();
    }
    write(
        List.of(CibOp.modifyRoot("have-quorum", now ? "1" : "0", "dc-uuid", controller.nodeId())),
        () -> {});
    if (!changed || always) {
      return;
    }
    if (now) {
      // the nodes that bring the quorum may be followed by others at once
      world.after(
          QUORUM_GAINED_DELAY,
          () ->
              controller
                  .engine()
                  .abort(
                      TransitionEngine.INFINITY,
                      TransitionEngine.Completion.RESTART,
                      "Quorum gained"));
    } else {
      controller
          .engine()
          .abort(TransitionEngine.INFINITY, TransitionEngine.Completion.RESTART, "Quorum lost");
    }
  }
}
