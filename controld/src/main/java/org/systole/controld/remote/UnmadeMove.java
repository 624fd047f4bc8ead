package org.systole.controld.remote;

import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.CountedFailure;
import org.systole.controld.operations.OperationRunner;

/// A move of a connection that did not come about: this member was to take it over, and cannot connect to the node, while
/// another one is connected to it. Taken for a failure of the connection it would have the node fenced, which is well: so it counts
/// against this member only, as a start that has failed does, and nothing is known of it besides. The connection stays where
/// it is then, or is moved to a third member.
///
/// Of a guest the machine has moved already. Its connection cannot stay behind.
final class UnmadeMove {
  private static final Duration COUNTED_WITHIN = Duration.ofSeconds(5);

  /// The attribute of a node's entry that names the last move of its connection that did not come about.
  private static final String IN_VAIN = "moved_in_vain";

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private final OperationRunner operations;

  UnmadeMove(World world, RemoteHost host, NodeName node, OperationRunner operations) {
    this.world = world;
    this.host = host;
    this.node = node;
    this.operations = operations;
  }

  /// Whether what is being made here is another member's as long as it is not.
  static boolean isKept(RemoteHost host, NodeName node, Opening by) {
    return by.isMove()
        && !by.isOfGuest()
        && RemoteRecords.isTaken(host.cib(), node, host.nodeName())
        && RemoteRecords.connection(host.cib(), node) != null;
  }

  /// Tells the cluster. A plan that is made before the failure counts would move it here again, unless its resource was deleted, of which
  /// no failure is to be remembered.
  void tell(Opening by, String why) {
    var request = by.asked.request();
    world
        .log()
        .error(
            "Cannot take over the connection to remote node %s, which %s keeps: %s"
                .formatted(node, RemoteRecords.connection(host.cib(), node), why));
    if (by.isDeleted()) {
      end(request, why);
      return;
    }
    var key = new OperationKey(request.resource(), request.operation(), request.intervalMillis());
    var failed = new CountedFailure(key, world.now().getEpochSecond());
    failed.set(host::setAttribute, host.nodeName(), "INFINITY");
    Predicate<Element> counted = cib -> failed.isIn(cib, host.nodeId());
    host.expect(counted, COUNTED_WITHIN, () -> end(request, why));
  }

  private void end(OperationRequest request, String why) {
    if (operations.withdraw(request, why)) {
      var others = "/cib/status/node_state[@id=%s][@connection!=%s]";
      var named = others.formatted(CibXPath.literal(node.text()), CibXPath.literal(host.nodeName().text()));
      var told = CibOp.modifyXPath(named, Element.of("node_state", "id", node.text(), IN_VAIN, move(request)));
      host.writeIfThere(List.of(told), _ -> {});
    }
  }

  /// Whether the move did not come about for which this member has given the connection away: who was to take it over tries no
  /// more. Where no monitor is asked for, as in maintenance, nothing else says so.
  ///
  /// @param given the request to give it away
  static boolean isInVain(Element cib, NodeName node, Asked given) {
    var state = RemoteRecords.state(cib, node);
    var move = move(given.request());
    return state != null && (isLost(cib, given) || isNotThere(cib, node, given) || !move.isEmpty() && move.equals(state.get(IN_VAIN)));
  }

  /// Whether a later plan of the same DC has found that the member does not have the connection: its controller was lost, and is back,
  /// before anybody noticed. A plan is not made before what was under way has ended, this move with it.
  private static boolean isNotThere(Element cib, NodeName node, Asked given) {
    var taker = taker(cib, given);
    var resources = taker == null ? null : taker.path("lrm", "lrm_resources");
    var connection = resources == null ? null : resources.first("lrm_resource", node.text());
    var move = TransitionKey.parse(given.request().transitionKey());
    return connection != null
        && move != null
        && connection.children(HistoryEntry.ELEMENT).stream().anyMatch(it -> isLaterProbe(new HistoryEntry(it), move));
  }

  private static boolean isLaterProbe(HistoryEntry entry, TransitionKey move) {
    var key = entry.transitionKey();
    return entry.is(Task.MONITOR)
        && entry.is(OcfCode.NOT_RUNNING)
        && key != null
        && key.engine().equals(move.engine())
        && key.transition() > move.transition();
  }

  /// Whether the member is lost, or has left, that was to take the connection over.
  private static boolean isLost(Element cib, Asked given) {
    var taker = taker(cib, given);
    return taker != null && "0".equals(taker.get("crmd"));
  }

  private static @Nullable Element taker(Element cib, Asked given) {
    var status = cib.first("status");
    var target = given.request().metaValue("migrate_target");
    for (var state : status == null || target == null ? List.<Element>of() : status.children("node_state")) {
      if (target.equals(state.get("uname"))) {
        return state;
      }
    }
    return null;
  }

  /// What the requests to give a connection away and to take it over have in common, if they are of one plan.
  private static String move(OperationRequest request) {
    var key = TransitionKey.parse(request.transitionKey());
    return key == null || !key.isPlanned() ? "" : "%d:%s".formatted(key.transition(), key.engine());
  }

  /// Deletes what a member has recorded of moves of a connection that failed, as the connection is begun there anew.
  static CibOp withoutFailures(CibNodeId member, ResourceId connection) {
    return without(
        member,
        connection,
        "(@operation='migrate_to' or @operation='migrate_from') and @op-status!='-1' and @rc-code!='0'");
  }

  /// Deletes what a member has recorded of a connection's monitor that was ended long ago, as the connection could not be begun
  /// anew: once that failure has expired it would be all that is known, and tell that the connection is there.
  static CibOp withoutMonitors(CibNodeId member, ResourceId connection) {
    return without(member, connection, "@operation='monitor' and @interval!='0' and @rc-code='0'");
  }

  private static CibOp without(CibNodeId member, ResourceId connection, String which) {
    return CibOp.deleteAllXPath(
        "/cib/status/node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[%s]"
            .formatted(CibXPath.literal(member.text()), CibXPath.literal(connection.text()), which));
  }
}
