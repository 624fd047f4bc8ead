package org.systole.tools.resource;

import java.util.HashSet;
import java.util.Set;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Score;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.Colocation;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;

/// Shows the locations and colocations of a resource, and those of what it is colocated with.
final class ResourceConstraints {
  /// From which end a colocation is looked at.
  private enum End {
    /// Others are placed with this one.
    OTHERS_WITH_THIS,
    /// This one is placed with others.
    THIS_WITH_OTHERS
  }

  private final ResourceContext context;
  private final boolean recursive;

  /// @param recursive whether colocations are followed to the end
  ResourceConstraints(ResourceContext context, boolean recursive) {
    this.context = context;
    this.recursive = recursive;
  }

  void show() {
    Scheduler.readConstraints(context.status());
    var named = context.theResource();
    // Constraints are those of the group or clone, not of a member or an instance.
    var rsc = context.force() ? named : named.top(false);
    switch (context.out()) {
      case TextOutput text -> {
        locations(text, rsc);
        for (var end : End.values()) {
          colocations(text, rsc, end, new HashSet<>());
        }
      }
      case XmlOutput xml -> {
        xml.open("constraints");
        locations(xml, rsc);
        for (var end : End.values()) {
          colocations(xml, rsc, end, new HashSet<>());
        }
        xml.close();
      }
    }
  }

  private static void locations(TextOutput text, Resource rsc) {
    var section = new Section(text, false, "Locations");
    for (var location : rsc.locations().reversed()) {
      for (var entry : location.nodes().reversed()) {
        section.begin();
        text.item(
            "Node %s (score=%s, id=%s, rsc=%s)"
                .formatted(entry.node(), Score.format(entry.score()), location.id(), rsc.id()));
      }
    }
    section.end();
  }

  private static void locations(XmlOutput xml, Resource rsc) {
    for (var location : rsc.locations().reversed()) {
      for (var entry : location.nodes().reversed()) {
        xml.add(
            "rsc_location",
            "node",
            entry.node().name(),
            "rsc",
            rsc.id(),
            "id",
            location.id(),
            "score",
            Score.format(entry.score()));
      }
    }
  }

  private static Iterable<Colocation> colocations(Resource rsc, End end) {
    return end == End.OTHERS_WITH_THIS ? rsc.withThis() : rsc.thisWith();
  }

  private static Resource other(Colocation colocation, End end) {
    return end == End.OTHERS_WITH_THIS ? colocation.dependent() : colocation.primary();
  }

  private void colocations(TextOutput text, Resource rsc, End end, Set<Resource> seen) {
    if (!seen.add(rsc)) {
      return;
    }
    var title =
        end == End.OTHERS_WITH_THIS
            ? "Resources colocated with " + rsc.id()
            : "Resources " + rsc.id() + " is colocated with";
    var section = new Section(text, false, title);
    for (var colocation : colocations(rsc, end)) {
      section.begin();
      var other = other(colocation, end);
      if (seen.contains(other)) {
        text.item("%s (id=%s - loop)".formatted(other.id(), colocation.id()));
        continue;
      }
      text.item(described(colocation, other, end));
      text.begin(null, null, null); // only for the indentation
      locations(text, other);
      if (recursive) {
        colocations(text, other, end, seen);
      }
      text.end();
    }
    section.end();
  }

  private static String described(Colocation colocation, Resource other, End end) {
    var role =
        colocation.primaryRole().above(Role.STARTED)
            ? ", %s role=%s"
                .formatted(
                    end == End.OTHERS_WITH_THIS ? "needs" : "with", colocation.primaryRole().text())
            : "";
    return "%s (score=%s%s, id=%s)"
        .formatted(other.id(), Score.format(colocation.score()), role, colocation.id());
  }

  private void colocations(XmlOutput xml, Resource rsc, End end, Set<Resource> seen) {
    if (!seen.add(rsc)) {
      return;
    }
    for (var colocation : colocations(rsc, end)) {
      var other = other(colocation, end);
      add(xml, colocation);
      if (seen.contains(other)) {
        continue;
      }
      locations(xml, other);
      if (recursive) {
        colocations(xml, other, end, seen);
      }
    }
  }

  private static void add(XmlOutput xml, Colocation colocation) {
    xml.add(
        "rsc_colocation",
        "id",
        colocation.id(),
        "rsc",
        colocation.dependent().id(),
        "with-rsc",
        colocation.primary().id(),
        "score",
        Score.format(colocation.score()),
        "node-attribute",
        colocation.nodeAttribute(),
        "rsc-role",
        colocation.dependentRole() == Role.UNKNOWN ? null : colocation.dependentRole().text(),
        "with-rsc-role",
        colocation.primaryRole() == Role.UNKNOWN ? null : colocation.primaryRole().text());
  }
}
