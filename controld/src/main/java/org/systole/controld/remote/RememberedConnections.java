package org.systole.controld.remote;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.AgentName;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// What the histories of members have of connections to remote nodes. The scheduler takes such a connection, and with it the
/// node, for one that is there until the histories are deleted, also when the configuration has it no more.
public final class RememberedConnections {
  private RememberedConnections() {}

  /// Whether a member has a history of the connection to that node, in whatever case of letters its name is.
  public static boolean has(@Nullable Element cib, NodeName node) {
    var status = cib == null ? null : cib.first("status");
    return status != null
        && status.children("node_state").stream().anyMatch(state -> remembers(state, node));
  }

  /// Deletes what members have of the connection to that node that have left in good order: nobody asks these to forget it.
  ///
  /// @param cib has the connection as it is spelled there, which may be otherwise than the node
  public static List<CibOp> forgottenByThoseDown(@Nullable Element cib, NodeName node) {
    var down = "/cib/status/node_state[@expected='down' and @crmd='0' and @in_ccm='0']";
    var status = cib == null ? null : cib.first("status");
    return status == null
        ? List.of()
        : status.children("node_state").stream()
            .flatMap(it -> connections(it, node))
            .distinct()
            .map(
                it ->
                    CibOp.deleteAllXPath(
                        "%s/lrm/lrm_resources/lrm_resource[@id=%s and @class='ocf' and @type='remote']"
                            .formatted(down, CibXPath.literal(it))))
            .toList();
  }

  private static boolean remembers(Element state, NodeName node) {
    return connections(state, node).findAny().isPresent();
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
