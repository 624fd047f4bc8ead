package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;

/// Which resources a restricted display leaves out.
final class Filters {
  private Filters() {}

  /// Whether the resource is left out.
  ///
  /// @param withParents whether it is let in by the collective it belongs to
  static boolean hides(NameFilter only, Resource rsc, boolean withParents) {
    if (only.isAll()) {
      return false;
    }
    return switch (rsc) {
      case Primitive primitive -> hidesPrimitive(only, primitive, withParents);
      case Group group -> hidesGroup(only, group, withParents);
      case Clone clone -> hidesClone(only, clone);
      case Bundle bundle -> hidesBundle(only, bundle);
    };
  }

  private static boolean hidesPrimitive(NameFilter only, Primitive rsc, boolean withParents) {
    if (only.has(rsc.printableId()) || only.has(rsc.id())) {
      return false;
    }
    return !withParents || rsc.parent() == null || hides(only, rsc.top(true), false);
  }

  private static boolean hidesGroup(NameFilter only, Group rsc, boolean withParents) {
    if (withParents && only.has(rsc.top(false).printableId()) || isNamed(only, rsc)) {
      return false;
    }
    return rsc.children().stream().allMatch(child -> hides(only, child, false));
  }

  private static boolean hidesClone(NameFilter only, Clone rsc) {
    if (only.has(rsc.printableId())) {
      return false;
    }
    var child = rsc.childXml() == null ? null : rsc.childXml().id();
    if (child != null && only.has(child)) {
      return false;
    }
    return rsc.children().stream().allMatch(instance -> hides(only, instance, false));
  }

  private static boolean hidesBundle(NameFilter only, Bundle rsc) {
    return !only.has(rsc.printableId())
        && rsc.replicas().stream()
            .allMatch(
                replica -> parts(replica).stream().allMatch(part -> hides(only, part, false)));
  }

  private static List<Resource> parts(Replica replica) {
    var parts = new ArrayList<Resource>();
    addIfThere(parts, replica.ip());
    addIfThere(parts, replica.child());
    parts.add(replica.container());
    addIfThere(parts, replica.remote());
    return parts;
  }

  private static void addIfThere(List<Resource> list, @Nullable Resource resource) {
    if (resource != null) {
      list.add(resource);
    }
  }

  /// Whether the resource itself is named, an instance also with its number.
  static boolean isNamed(NameFilter only, Resource rsc) {
    return only.has(rsc.printableId()) || rsc.id().indexOf(':') >= 0 && only.has(rsc.id());
  }

  /// Whether it is active, and only on nodes that are left out.
  static boolean hidesByNode(NameFilter only, Resource rsc) {
    return rsc.isActive(false) && !runsOnAny(only, rsc);
  }

  static boolean runsOnAny(NameFilter only, Resource rsc) {
    return rsc.active().stream().anyMatch(node -> only.hasNode(node.name()));
  }

  /// Those of the list that are named, or whose collective is; the last one first.
  static List<Resource> named(NameFilter only, List<Resource> list) {
    var named = new ArrayList<Resource>();
    for (var rsc : list) {
      var parent = rsc.parent();
      if (only.has(rsc.printableId()) || parent != null && only.has(parent.printableId())) {
        named.addFirst(rsc);
      }
    }
    return named;
  }
}
