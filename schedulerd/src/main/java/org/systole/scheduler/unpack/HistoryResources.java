package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.InstanceIds;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Resource.Match;
import org.systole.scheduler.model.Resource.Where;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoreCause;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.BundleAddresses;

/// Finds out which resource an entry of the operation history is about, and makes one if it is
/// configured no more.
final class HistoryResources {
  private final WorkingSet ws;
  private final ResourceReader reader;

  HistoryResources(ResourceReader reader) {
    this.reader = reader;
    this.ws = reader.ws;
  }

  /// The resource with that id in a node's history, null if there is none.
  @Nullable Resource find(Node node, String id) {
    var found = ws.resource(id);
    if (found == null) {
      var first = ws.resource(InstanceIds.first(id));
      if (first == null || first.is(ResourceFlag.UNIQUE)) {
        return null;
      }
      found = first;
    } else if (!found.isPrimitive()) {
      return null;
    }
    if (found.top(false) instanceof Clone clone && !clone.isUnique()) {
      found =
          clone.parent() instanceof Bundle bundle
              ? bundled(bundle, node)
              : instance(clone, node, InstanceIds.base(id));
    }
    if (found != null && !id.equals(found.id()) && !id.equals(found.historyId())) {
      ws.setHistoryId(found, id);
    }
    return found;
  }

  private static @Nullable Resource bundled(Bundle bundle, Node node) {
    var replica = bundle.replicaOf(node);
    return replica == null ? null : replica.child();
  }

  /// The instance of an anonymous clone that a node's history is about: the one known to be there
  /// already, else the first that is nowhere, else a new one beyond the maximum.
  private @Nullable Resource instance(Clone clone, Node node, String id) {
    @Nullable Resource found = null;
    @Nullable Resource inactive = null;
    var onlyActive = false;
    for (var child : clone.children()) {
      var places = child.nodes(Where.CURRENT, Where.PENDING);
      if (places.isEmpty()) {
        if (!onlyActive && inactive == null && !child.is(ResourceFlag.BLOCKED)) {
          inactive = child.find(id, Match.CLONE_ONLY);
          if (inactive != null
              && inactive.pendingNode() != null
              && inactive.pendingNode() != node) {
            inactive = null;
          }
        }
      } else if (places.getFirst() == node) {
        found = child.find(id, Match.CLONE_ONLY);
        if (found != null && !found.active().isEmpty()) {
          ws.notice(
              "Active (now-)anonymous clone "
                  + clone.id()
                  + " has multiple \"removed\" instance histories on "
                  + node.name());
          onlyActive = true;
          found = null;
        }
      }
      if (found != null) {
        break;
      }
    }
    if (found == null && !onlyActive) {
      found = inactive;
    }
    if (found != null && isOutOfReach(found, clone, node)) {
      found = null;
    }
    return found != null ? found : surplus(clone, id);
  }

  /// Without need of fencing, what is on a lost node counts as inactive, and must not take the
  /// place of an instance that can be started elsewhere.
  private static boolean isOutOfReach(Resource instance, Clone clone, Node node) {
    return !instance.is(ResourceFlag.NEEDS_FENCING)
        && (!node.online() || node.unclean())
        && !node.isGuest()
        && !clone.isUniversal();
  }

  private @Nullable Resource surplus(Clone clone, String id) {
    var instance = reader.addInstance(clone);
    return instance == null ? null : instance.find(id, Match.CLONE_ONLY);
  }

  /// Makes a resource for history of something that is not configured (any more).
  @Nullable Resource createRemoved(Element history, String id) {
    var xml = Element.builder("primitive");
    for (var at = 0; at < history.attributeCount(); at++) {
      xml.attr(history.attributeName(at), history.attributeValue(at));
    }
    var resource = reader.read(xml.attr("id", id).build(), null);
    if (resource == null) {
      return null;
    }
    if (BundleAddresses.isConnection(resource.xml()) && ws.otherNodeOf(id) == null) {
      var node = ws.node(id);
      if (node == null) {
        node = reader.nodes.createRemote(id, 0);
        readFencing(node);
      }
      reader.linkRemoteNode(resource);
      node.setShutdown(true);
    }
    if (history.has("container")) {
      resource.set(ResourceFlag.REMOVED_LAUNCHED);
    }
    resource.set(ResourceFlag.REMOVED);
    ws.addResource(resource);
    if (ws.is(ClusterFlag.STOP_REMOVED_RESOURCES)) {
      resource.preferEverywhere(-Score.INFINITY);
      ws.noteBan(resource, null, ScoreCause.Kind.REMOVED, "");
    } else {
      resource.clear(ResourceFlag.MANAGED);
    }
    return resource;
  }

  /// A node that is known by the history of its connection alone was not there yet when the node states were read.
  private void readFencing(Node node) {
    var status = ws.cib().first("status");
    var state = status == null ? null : status.first("node_state", node.name());
    if (state != null) {
      RemoteStates.readFencing(state, node);
    }
  }
}
