package org.systole.scheduler.status;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Section;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Primitive;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Shows resources.
public final class ResourceView {
  private ResourceView() {}

  /// Shows one resource with all it contains.
  ///
  /// @return whether anything was shown
  public static boolean show(View view, Resource rsc) {
    if (rsc instanceof Primitive primitive) { // the first switch over types takes the JVM long
      return PrimitiveView.show(view, primitive);
    }
    if (rsc instanceof Group group) {
      return GroupView.show(view, group);
    }
    return rsc instanceof Clone clone
        ? CloneView.show(view, clone)
        : BundleView.show(view, (Bundle) rsc);
  }

  /// Shows the list of all resources.
  ///
  /// @param sayNone whether an empty list is shown as such
  /// @param spacer whether an empty line comes before it
  public static boolean showAll(View view, boolean sayNone, boolean spacer) {
    if (view.shows(Show.BY_NODE) && !view.shows(Show.INACTIVE)) {
      return false;
    }
    var section = new Section(view.out(), spacer, title(view));
    var shown = false;
    if (view.shows(Show.BRIEF) && !view.shows(Show.BY_NODE)) {
      section.begin();
      shown =
          BriefResources.show(view, Filters.named(view.resources(), view.cluster().resources()));
    }
    for (var rsc : view.cluster().resources()) {
      if (isListed(view, rsc)) {
        section.begin();
        shown |= show(view, rsc);
      }
    }
    if (sayNone && !shown) {
      section.begin();
      view.out().item(none(view));
    }
    section.end();
    return shown;
  }

  private static boolean isListed(View view, Resource rsc) {
    var active = rsc.isActive(true);
    if (rsc.is(ResourceFlag.REMOVED) && !active) {
      return false;
    }
    if (view.shows(Show.BY_NODE)) {
      return !active;
    }
    if (view.shows(Show.BRIEF) && rsc.isPrimitive()) {
      return false;
    }
    return rsc.isActive(false) ? Filters.runsOnAny(view.nodes(), rsc) : view.shows(Show.INACTIVE);
  }

  private static String title(View view) {
    if (view.shows(Show.BY_NODE)) {
      return "Inactive Resources";
    }
    return view.shows(Show.INACTIVE) ? "Full List of Resources" : "Active Resources";
  }

  private static String none(View view) {
    if (view.shows(Show.BY_NODE)) {
      return "No inactive resources";
    }
    return view.shows(Show.INACTIVE) ? "No resources" : "No active resources";
  }

  /// The description its configuration gives it, if descriptions are shown; null if not.
  static @Nullable String description(View view, Resource rsc) {
    return view.shows(Show.RESOURCE_ONLY) || view.shows(Show.DESCRIPTION)
        ? rsc.xml().get("description")
        : null;
  }

  /// A description as it follows a title.
  static String inParentheses(@Nullable String description) {
    return description == null ? "" : " (" + description + ")";
  }

  /// Words on a collective resource, behind its title; empty if there is nothing to say.
  static String remarks(List<String> remarks) {
    return remarks.isEmpty() ? "" : " (" + String.join(", ", remarks) + ")";
  }

  /// Adds how far the cluster keeps its hands off a collective resource.
  static void addManagement(List<String> remarks, Resource rsc) {
    if (rsc.isDisabled()) {
      remarks.add("disabled");
    }
    if (rsc.is(ResourceFlag.MAINTENANCE)) {
      remarks.add("maintenance");
    } else if (!rsc.is(ResourceFlag.MANAGED)) {
      remarks.add("unmanaged");
    }
  }
}
