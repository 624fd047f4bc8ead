package org.systole.scheduler.constraints;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Location;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.ProbeMode;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.ScoredNode;
import org.systole.scheduler.model.WorkingSet;

/// Creates location constraints and applies them.
public final class Locations {
  private Locations() {}

  /// @param probeMode `resource-discovery` as configured
  /// @param node where it applies, null to add nodes later
  static Location add(
      String id, Resource rsc, int score, @Nullable String probeMode, @Nullable Node node) {
    var location = new Location(id, rsc);
    location.setProbeMode(probeMode(rsc, probeMode));
    if (node != null) {
      location.nodes().add(entry(node, score));
    }
    rsc.cluster().locations().add(location);
    rsc.locations().add(location);
    return location;
  }

  static ScoredNode entry(Node node, int score) {
    var entry = ScoredNode.of(node);
    entry.setScore(score);
    return entry;
  }

  private static ProbeMode probeMode(Resource rsc, @Nullable String text) {
    if (text == null || text.equalsIgnoreCase("always")) {
      return ProbeMode.ALWAYS;
    }
    if (text.equalsIgnoreCase("never")) {
      return ProbeMode.NEVER;
    }
    if (text.equalsIgnoreCase("exclusive")) {
      rsc.set(ResourceFlag.EXCLUSIVE_PROBES);
      return ProbeMode.EXCLUSIVE;
    }
    rsc.cluster()
        .configError("Invalid resource-discovery value " + text + " in location constraint");
    return ProbeMode.ALWAYS;
  }

  /// Applies all of them, the newest first.
  static void applyAll(WorkingSet cluster) {
    for (var at = cluster.locations().size() - 1; at >= 0; at--) {
      var location = cluster.locations().get(at);
      apply(location.resource(), location, location.nodes());
    }
  }

  private static void apply(Resource rsc, Location location, List<ScoredNode> nodes) {
    applyPlain(rsc, location, nodes);
    switch (rsc) {
      case Primitive _ -> {}
      case Group group -> applyMembers(group, location, nodes);
      case Clone clone -> clone.children().forEach(child -> apply(child, location, nodes));
      case Bundle bundle -> applyReplicas(bundle, location, nodes);
    }
  }

  // Later members follow the first by colocation: they need to be allowed, not to count it again.
  private static void applyMembers(Group group, Location location, List<ScoredNode> nodes) {
    var zero = new ArrayList<ScoredNode>();
    for (var entry : nodes.reversed()) {
      var copy = entry.copy();
      copy.setScore(0);
      zero.add(copy);
    }
    var first = true;
    for (var member : group.children()) {
      apply(member, location, first || !group.colocated() ? nodes : zero);
      first = false;
    }
  }

  private static void applyReplicas(Bundle bundle, Location location, List<ScoredNode> nodes) {
    for (var replica : bundle.replicas()) {
      apply(replica.container(), location, nodes);
      if (replica.ip() != null) {
        apply(replica.ip(), location, nodes);
      }
    }
    var child = bundle.child();
    if (child != null && (location.role() == Role.UNPROMOTED || location.role() == Role.PROMOTED)) {
      apply(child, location, nodes);
      child.locations().add(location);
    }
  }

  /// Applies it to the resource itself, not to what is inside.
  public static void applyPlain(Resource rsc, Location location, List<ScoredNode> nodes) {
    if (location.role().above(Role.UNKNOWN) && location.role() != rsc.nextRole()) {
      return;
    }
    for (var at = nodes.size() - 1; at >= 0; at--) {
      var entry = nodes.get(at);
      var allowed = rsc.allowed().get(entry.node());
      if (allowed == null) {
        allowed = entry.copy();
        rsc.allowed().put(allowed);
      } else {
        allowed.setScore(Score.add(allowed.score(), entry.score()));
      }
      Explanations.note(rsc, entry.node(), entry.score(), Kind.LOCATION, location.id());
      if (allowed.probeMode().compareTo(location.probeMode()) < 0) {
        if (location.probeMode() == ProbeMode.EXCLUSIVE) {
          rsc.set(ResourceFlag.EXCLUSIVE_PROBES);
        }
        allowed.setProbeMode(location.probeMode());
      }
    }
  }
}
