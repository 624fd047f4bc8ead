package org.systole.attrd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cib.CibAccess;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibUser;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.xml.Element;

/// What a user may do with attributes. Where the CIB enforces access control lists, a user whom
/// they limit may set an attribute if that user could write it into the CIB, and read it if that
/// user could read it there.
final class AttrRights {
  /// A node's value of an attribute.
  ///
  /// @param nodeId the id of the node's `node_state`
  record Place(CibNodeId nodeId, NodeName node, Attribute attribute) {}

  private static final String PROBE = "?"; // a value that no attribute has

  private AttrRights() {}

  /// Whether the lists limit what a user may do.
  ///
  /// @param cib null while it is not known; then they are taken to limit every user they may
  ///     concern
  static boolean areLimited(Credentials peer, @Nullable Element cib) {
    return !peer.privileged() && (cib == null || CibAccess.of(cib, user(peer)) != null);
  }

  /// Whether a user may change all of these values.
  ///
  /// @param cib null while it is not known; then no user whom lists may limit may change anything
  static boolean allows(Credentials peer, @Nullable Element cib, Collection<Place> places) {
    if (places.isEmpty() || peer.privileged() || areOwn(peer, places)) {
      return true;
    }
    if (cib == null) {
      return false;
    }
    var access = CibAccess.of(cib, user(peer));
    if (access == null) {
      return true;
    }
    var after = CibUpdate.apply(cib, written(places), null);
    // The CIB's own counters rise with every change: no list is asked about them.
    return after.rc().isOk() && access.allows(cib, cib.withChildren(after.cib().children()));
  }

  /// Whether root of a remote node changes values of that node, as agents there have to. What is kept
  /// elsewhere than with transient attributes is not meant.
  private static boolean areOwn(Credentials peer, Collection<Place> places) {
    var node = peer.node();
    return node != null
        && CibUser.isExempt(peer.user())
        && places.stream()
            .allMatch(
                it -> it.node.equals(node) && it.attribute.kind().equals(AttrMessage.Kind.TRANSIENT));
  }

  /// Those of the values that a user may see, in their order.
  ///
  /// @param cib null while it is not known; then no user whom lists may limit sees anything
  static List<Place> readable(
      Credentials peer, @Nullable Element cib, Collection<Place> places) {
    if (peer.privileged()) {
      return List.copyOf(places);
    }
    if (cib == null) {
      return List.of();
    }
    var access = CibAccess.of(cib, user(peer));
    if (access == null) {
      return List.copyOf(places);
    }
    var seen = access.visible(CibUpdate.apply(cib, written(places), null).cib());
    return seen == null
        ? List.of()
        : places.stream()
            .filter(it -> new StatusXml(it.nodeId, it.node).has(seen, it.attribute, PROBE))
            .toList();
  }

  private static CibUser user(Credentials peer) {
    return new CibUser(peer.user(), peer.groups());
  }

  /// A change that would write into each of the places.
  private static List<CibOp> written(Collection<Place> places) {
    Map<CibNodeId, StatusXml> states = new LinkedHashMap<>();
    for (var place : places) {
      states
          .computeIfAbsent(place.nodeId, id -> new StatusXml(id, place.node))
          .add(place.attribute, PROBE, new ArrayList<>());
    }
    return states.values().stream()
        .map(StatusXml::merge)
        .filter(it -> it != null)
        .map(it -> CibOp.put("status", it))
        .toList();
  }
}
