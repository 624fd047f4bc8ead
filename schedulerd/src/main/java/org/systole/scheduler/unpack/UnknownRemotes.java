package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;

/// Remote nodes that were connected and not yet looked at when the member with the connection was lost, or what was known of the
/// connection was deleted. They run nothing for all that is known, and may run everything. Until they are connected again, or
/// fenced, what was not found anywhere stays where it may be.
///
/// The mark of a lost history, in an entry that says the node is connected, is our controllers'; without
/// it all is as in Pacemaker.
final class UnknownRemotes {
  private UnknownRemotes() {}

  /// Marks these nodes. To be called when all histories of others have been read.
  static void note(WorkingSet ws, @Nullable Element status) {
    for (var state : marked(ws, status)) {
      var node = ws.nodeOf(state);
      if (node != null && isUnknown(node)) {
        node.set(NodeFlag.UNSEEN);
      }
    }
  }

  /// To be called when all histories have been read.
  static void block(WorkingSet ws, @Nullable Element status) {
    note(ws, status);
    for (var state : marked(ws, status)) {
      var node = ws.nodeOf(state);
      if (node != null && isUnknown(node)) {
        block(ws, node, unseen(ws, state));
      }
    }
  }

  private static void block(WorkingSet ws, Node node, List<Resource> unseen) {
    if (!isGivenUp(ws, node)) {
      unseen.forEach(ActiveResources::block);
    } else if (!unseen.isEmpty()) {
      Fencing.fenceNode(ws, node, "nobody can look at what runs there", false);
    }
  }

  private static List<Element> marked(WorkingSet ws, @Nullable Element status) {
    return status == null || !ws.is(ClusterFlag.FENCING_ENABLED)
        ? List.of()
        : status.children("node_state").stream().filter(UnknownRemotes::isMarked).toList();
  }

  private static boolean isMarked(Element state) {
    var lrm = state.first("lrm");
    return lrm != null
        && state.id() != null
        && state.has("uname")
        && Bool.isTrue(lrm.get("history-lost"))
        && Numbers.whole(state.get("in_ccm"), 0) > 0;
  }

  /// The resources that were looked for with a result. A probe that is under way has none.
  private static Set<String> found(Element lrm) {
    var found = new HashSet<String>();
    var resources = lrm.first("lrm_resources");
    for (var resource : resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
      if (resource.children("lrm_rsc_op").stream().anyMatch(it -> !"-1".equals(it.get("op-status")))) {
        found.add(resource.id());
      }
    }
    return found;
  }

  /// What runs nowhere for all that is known, and was not looked for on a node that is marked, by its entry; nothing of one that is not.
  static List<Resource> unseen(WorkingSet ws, Element state) {
    var unseen = new ArrayList<Resource>();
    var lrm = state.first("lrm");
    if (lrm != null && isMarked(state)) {
      var found = found(lrm);
      var never = new NeverSought(ws, NodeName.of(state.get("uname")));
      ws.resources().forEach(it -> addUnseen(it, found, unseen));
      unseen.removeIf(never::has);
    }
    return unseen;
  }

  private static void addUnseen(Resource resource, Set<String> found, List<Resource> unseen) {
    if (resource instanceof Bundle bundle) {
      bundle.onHosts().forEach(it -> addUnseen(it, found, unseen));
      return;
    }
    resource.children().forEach(it -> addUnseen(it, found, unseen));
    var name = resource.id();
    var instance = name.indexOf(':');
    if (resource.isPrimitive()
        && resource.active().isEmpty()
        && !resource.is(ResourceFlag.REMOVED) // never looked for, nor started
        && !resource.is(ResourceFlag.REMOTE_CONNECTION)
        && !resource.is(ResourceFlag.FENCE_DEVICE)
        && !found.contains(name)
        && !found.contains(instance < 0 ? name : name.substring(0, instance))) {
      unseen.add(resource);
    }
  }

  private static boolean isUnknown(Node node) {
    var connection = node.remote();
    return node.isRemote()
        && connection != null
        && !node.unclean() // its fencing is waited for
        && !node.is(NodeFlag.HOST_DOWN)
        && !connection.is(ResourceFlag.FAILED)
        && !isThere(connection);
  }

  /// Whether nobody is to connect to it any more, nor will the member be asked that its entry says is connected. What runs there is as
  /// lost as what is known to run on a node whose connection is lost and must not be made anew.
  private static boolean isGivenUp(WorkingSet ws, Node node) {
    var connection = node.remote();
    var name = ws.connectedMember(node.name());
    var member = name == null ? null : ws.node(name);
    return connection != null
        && connection.nextRole() == Role.STOPPED
        && (member == null || !member.online() || member.unclean() || connection.probed().contains(member));
  }

  private static boolean isThere(Resource connection) {
    return connection.active().stream().anyMatch(it -> it.online() && !it.unclean());
  }
}
