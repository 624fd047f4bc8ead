package org.systole.controld.remote;

import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What a member records of a remote node that it has given away. Another member may have the node by the time of the change,
/// and this one not know: nothing is changed then, and the change finds nothing. That one hears of what is under way, too.
final class GivenAway {
  private GivenAway() {}

  /// What came of an operation that the member had done, which has handed the node on. The other member may have recorded a
  /// later one. But what is recorded as being under way still is this member's.
  ///
  /// @param entry the node's, with that result
  static CibOp ended(NodeName node, NodeName by, OperationResult result, Element entry) {
    var mine =
        "/cib/status/node_state[@id=%s][@connection=%s or lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[@transition-key=%s and @op-status='-1']]"
            .formatted(
                CibXPath.literal(node.text()),
                CibXPath.literal(by.text()),
                CibXPath.literal(result.resource().text()),
                CibXPath.literal(result.transitionKey()));
    return CibOp.modifyXPath(mine, entry);
  }

  /// The failure of an operation that was under way when the connection was lost. Where another member has the node it goes on.
  ///
  /// @param entry the node's, with that failure
  static CibOp failed(NodeName node, NodeName by, Element entry) {
    return CibOp.modifyXPath("/cib/status/" + isOf(node, by), entry);
  }

  /// The failure of the connection itself.
  ///
  /// @param entry the member's, with that failure
  static CibOp connectionFailed(NodeName node, NodeName by, CibNodeId byId, Element entry) {
    var mine = "/cib/status[%s]/node_state[@id=%s]";
    return CibOp.modifyXPath(mine.formatted(isOf(node, by), CibXPath.literal(byId.text())), entry);
  }

  /// The connection has not failed where it is taken over in spite of that: who has given it away may have lost it while the other
  /// member was connecting, and the node would be fenced, though it is well.
  ///
  /// @param taker the member that has it now
  static CibOp failedNoMore(NodeName node, CibNodeId taker) {
    var entry = "/cib/status/node_state[@id!=%s]/lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[@operation=%s]";
    return CibOp.deleteAllXPath(
        entry.formatted(
            CibXPath.literal(taker.text()),
            CibXPath.literal(node.text()),
            CibXPath.literal(Task.ASYNC_MONITOR.text())));
  }

  /// Another member has made the connection, not asked for by who has it as far as its history says: that one was cut off, or has hung,
  /// and is not fenced yet. Were both said to have it, it would be stopped on both.
  ///
  /// @param maker the member that has it now
  static CibOp madeElsewhere(NodeName node, CibNodeId maker) {
    var has = "(@operation='start' or @operation='migrate_from' or @operation='monitor') and @rc-code='0'";
    var entry = "/cib/status/node_state[@id!=%s]/lrm/lrm_resources/lrm_resource[@id=%s][lrm_rsc_op[%s]][not(lrm_rsc_op[@operation='stop'])]";
    return CibOp.deleteAllXPath(entry.formatted(CibXPath.literal(maker.text()), CibXPath.literal(node.text()), has));
  }

  /// What a member that takes a node over finds not to recur there, unless it was asked for anew.
  static CibOp recursNoMore(NodeName node, OperationRequest operation) {
    var entry = "/cib/status/node_state[@id=%s]/lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[@id=%s and @transition-key=%s]";
    return CibOp.deleteAllXPath(
        entry.formatted(
            CibXPath.literal(node.text()),
            CibXPath.literal(operation.resource().text()),
            CibXPath.literal(operation.key()),
            CibXPath.literal(operation.transitionKey())));
  }

  /// Finds nothing where what a node was asked for is not recorded as under way any more, and changes nothing.
  static CibOp underWay(NodeName node, ResourceId resource, String transitionKey) {
    var begun = "/cib/status/node_state[@id=%s][lrm/lrm_resources/lrm_resource[@id=%s]/lrm_rsc_op[@transition-key=%s and @op-status='-1']]";
    var found =
        begun.formatted(CibXPath.literal(node.text()), CibXPath.literal(resource.text()), CibXPath.literal(transitionKey));
    return CibOp.modifyXPath(found, Element.of("node_state", "id", node.text()));
  }

  private static String isOf(NodeName node, NodeName by) {
    return "node_state[@id=%s][@connection=%s]"
        .formatted(CibXPath.literal(node.text()), CibXPath.literal(by.text()));
  }
}
