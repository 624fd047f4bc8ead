package org.systole.scheduler.status;

import java.util.ArrayList;
import org.systole.common.output.Section;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Group;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Shows groups.
final class GroupView {
  private GroupView() {}

  static boolean show(View view, Group group) {
    if (Filters.hides(view.resources(), group, true)) {
      return false;
    }
    return view.out() instanceof XmlOutput xml ? showXml(view, xml, group) : showText(view, group);
  }

  private static boolean isSkipped(View view, Group group, Resource member) {
    var only = view.resources();
    var hidden = Filters.hides(only, member, false);
    if (!only.isAll() && !hidden) {
      return false;
    }
    var shownState = member.isActive(false) || view.shows(Show.INACTIVE);
    return !shownState || hidden && !Filters.isNamed(only, group);
  }

  private static boolean showText(View view, Group group) {
    var section = new Section(view.out(), false, title(view, group));
    if (view.shows(Show.BRIEF)) {
      var members = Filters.named(view.resources(), group.children());
      if (!members.isEmpty()) {
        section.begin();
        BriefResources.show(view.with(Show.INACTIVE), members);
      }
      return section.end();
    }
    for (var member : group.children()) {
      if (!isSkipped(view, group, member)) {
        section.begin();
        ResourceView.show(view, member);
      }
    }
    return section.end();
  }

  private static String title(View view, Group group) {
    var remarks = new ArrayList<String>();
    if (!view.shows(Show.INACTIVE) && !group.isActive(true) && group.isActive(false)) {
      var inactive = group.children().stream().filter(member -> !member.isActive(true)).count();
      if (inactive > 0) {
        remarks.add(inactive + " member" + (inactive == 1 ? "" : "s") + " inactive");
      }
    }
    ResourceView.addManagement(remarks, group);
    return "Resource Group: "
        + group.id()
        + ResourceView.remarks(remarks)
        + ResourceView.inParentheses(ResourceView.description(view, group));
  }

  private static boolean showXml(View view, XmlOutput out, Group group) {
    var begun = false;
    for (var at = 0; at < group.children().size(); at++) {
      var member = group.children().get(at);
      if (isSkipped(view, group, member)) {
        continue;
      }
      if (!begun) {
        begun = true;
        out.open("group", "id", group.id())
            .attr("number_resources", group.children().size() - at)
            .attr("maintenance", group.is(ResourceFlag.MAINTENANCE))
            .attr("managed", group.is(ResourceFlag.MANAGED))
            .attr("disabled", group.isDisabled())
            .attr("description", ResourceView.description(view, group));
      }
      ResourceView.show(view, member);
    }
    if (begun) {
      out.close();
    }
    return begun;
  }
}
