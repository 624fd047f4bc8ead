package org.systole.scheduler.status;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Location;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoredNode;

/// Shows location constraints that keep resources away from nodes.
public final class BansView {
  private BansView() {}

  /// @param prefix only constraints whose id begins so; null for all
  public static boolean show(View view, @Nullable String prefix, boolean spacer) {
    var section = new Section(view.out(), spacer, "Negative Location Constraints");
    for (var location : view.cluster().locations().reversed()) { // the newest comes first
      var rsc = location.resource();
      if (prefix != null && !location.id().startsWith(prefix)
          || !view.resources().has(rsc.printableId())
              && !view.resources().has(rsc.top(false).printableId())) {
        continue;
      }
      for (var node : location.nodes().reversed()) {
        if (node.score() < 0) {
          section.begin();
          show(view, location, node);
        }
      }
    }
    return section.end();
  }

  private static void show(View view, Location location, ScoredNode node) {
    var promoted = location.role() == Role.PROMOTED;
    switch (view.out()) {
      case TextOutput text ->
          text.item(
              location.id()
                  + "\tprevents "
                  + location.resource().id()
                  + " from running "
                  + (promoted ? "in Promoted role " : "")
                  + "on "
                  + NodesView.displayName(node.node(), view.shows(Show.NODE_ID)));
      case XmlOutput xml ->
          xml.add("ban", "id", location.id(), "resource", location.resource().id())
              .attr("node", node.node().name())
              .attr("weight", node.score())
              .attr("promoted-only", promoted)
              .attr("master_only", promoted);
    }
  }
}
