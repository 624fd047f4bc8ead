package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.hosts.HostStatus;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.Bool;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.HistoryXml;

/// The entries of remote nodes in the CIB. A remote node's id is its name.
public final class RemoteRecords {
  private static final String FENCED = "node_fenced";
  private static final String MAINTENANCE = "node_in_maintenance";
  private static final String MEMBER = "in_ccm";

  /// The member that has the connection, or had it last.
  public static final String CONNECTION = "connection";

  /// Whether the member that had the connection closed it: only that member knows of all that it had asked for there. Another
  /// one that could not connect also writes that there is no connection, and says nothing of this.
  private static final String LEFT = "left";

  /// The attribute of a remote node whose executor was asked to end.
  static final String STOP_ASKED = "shutdown";

  private RemoteRecords() {}

  /// The entry of a remote node, null if the status section has none.
  public static @Nullable Element state(@Nullable Element cib, NodeName node) {
    var status = cib == null ? null : cib.first("status");
    var state = status == null ? null : status.first("node_state", node.text());
    return state != null && isRemote(state) ? state : null;
  }

  /// Whether an entry is that of a remote or guest node.
  public static boolean isRemote(Element state) {
    return Bool.isTrue(state.get(HistoryXml.REMOTE));
  }

  /// Since when a remote node is connected, in seconds since 1970; 0 if it is not.
  public static String since(@Nullable Element state) {
    return state == null ? "0" : state.get(MEMBER, "0");
  }

  /// The resource by which the configuration has a remote or guest node of that name: its connection, or what runs it. Null if
  /// there is none.
  public static @Nullable String madeBy(@Nullable Element cib, NodeName node) {
    var resources = cib == null ? null : cib.path("configuration", "resources");
    var found =
        resources == null
            ? null
            : resources.find(
                it ->
                    it.is("primitive")
                            && node.text().equals(it.id())
                            && isConnection(resources, it)
                        || isGuest(it, node));
    return found == null ? null : found.id();
  }

  /// Whether a resource makes a guest node of that name.
  private static boolean isGuest(Element resource, NodeName node) {
    if (resource.is("bundle")) {
      var prefix = resource.get("id", "") + "-";
      return node.text().startsWith(prefix)
          && node.text().substring(prefix.length()).matches("[0-9]+");
    }
    return resource.is("primitive") && guestNames(resource).contains(node.text());
  }

  /// The names of guest nodes that a primitive's meta-attributes have.
  static List<String> guestNames(Element primitive) {
    return primitive.children("meta_attributes").stream()
        .flatMap(it -> it.children("nvpair").stream())
        .filter(it -> "remote-node".equals(it.get("name")))
        .map(it -> it.get("value", ""))
        .toList();
  }

  /// Whether a primitive is a connection. One made from a template has its agent from there.
  public static boolean isConnection(Element resources, Element primitive) {
    var template = resources.first("template", primitive.get("template", ""));
    return AgentName.of(template == null ? primitive : template).isRemoteConnection();
  }

  /// Whether the CIB says that a remote node was fenced and runs nothing.
  public static boolean isDownAndClean(Element state) {
    return !"0".equals(state.get(FENCED, "0")) && state.first("lrm") == null;
  }

  /// Whether the member that had the connection closed it, by an entry of a remote node.
  static boolean isLeft(Element state) {
    return "1".equals(state.get(LEFT)) && since(state).equals("0");
  }

  /// Whether the CIB says that a remote node was fenced since a member was last connected to it.
  static boolean isFenced(@Nullable Element cib, NodeName node) {
    var state = state(cib, node);
    return state != null && isDownAndClean(state);
  }

  private static Element.Builder entry(NodeName node, String origin, long since) {
    return named(node).attr("crm-debug-origin", origin).attr(MEMBER, since);
  }

  private static CibOp without(NodeName node, String part) {
    return CibOp.deleteAllXPath(
        "/cib/status/node_state[@id=%s]/%s".formatted(CibXPath.literal(node.text()), part));
  }

  /// A remote node is connected: nothing is known of what runs there, and all is to be probed. So is what was being moved away from there
  /// live, where it was moved to.
  ///
  /// @param keeps whether what attributes say is of its executor
  static List<CibOp> up(@Nullable Element cib, NodeName node, Connected connected, boolean keeps) {
    var lost = noLonger(cib, node);
    var up = empty(node, connected);
    var state = lost == null ? up : up.with(HostStatus.LOST, lost);
    var stopAsked = "/instance_attributes/nvpair[@name=%s]".formatted(CibXPath.literal(STOP_ASKED));
    var changes = new ArrayList<>(HalfMoved.lookAgain(cib, state(cib, node), null));
    changes.add(without(node, "lrm"));
    changes.add(without(node, "transient_attributes" + (keeps ? stopAsked : "")));
    changes.add(CibOp.put("status", state));
    return changes;
  }

  /// A remote node that stays connected has another member for its connection. Where the one before lost it first and
  /// host HA looks after the node, what is known of it is from before that: all is to be probed.
  static List<CibOp> taken(@Nullable Element cib, NodeName node, Connected connected) {
    var state = of(named(node).attr(LEFT, 0), connected);
    var status = HostStatus.of(cib, node);
    if (status == null || !status.isManaged()) {
      return List.of(CibOp.put("status", state.build()));
    }
    var lost = "/cib/status/node_state[@id=%s][@%s='1']/lrm";
    var empty = HistoryXml.lost(HistoryXml.lrm(CibNodeId.ofRemote(node), List.of()));
    return List.of(
        CibOp.deleteAllXPath(lost.formatted(CibXPath.literal(node.text()), HostStatus.LOST)),
        CibOp.put("status", state.attr(HostStatus.LOST, "0").add(empty).build()));
  }

  private static Element.Builder named(NodeName node) {
    return HistoryXml.node(CibNodeId.ofRemote(node), node).attr(HistoryXml.REMOTE, "true");
  }

  /// A remote node's connection was closed. What ran there may run on.
  ///
  /// @param by who closed it, or could not make it
  /// @param there whether it was there until then: what is lost may run anything
  static List<CibOp> down(@Nullable Element cib, NodeName node, NodeName by, boolean there) {
    return List.of(
        without(node, "transient_attributes"),
        CibOp.put(
            "status",
            entry(node, "remote_node_down", 0)
                .attr(LEFT, there && by.equals(connection(cib, node)) ? "1" : null)
                .attr(HostStatus.LOST, noLonger(cib, node))
                .build()));
  }

  /// Writes [#down], as long as it is so.
  ///
  /// @param deadline until when, on the monotonic clock
  static void writeDown(
      World world,
      RemoteHost host,
      NodeName node,
      boolean there,
      BooleanSupplier wanted,
      long deadline,
      Runnable done) {
    host.forgetAttributes(node);
    var changes = List.of(down(host.cib(), node, host.nodeName(), there));
    UntilWritten.write(world, host, changes, wanted, deadline, _ -> done.run());
  }

  /// As [#down], unless another member has taken the connection over by the time of the change: this
  /// member's copy of the CIB may be from before that.
  static void writeDownUnlessTaken(RemoteHost host, NodeName node, boolean there, Runnable done) {
    var mine =
        "/cib/status/node_state[@id=%s][@connection=%s]"
            .formatted(
                CibXPath.literal(node.text()), CibXPath.literal(host.nodeName().text()));
    var down =
        entry(node, "remote_node_down", 0)
            .attr(LEFT, there ? "1" : null)
            .attr(HostStatus.LOST, noLonger(host.cib(), node))
            .build();
    host.writeIfThere(
        List.of(
            CibOp.modifyXPath(mine, down), CibOp.deleteAllXPath(mine + "/transient_attributes")),
        made -> {
          if (made) {
            host.forgetAttributes(node);
          }
          done.run();
        });
  }

  /// A remote node's connection cannot be made, and host HA looks after the node: what is known of it stays.
  static CibOp lost(NodeName node, NodeName by) {
    return CibOp.put("status", named(node).attr(CONNECTION, by.text()).attr(HostStatus.LOST, "1").build());
  }

  /// A remote node's connection was there and is lost, and host HA looks after the node. Nothing is changed, and the change
  /// finds nothing, where another member has the connection by the time of the change: this one gave it away, or was
  /// overtaken, and the node would be taken for lost while it is connected.
  static List<CibOp> lostUnlessTaken(NodeName node, NodeName by) {
    var mine = "/cib/status/node_state[@id=%s][not(@connection) or @connection=%s]";
    return List.of(
        CibOp.put("status", named(node).build()),
        CibOp.modifyXPath(
            mine.formatted(CibXPath.literal(node.text()), CibXPath.literal(by.text())),
            named(node).attr(CONNECTION, by.text()).attr(HostStatus.LOST, "1").build()));
  }

  private static @Nullable String noLonger(@Nullable Element cib, NodeName node) {
    var state = state(cib, node);
    return state != null && state.has(HostStatus.LOST) ? "0" : null;
  }

  /// The failure of an operation that the node itself has not told. It comes after all that is recorded of the resource so far, and
  /// before what is done about it: without a number it would pass for newer than all that another DC has done there since.
  ///
  /// @param origin who writes it
  public static CibOp failed(@Nullable Element cib, NodeName node, OperationResult result, String origin) {
    var state = state(cib, node);
    var lrm = state == null ? null : state.path("lrm", "lrm_resources");
    var before = lrm == null ? null : lrm.first("lrm_resource", result.resource().text());
    var resource = HistoryXml.resource(result.resource(), result.agent());
    HistoryEntry.of(result.withCallId(HistoryXml.lastCallId(before) + 1), node, null, origin)
        .forEach(it -> resource.add(it.xml()));
    return CibOp.put(
        "status",
        HistoryXml.nodeState(CibNodeId.ofRemote(node), node, List.of(resource.build()))
            .with(HistoryXml.REMOTE, "true"));
  }

  /// A remote node was fenced, and runs nothing. A guest counts as fenced by what was done to its machine: where that may
  /// run on another member, as it was being moved there, the guest may run all it did, and is to be looked for.
  public static List<CibOp> fenced(@Nullable Element cib, NodeName node, long nowSeconds) {
    var changes = new ArrayList<>(HalfMoved.lookAgain(cib, state(cib, node), null));
    var unseen = cib != null && isMachineUnseen(cib, node);
    changes.add(without(node, "lrm"));
    changes.add(
        CibOp.put(
            "status",
            entry(node, "send_stonith_update", 0)
                .attr(FENCED, unseen ? 0 : nowSeconds)
                .add(unseen ? HistoryXml.lost(HistoryXml.lrm(CibNodeId.ofRemote(node), List.of())) : null)
                .build()));
    changes.add(without(node, "transient_attributes"));
    return changes;
  }

  private static boolean isMachineUnseen(Element cib, NodeName node) {
    var resources = cib.path("configuration", "resources");
    var machine =
        resources == null ? null : resources.find(it -> it.is("primitive") && isGuest(it, node));
    var id = machine == null ? null : ResourceId.of(machine.id());
    return id != null && HalfMoved.isUnseen(cib, id);
  }

  /// Says in the status which remote nodes are in maintenance.
  ///
  /// @param list of the plan: nodes with their state
  public static List<CibOp> maintenance(@Nullable Element list) {
    var changes = new ArrayList<CibOp>();
    for (var each : list == null ? List.<Element>of() : list.children("node")) {
      var node = NodeName.of(each.id());
      if (node != null) {
        changes.add(
            CibOp.put(
                "status",
                named(node).attr(MAINTENANCE, each.get(MAINTENANCE, "0"))
                    .build()));
      }
    }
    return changes;
  }

  /// The member that is connected to a remote node, null if none is.
  public static @Nullable NodeName connection(@Nullable Element cib, NodeName node) {
    var state = state(cib, node);
    return state == null || since(state).equals("0") ? null : NodeName.of(state.get(CONNECTION));
  }

  /// The remote nodes that members are connected to.
  public static List<NodeName> connected(@Nullable Element cib) {
    var status = cib == null ? null : cib.first("status");
    var found = new ArrayList<NodeName>();
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var name = NodeName.of(state.get("uname"));
      if (name != null && connection(cib, name) != null) {
        found.add(name);
      }
    }
    return found;
  }

  /// The remote nodes of which the executor was asked to end, and the cluster to stop what runs there.
  public static List<NodeName> askedToStop(@Nullable Element cib) {
    var status = cib == null ? null : cib.first("status");
    var found = new ArrayList<NodeName>();
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var name = NodeName.of(state.get("uname"));
      var set = state.path("transient_attributes", "instance_attributes");
      if (name != null
          && isRemote(state)
          && set != null
          && set.children("nvpair").stream()
              .anyMatch(it -> STOP_ASKED.equals(it.get("name")) && !"0".equals(it.get("value", "0")))) {
        found.add(name);
      }
    }
    return found;
  }

  /// Whether a member that has a node's connection, or had it last, knows to have made it. Its controller's successor does not.
  ///
  /// @param member its entry
  public static boolean isMadeBy(@Nullable Element member, NodeName node) {
    var resources = member == null ? null : member.path("lrm", "lrm_resources");
    var connection = resources == null ? null : resources.first("lrm_resource", node.text());
    return connection != null
        && connection.children(HistoryEntry.ELEMENT).stream()
            .map(HistoryEntry::new)
            .anyMatch(it -> it.is(Task.START) || it.is(Task.MIGRATE_FROM) || it.is(Task.MONITOR) && it.is(OcfCode.OK));
  }

  /// A remote node that is connected and that the status section has lost.
  ///
  /// @param lrm the history of its resources, as the member has it that is connected
  static List<CibOp> again(NodeName node, Connected connected, Element lrm) {
    return List.of(CibOp.put("status", entry(node, connected).add(HistoryXml.lost(lrm)).build()));
  }

  /// The connections of a member of which the last thing that is known is a failure.
  ///
  /// @param history the member's `lrm_resources`
  public static Set<NodeName> failedConnections(Element history) {
    var failed = new TreeSet<NodeName>();
    for (var resource : history.children()) {
      var name = AgentName.of(resource).isRemoteConnection() ? NodeName.of(resource.id()) : null;
      if (name != null && hasFailed(resource)) {
        failed.add(name);
      }
    }
    return failed;
  }

  private static boolean hasFailed(Element resource) {
    var newest = -1L;
    var failed = false;
    for (var each : resource.children(HistoryEntry.ELEMENT)) {
      var entry = new HistoryEntry(each);
      var call = Numbers.whole(each.get("call-id"), 0);
      if (call > newest && entry.status() != ExecStatus.PENDING) {
        newest = call;
        failed = !entry.is(OcfCode.OK) && !entry.is(OcfCode.NOT_RUNNING);
      }
    }
    return failed;
  }

  /// A member with the connection to a remote node is let in. Where the CIB is not of the line of changes in which the
  /// member has recorded what it knows, as another side's CIB has won, it tells of another time: nothing of it
  /// counts, and all is to be probed. Where it is, nothing changes. Nor is the connection lost, where that one says so of a
  /// host: nobody makes anew what is there, and the host would be frozen for ever.
  ///
  /// @param cib this member's own
  /// @param lastKey of what the member has recorded last, empty if nothing
  static List<CibOp> rejoined(@Nullable Element cib, NodeName node, Connected connected, String lastKey) {
    var mine = "@connection=%s".formatted(CibXPath.literal(connected.by().text()));
    var known =
        lastKey.isEmpty()
            ? "%s and @%s='%d'".formatted(mine, MEMBER, connected.since()) // it may have had an earlier connection, too
            : "%s and lrm/lrm_resources/lrm_resource/lrm_rsc_op[@transition-key=%s]"
                .formatted(mine, CibXPath.literal(lastKey));
    var stale =
        "/cib/status/node_state[@id=%s][not(%s)]"
            .formatted(CibXPath.literal(node.text()), known);
    var there = empty(node, connected);
    var isHost = HostStatus.of(cib, node) != null;
    return List.of(
        CibOp.deleteAllXPath(stale + "/lrm"),
        CibOp.put("status", isHost ? there.with(HostStatus.LOST, "0") : there));
  }

  /// A guest's machine runs on a member that has no connection to the guest, and the CIB has no entry of it: what
  /// runs inside is to be looked for before it is started elsewhere. Where it has one nothing is changed.
  static List<CibOp> unknown(NodeName node, NodeName by, long nowSeconds) {
    var absent = "/cib/status/node_state[@id=%s][not(@%s)]";
    return List.of(
        CibOp.put("status", named(node).build()),
        CibOp.modifyXPath(
            absent.formatted(CibXPath.literal(node.text()), MEMBER), empty(node, new Connected(by, nowSeconds, "", ""))));
  }

  private static Element.Builder entry(NodeName node, Connected connected) {
    return of(entry(node, "remote_node_up", connected.since()).attr(FENCED, 0).attr(LEFT, 0), connected);
  }

  private static Element.Builder of(Element.Builder state, Connected connected) {
    return state
        .attr(CONNECTION, connected.by().text())
        .attr(Connected.PROCESS, connected.process())
        .attr(Connected.ADDRESS, connected.address().isEmpty() ? null : connected.address());
  }

  private static Element empty(NodeName node, Connected connected) {
    return entry(node, connected)
        .add(HistoryXml.lost(HistoryXml.lrm(CibNodeId.ofRemote(node), List.of())))
        .build();
  }

  /// The guests whose machines are among these resources, by what primitives say. Of a bundle's replica only what
  /// belongs to the bundle runs inside, and nowhere else.
  static List<NodeName> guestsOf(@Nullable Element cib, Collection<ResourceId> machines) {
    var resources = cib == null ? null : cib.path("configuration", "resources");
    var found = new ArrayList<NodeName>();
    if (resources != null && !machines.isEmpty()) {
      addGuests(resources, machines, found);
    }
    return found;
  }

  private static void addGuests(
      Element within, Collection<ResourceId> machines, List<NodeName> found) {
    for (var child : within.children()) {
      var id = ResourceId.of(child.id());
      if (!child.is("primitive")) {
        addGuests(child, machines, found);
      } else if (id != null && machines.contains(id)) {
        child.children("meta_attributes").stream()
            .flatMap(it -> it.children("nvpair").stream())
            .filter(it -> "remote-node".equals(it.get("name")))
            .map(it -> NodeName.of(it.get("value")))
            .filter(Objects::nonNull)
            .forEach(found::add);
      }
    }
  }

  /// The member that has a node's connection, or had it last.
  public static @Nullable NodeName last(@Nullable Element cib, NodeName node) {
    var state = state(cib, node);
    return state == null ? null : NodeName.of(state.get(CONNECTION));
  }

  /// Whether another member has taken a node's connection over, as far as the CIB says.
  static boolean isTaken(@Nullable Element cib, NodeName node, NodeName self) {
    return last(cib, node) != null && !isLast(cib, node, self);
  }

  /// Whether a member has a node's connection, or had it last.
  static boolean isLast(@Nullable Element cib, NodeName node, NodeName self) {
    return self.equals(last(cib, node));
  }

  /// Deletes the last failure of a resource.
  static CibOp withoutFailure(CibNodeId nodeId, ResourceId resource) {
    var entry = OperationKey.text(resource.text(), "last_failure", 0);
    return CibOp.deleteAllXPath(
        "/cib/status/node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[@id=%s]"
            .formatted(
                CibXPath.literal(nodeId.text()),
                CibXPath.literal(resource.text()),
                CibXPath.literal(entry)));
  }

  /// Deletes what the CIB has of a resource on a remote node, or of all.
  ///
  /// @param resource null for all
  public static CibOp withoutHistory(NodeName node, @Nullable ResourceId resource) {
    var which = resource == null ? "" : "[@id=%s]".formatted(CibXPath.literal(resource.text()));
    return without(node, "lrm/lrm_resources/lrm_resource" + which);
  }
}
