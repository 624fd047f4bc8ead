package org.systole.scheduler.unpack;

import org.systole.common.values.Score;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.MultipleActive;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause;

/// Notes where resources are active.
final class ActiveResources {
  private ActiveResources() {}

  /// Notes that a resource, and so all it is part of, is active on a node.
  ///
  /// @param failed whether it is to be recovered, so that its priority does not count for the node
  static void add(Resource resource, Node node, boolean failed) {
    if (resource.active().contains(node)) {
      return;
    }
    resource.active().add(node);
    if (resource.isPrimitive()) {
      node.running().add(resource);
      addPriority(resource, node, failed);
      if (node.maintenance()) {
        resource.clear(ResourceFlag.MANAGED);
        resource.set(ResourceFlag.MAINTENANCE);
      }
      if (node.is(NodeFlag.HOST_FROZEN)) {
        block(resource);
      }
      if (isLineOfFrozen(resource)) {
        resource.clear(ResourceFlag.MIGRATABLE);
        resource.prefer(node, Score.INFINITY);
        resource.cluster().note(resource, node, Score.INFINITY, ScoreCause.Kind.UNMANAGED, "");
      }
    }
    if (!resource.is(ResourceFlag.MANAGED)) {
      resource.cluster().info("resource " + resource.id() + " isn't managed");
      resource.prefer(node, Score.INFINITY);
      resource.cluster().note(resource, node, Score.INFINITY, ScoreCause.Kind.UNMANAGED, "");
      for (var up = resource.parent(); up != null; up = up.parent()) {
        up.active().add(node);
      }
      return;
    }
    if (resource.isPrimitive() && resource.activeCountForRequires() > 1) {
      recoverFromMultiple(resource);
    }
    if (resource.parent() != null) {
      add(resource.parent(), node, false);
    }
  }

  /// A connection to a host that does not answer cannot be handed over: the member that has it has lost
  /// it, and makes it anew when the host is back. A move that fails would have the host fenced then.
  private static boolean isLineOfFrozen(Resource resource) {
    var host =
        resource.is(ResourceFlag.REMOTE_CONNECTION) ? resource.cluster().remoteNode(resource.id()) : null;
    return host != null && host.is(NodeFlag.HOST_FROZEN);
  }

  private static void addPriority(Resource resource, Node node, boolean failed) {
    if (resource.priority() == 0 || failed) {
      return;
    }
    var priority = resource.priority() + (resource.role() == Role.PROMOTED ? 1 : 0);
    node.setPriority(node.priority() + (priority));
    // What runs on a guest counts for the guest's host, too.
    if (node.remote() != null && node.remote().launcher() != null) {
      for (var host : node.remote().launcher().active()) {
        host.setPriority(host.priority() + (priority));
      }
    }
  }

  private static void recoverFromMultiple(Resource resource) {
    switch (resource.multipleActive()) {
      case STOP_ONLY -> {
        resource.banEverywhere();
        resource.cluster().noteBan(resource, null, ScoreCause.Kind.MULTIPLE_ACTIVE, "");
      }
      case BLOCK -> {
        block(resource);
        var parent = resource.parent();
        if ((parent instanceof Group || parent instanceof Bundle)
            && parent.multipleActive() == MultipleActive.BLOCK) {
          parent.children().forEach(ActiveResources::block);
        }
      }
      case STOP_START, STOP_UNEXPECTED -> {} // left to the placement
    }
  }

  /// Has nothing be done with a resource.
  static void block(Resource resource) {
    resource.clear(ResourceFlag.MANAGED);
    resource.set(ResourceFlag.BLOCKED);
  }
}
