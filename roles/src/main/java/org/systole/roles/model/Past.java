package org.systole.roles.model;

import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// What a document keeps of what is in it no more.
///
/// @param spent the highest number that a run of a noderole had that is gone: one that is bound later
///     begins above it, so that nobody takes a run of the earlier one for its own
/// @param anew the number that runs began above in a document that took the place of one that was lost: of
///     two such documents another one. 0 if no other one is known of
/// @param gone what is known of roles that ran on nodes that were deleted: also of those that were not destructive
///     then, as they may be when one of that name comes
public record Past(
    int spent, int anew, SortedMap<NodeName, SortedMap<RoleId, RoleNode.Once>> gone) {
  public static final Past NONE = new Past(0, 0, new TreeMap<>());

  public Past {
    var all = new TreeMap<NodeName, SortedMap<RoleId, RoleNode.Once>>();
    gone.forEach((node, once) -> all.put(node, Collections.unmodifiableSortedMap(new TreeMap<>(once))));
    gone = Collections.unmodifiableSortedMap(all);
  }

  /// Of a document that takes the place of one that was lost. Nobody knows what has run on which node, so
  /// that no destructive role runs before a person was asked, nor which numbers runs had.
  ///
  /// @param at above the numbers of all runs in the lost one
  public static Past lost(int at) {
    return new Past(at, at, new TreeMap<>());
  }

  /// Whether it took the place of a document that was lost.
  public boolean isUnknown() {
    return anew > 0;
  }

  public Past withSpent(int now) {
    return now == spent ? this : new Past(now, anew, gone);
  }

  /// A node goes; what ran on it is kept for the case that one of its name comes.
  public Past with(RoleNode node) {
    if (node.once().isEmpty()) {
      return this;
    }
    var all = new TreeMap<>(gone);
    all.put(node.name(), node.once());
    return new Past(spent, anew, all);
  }

  /// What ran on an earlier node of that name. It may be another machine, or its disks may be others now, so
  /// that nothing of it counts as done.
  public SortedMap<RoleId, RoleNode.Once> of(NodeName node) {
    var known = named(node);
    var once = new TreeMap<RoleId, RoleNode.Once>();
    if (known != null) {
      gone.getOrDefault(known, new TreeMap<>()).forEach((role, _) -> once.put(role, new RoleNode.Once(false)));
    }
    return once;
  }

  /// A node of that name is there again.
  public Past without(NodeName node) {
    var known = named(node);
    if (known == null) {
      return this;
    }
    var all = new TreeMap<>(gone);
    all.remove(known);
    return new Past(spent, anew, all);
  }

  private @Nullable NodeName named(NodeName node) {
    for (var each : gone.keySet()) {
      if (each.text().toLowerCase(Locale.ROOT).equals(node.text().toLowerCase(Locale.ROOT))) {
        return each;
      }
    }
    return null;
  }
}
