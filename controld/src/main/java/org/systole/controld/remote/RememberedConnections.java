package org.systole.controld.remote;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.AgentName;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What the histories of members have of connections to remote nodes. The scheduler takes such a connection, and with it the
/// node, for one that is there until the histories are deleted, also when the configuration has it no more.
public final class RememberedConnections {
  /// A member that is not there, and one that has left in good order.
  private static final String GONE = "@crmd='0' and @in_ccm='0'";

  private static final String LEFT = "@expected='down' and " + GONE;

  private RememberedConnections() {}

  /// Whether a member has a history of the connection to that node, in whatever case of letters its name is, that it will be asked
  /// to forget, or that goes with its fencing.
  public static boolean has(@Nullable Element cib, NodeName node) {
    return cib != null
        && states(cib).anyMatch(state -> connections(state, node).anyMatch(it -> !isForgotten(cib, state, it)));
  }

  /// The resources that run on a remote node for all that is known, or may; empty if none do.
  public static List<String> mayRunOn(@Nullable Element cib, NodeName node) {
    return cib == null ? List.of() : EmptyHost.mayRun(cib, node);
  }

  /// Deletes what members have of the connection to that node that nobody asks to forget it. One that is lost may be about to have what
  /// ran on the node looked after: it forgets a node that runs nothing.
  ///
  /// @param cib has the connection as it is spelled there, which may be otherwise than the node
  public static List<CibOp> forgottenByThoseGone(@Nullable Element cib, NodeName node) {
    return cib == null
        ? List.of()
        : states(cib)
            .flatMap(it -> connections(it, node))
            .distinct()
            .map(
                it ->
                    CibOp.deleteAllXPath(
                        "/cib/status/node_state[%s]/lrm/lrm_resources/lrm_resource[@id=%s and @class='ocf' and @type='remote']"
                            .formatted(isEmpty(cib, it) ? GONE : LEFT, CibXPath.literal(it))))
            .toList();
  }

  /// What a member records of a connection that is not there. Where its history was deleted meanwhile, as somebody refreshed all, that
  /// finds nothing: the node may have been removed by then, and would be back as one of which nothing is known.
  ///
  /// @param state the member's entry, with that result
  static CibOp notThere(CibNodeId member, ResourceId connection, Element state) {
    return CibOp.modifyXPath(
        "/cib/status/node_state[@id=%s][lrm/lrm_resources/lrm_resource[@id=%s]]"
            .formatted(CibXPath.literal(member.text()), CibXPath.literal(connection.text())),
        state);
  }

  /// What a path finds where a connection is configured; nothing where it is not.
  ///
  /// @param path from the top of the document or anywhere below, as `//node_state[...]`
  static String ifConfigured(ResourceId connection, String path) {
    return "/cib[configuration/resources//primitive[@id=%s]]%s".formatted(CibXPath.literal(connection.text()), path);
  }

  private static boolean isForgotten(Element cib, Element state, String connection) {
    return "0".equals(state.get("crmd"))
        && "0".equals(state.get("in_ccm"))
        && ("down".equals(state.get("expected")) || isEmpty(cib, connection));
  }

  private static boolean isEmpty(Element cib, String connection) {
    var node = NodeName.of(connection);
    return node != null && EmptyHost.isEmpty(cib, node);
  }

  private static Stream<Element> states(Element cib) {
    var status = cib.first("status");
    return status == null ? Stream.of() : status.children("node_state").stream();
  }

  private static Stream<String> connections(Element state, NodeName node) {
    var resources = state.path("lrm", "lrm_resources");
    return resources == null
        ? Stream.of()
        : resources.children("lrm_resource").stream()
            .filter(it -> AgentName.of(it).isRemoteConnection())
            .map(it -> it.get("id", ""))
            .filter(node.text()::equalsIgnoreCase);
  }
}
