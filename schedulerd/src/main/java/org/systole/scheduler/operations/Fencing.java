package org.systole.scheduler.operations;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.TaskName;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.ActionFlag;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.OpDigests;
import org.systole.scheduler.model.Relation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.ScoreLine;
import org.systole.scheduler.model.WorkingSet;

/// Fencing and unfencing of nodes: whether it can be done, and the actions that do it.
public final class Fencing {
  private static final String PRIORITY_DELAY = "priority-fencing-delay";

  private Fencing() {}

  /// Whether the node can be fenced as things stand; a guest is "fenced" by stopping what runs it.
  public static boolean canFence(WorkingSet cluster, Node node) {
    return canFence(cluster, node, List.of());
  }

  /// @param inside the guests that are said to run there, one in the other
  private static boolean canFence(WorkingSet cluster, Node node, List<Node> inside) {
    if (node.isGuest()) {
      return canFenceGuest(cluster, node, inside);
    }
    if (!cluster.is(ClusterFlag.FENCING_ENABLED) || !cluster.is(ClusterFlag.HAVE_FENCING)) {
      return false;
    }
    if (cluster.is(ClusterFlag.QUORATE) || cluster.noQuorumPolicy() == NoQuorumPolicy.IGNORE) {
      return true;
    }
    return node.online() && mayFenceMember(cluster, node);
  }

  // Guests that are said to run in each other are on no machine that is known, and cannot be fenced.
  private static boolean canFenceGuest(WorkingSet cluster, Node node, List<Node> inside) {
    if (inside.contains(node)) {
      return false;
    }
    var guests = new ArrayList<>(inside);
    guests.add(node);
    var launcher = node.remote() == null ? null : node.remote().launcher();
    if (launcher != null) {
      for (var host : launcher.active()) {
        if (!host.online() && !canFence(cluster, host, guests)) {
          return false;
        }
      }
    }
    return true;
  }

  // Without quorum a remote node may have been taken over by a partition that has it.
  private static boolean mayFenceMember(WorkingSet cluster, Node node) {
    if (node.remoteKind()
        && node.remote() != null
        && !cluster.is(ClusterFlag.FENCE_REMOTE_NO_QUORUM)) {
      for (var allowed : node.remote().allowed()) {
        if (!allowed.node().online()) {
          return false;
        }
      }
    }
    return true;
  }

  /// Marks a node as one that must be fenced, in the way its kind asks for.
  public static void fenceNode(
      WorkingSet cluster, Node node, String reason, boolean priorityDelay) {
    if (node.is(NodeFlag.HOST_FROZEN) || node.is(NodeFlag.HOST_DOWN)) {
      cluster.notice(
          "Not fencing %s (otherwise would because %s): %s"
              .formatted(node.name(), reason, node.isGuest() ? "what runs it is, or may be, where nobody can look now" : "host HA looks after it"));
    } else if (node.isGuest()) {
      fenceGuest(cluster, node, reason);
    } else if (node.remoteKind()
        && node.remote() != null
        && node.remote().launcher() == null
        && node.remote().is(ResourceFlag.REMOVED_LAUNCHED)) {
      // Left over from a guest that is configured no more.
      node.remote().set(ResourceFlag.FAILED);
      node.remote().set(ResourceFlag.STOP_IF_FAILED);
    } else if (node.isRemote()) {
      fenceRemote(cluster, node, reason);
    } else if (!node.unclean()) {
      cluster.warning(
          "pe_fence_node",
          "Cluster node %s %s: %s"
              .formatted(
                  node.name(), canFence(cluster, node) ? "will be fenced" : "is unclean", reason),
          "");
      node.setUnclean(true);
      fenceAction(cluster, node, null, true, reason, priorityDelay);
    }
  }

  /// Gives up a guest and what is thought to run in it.
  public static void loseGuest(Node guest, Resource inside) {
    inside.set(ResourceFlag.FAILED);
    inside.set(ResourceFlag.STOP_IF_FAILED);
    fenceNode(inside.cluster(), guest, inside.id() + " is thought to be active there", false);
  }

  private static void fenceGuest(WorkingSet cluster, Node node, String reason) {
    var launcher = node.remote() == null ? null : node.remote().launcher();
    if (launcher == null || launcher.is(ResourceFlag.FAILED)) {
      return;
    }
    if (!launcher.is(ResourceFlag.MANAGED)) {
      cluster.notice(
          ("Not fencing guest node %s (otherwise would because %s): its guest resource %s is "
                  + "unmanaged")
              .formatted(node.name(), reason, launcher.id()));
      return;
    }
    cluster.warning(
        "pe_fence_node",
        "Guest node %s will be fenced (by recovering its guest resource %s): %s"
            .formatted(node.name(), launcher.id(), reason),
        "");
    // Not unclean: the node may run resources again once it is recovered.
    node.set(NodeFlag.REMOTE_RESET);
    launcher.set(ResourceFlag.FAILED);
    launcher.set(ResourceFlag.STOP_IF_FAILED);
  }

  private static void fenceRemote(WorkingSet cluster, Node node, String reason) {
    if (node.remote() != null && !node.remote().is(ResourceFlag.MANAGED)) {
      cluster.notice(
          "Not fencing remote node %s (otherwise would because %s): connection is unmanaged"
              .formatted(node.name(), reason));
    } else if (!node.is(NodeFlag.REMOTE_RESET)) {
      node.set(NodeFlag.REMOTE_RESET);
      cluster.warning(
          "pe_fence_node",
          "Remote node %s %s: %s"
              .formatted(
                  node.name(), canFence(cluster, node) ? "will be fenced" : "is unclean", reason),
          "");
    }
    node.setUnclean(true);
    fenceAction(cluster, node, null, true, reason, false);
  }

  /// The action that fences a node, created if there is none.
  ///
  /// @param operation `off`, `reboot` or `on`; null for the cluster's default
  public static Action fenceAction(
      WorkingSet cluster,
      Node node,
      @Nullable String operation,
      boolean optional,
      @Nullable String reason,
      boolean priorityDelay) {
    var how = operation == null ? cluster.fenceAction() : operation;
    var key = TaskName.FENCE + "-" + node.name() + "-" + how;
    var required = !optional;
    var action = cluster.singletons().get(key);
    if (action == null) {
      action = Actions.ofCluster(cluster, key, TaskName.FENCE, node, true);
      action.meta().put("on_node", node.name());
      action.meta().put("on_node_uuid", node.id());
      action.meta().put("stonith_action", how);
      if (cluster.is(ClusterFlag.ENABLE_UNFENCING)) {
        required |= addDigests(cluster, node, action);
      }
    }
    if (cluster.priorityFencingDelayMs() > 0
        && (priorityDelay || action.meta().containsKey(PRIORITY_DELAY))) {
      // Written even if 0, so that it takes precedence over a device's own delay.
      action.meta().put(PRIORITY_DELAY, Long.toString(priorityDelaySeconds(cluster, node)));
    }
    if (required && canFence(cluster, node)) {
      action.clear(ActionFlag.OPTIONAL);
      Actions.reason(action, reason, false);
    } else if (reason != null && action.reason() == null) {
      action.setReason(reason);
    }
    return action;
  }

  // The digests tell later runs whether a device changed since the node was last unfenced.
  private static boolean addDigests(WorkingSet cluster, Node node, Action action) {
    var changed = false;
    var all = new StringBuilder();
    var secure = new StringBuilder();
    var devices = new ArrayList<Resource>();
    unfencingDevices(cluster.resources(), devices);
    for (var device : devices.reversed()) {
      var agent = device.meta().get("type");
      var digests = Digests.fencing(device, agent == null ? "" : agent, node);
      if (digests.result() == OpDigests.Result.MISMATCH) {
        changed = true;
        var note =
            "Unfencing node %s because the definition of %s changed"
                .formatted(node.name(), device.id());
        cluster.notice(note);
        cluster.scoreLines().add(new ScoreLine.Note("notice: " + note));
      }
      var prefix = device.id() + ":" + agent + ":";
      all.append(prefix).append(digests.allDigest()).append(',');
      secure.append(prefix).append(digests.secureDigest()).append(',');
    }
    action.meta().put("digests-all", all.toString());
    action.meta().put("digests-secure", secure.toString());
    return changed;
  }

  private static void unfencingDevices(List<Resource> candidates, List<Resource> found) {
    for (var candidate : candidates) {
      if (!candidate.children().isEmpty()) {
        unfencingDevices(candidate.children(), found);
      } else if (candidate.is(ResourceFlag.FENCE_DEVICE)
          && (candidate.is(ResourceFlag.NEEDS_UNFENCING)
              || "unfencing".equalsIgnoreCase(candidate.meta().get("provides")))) {
        found.add(candidate);
      }
    }
  }

  // Only where sides may race: the target is not with us, and we are no clear majority.
  private static long priorityDelaySeconds(WorkingSet cluster, Node node) {
    if (node.remoteKind() || node.online()) {
      return 0;
    }
    var members = 0;
    var online = 0;
    var highest = Integer.MIN_VALUE;
    var lowest = Integer.MAX_VALUE;
    for (var member : cluster.nodes()) {
      if (!member.remoteKind()) {
        members++;
        online += member.online() ? 1 : 0;
        highest = Math.max(highest, member.priority());
        lowest = Math.min(lowest, member.priority());
      }
    }
    var needed = online <= members / 2 && lowest != highest && node.priority() >= highest;
    return needed ? Seconds.of(cluster.priorityFencingDelayMs()) : 0;
  }

  /// Requires that a node is unfenced, or all that the device may run on if none is given.
  ///
  /// @param device null, or the resource whose change asks for it; ignored unless a fence device
  public static void triggerUnfencing(
      WorkingSet cluster,
      @Nullable Resource device,
      @Nullable Node node,
      String reason,
      @Nullable Action dependency) {
    if (!cluster.is(ClusterFlag.ENABLE_UNFENCING)
        || device != null && !device.is(ResourceFlag.FENCE_DEVICE)) {
      return;
    }
    if (node != null && mayRun(node)) {
      var unfence = fenceAction(cluster, node, TaskName.ON, false, reason, false);
      Actions.order(unfence, dependency, Relation.ORDERED);
    } else if (device != null) {
      for (var allowed : device.allowed()) {
        if (mayRun(allowed.node())) {
          triggerUnfencing(cluster, device, allowed.node(), reason, dependency);
        }
      }
    }
  }

  private static boolean mayRun(Node node) {
    return node.online() && !node.unclean() && !node.shutdown();
  }
}
