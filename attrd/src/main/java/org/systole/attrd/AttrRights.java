package org.systole.attrd;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.output.Rc;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;

/// Whose requests are carried out. Where the CIB enforces access control lists, somebody whom they
/// concern may set an attribute if the same could be written into the CIB.
final class AttrRights {
  private static final String PROBE = "?"; // a value nobody has

  private AttrRights() {}

  /// Why a request is refused; null if it is not.
  ///
  /// @param cib null while it is not known
  /// @param nodeId the id of the node's `node_state`
  static @Nullable String refusal(
      AttrMessage request, Credentials peer, @Nullable Element cib, String nodeId) {
    var node =
        switch (request) {
          case AttrMessage.Update it -> it.node();
          case AttrMessage.ClearFailures it -> it.node();
          case AttrMessage.RemoveNode it -> it.node();
          default -> "";
        };
    if (!isName(node)) {
      return "that is no name of a node";
    }
    if (peer.privileged()) {
      return null;
    }
    return switch (request) {
      case AttrMessage.Update(var _, var name, var _, var _, var _, var _, var _, var _, var _) ->
          allows(cib, peer, nodeId, name) ? null : denied(peer);
      case AttrMessage.ClearFailures(var resource, var _, var _, var _) ->
          allows(cib, peer, nodeId, "fail-count-" + resource) ? null : denied(peer);
      default -> null;
    };
  }

  private static String denied(Credentials peer) {
    return "Permission denied for user " + peer.user();
  }

  /// What may be part of an XPath and of an id.
  private static boolean isName(String node) {
    return node.chars().noneMatch(it -> it < ' ' || "'\"<>&[]/|".indexOf(it) >= 0);
  }

  private static boolean allows(
      @Nullable Element cib, Credentials peer, String nodeId, String name) {
    if (cib == null) {
      return false;
    }
    var pair =
        Element.of(
            "nvpair",
            "id",
            StatusXml.clean("status-" + nodeId + "-" + name),
            "name",
            name,
            "value",
            PROBE);
    var set = Element.builder("instance_attributes").attr("id", "status-" + nodeId).add(pair);
    var attributes = Element.builder("transient_attributes").attr("id", nodeId).add(set);
    var state = Element.builder("node_state").attr("id", nodeId).add(attributes).build();
    var user = new CibUser(peer.user(), peer.groups());
    var result = CibUpdate.apply(cib, List.of(CibOp.put("status", state)), null, user);
    return result.rc() != Rc.EACCES;
  }
}
