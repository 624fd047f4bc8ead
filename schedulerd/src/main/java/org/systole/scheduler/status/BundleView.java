package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Replica;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Shows bundles.
final class BundleView {
  private BundleView() {}

  static boolean show(View view, Bundle bundle) {
    if (Filters.hides(view.resources(), bundle, true)) {
      return false;
    }
    return switch (view.out()) {
      case TextOutput _ -> showText(view, bundle);
      case XmlOutput xml -> showXml(view, xml, bundle);
    };
  }

  /// The resources of a replica that are to be shown, in the order of display.
  private static List<Resource> shownParts(View view, Bundle bundle, Replica replica) {
    var all = view.resources().has(bundle.id());
    var parts = new ArrayList<Resource>();
    for (var part :
        new @Nullable Resource[] {
          replica.ip(), replica.child(), replica.container(), replica.remote()
        }) {
      if (part != null && !Filters.hides(view.resources(), part, all)) {
        parts.add(part);
      }
    }
    return parts;
  }

  private static boolean showText(View view, Bundle bundle) {
    var section = new Section(view.out(), false, title(view, bundle));
    var all = view.resources().has(bundle.id());
    for (var replica : bundle.replicas()) {
      var parts = shownParts(view, bundle, replica);
      if (Filters.hidesByNode(view.nodes(), replica.container()) || !all && parts.isEmpty()) {
        continue;
      }
      section.begin();
      if (view.shows(Show.IMPLICIT) || !all) {
        showParts(view, bundle, replica, parts);
      } else {
        showLine(view, replica);
      }
    }
    return section.end();
  }

  private static void showParts(View view, Bundle bundle, Replica replica, List<Resource> parts) {
    var numbered = bundle.replicas().size() > 1;
    var title = "Replica[" + replica.offset() + "]";
    var html = view.out() instanceof HtmlOutput;
    var list = numbered || !html;
    if (list) {
      if (numbered && !html) {
        view.out().item(title);
      }
      view.out().begin(null, null, html ? title : null);
    }
    parts.forEach(part -> ResourceView.show(view.with(Show.IMPLICIT), part));
    if (list) {
      view.out().end();
    }
  }

  private static void showLine(View view, Replica replica) {
    var named = replica.remote() == null ? replica.container() : replica.remote();
    var shown = replica.child() == null ? replica.container() : replica.child();
    var address = replica.ipAddress() == null ? "" : " (" + replica.ipAddress() + ")";
    PrimitiveView.showText(
        view, shown, named.printableId() + address, replica.container().currentNode());
  }

  private static String title(View view, Bundle bundle) {
    var state = "";
    if (bundle.is(ResourceFlag.MAINTENANCE)) {
      state = " (maintenance)";
    } else if (!bundle.is(ResourceFlag.MANAGED)) {
      state = " (unmanaged)";
    }
    return "Container bundle"
        + (bundle.replicaCount() > 1 ? " set" : "")
        + ": "
        + bundle.id()
        + " ["
        + bundle.image()
        + "]"
        + (bundle.is(ResourceFlag.UNIQUE) ? " (unique)" : "")
        + ResourceView.inParentheses(ResourceView.description(view, bundle))
        + state;
  }

  private static boolean showXml(View view, XmlOutput out, Bundle bundle) {
    var begun = false;
    var all = view.resources().has(bundle.id());
    for (var replica : bundle.replicas()) {
      var parts = shownParts(view, bundle, replica);
      if (Filters.hidesByNode(view.nodes(), replica.container()) || !all && parts.isEmpty()) {
        continue;
      }
      if (!begun) {
        begun = true;
        out.open(
                "bundle", "id", bundle.id(), "type", bundle.agent().text(), "image", bundle.image())
            .attr("unique", bundle.is(ResourceFlag.UNIQUE))
            .attr("maintenance", bundle.is(ResourceFlag.MAINTENANCE))
            .attr("managed", bundle.is(ResourceFlag.MANAGED))
            .attr("failed", bundle.is(ResourceFlag.FAILED))
            .attr("description", ResourceView.description(view, bundle));
      }
      out.open("replica", "id", Integer.toString(replica.offset()));
      parts.forEach(part -> ResourceView.show(view, part));
      out.close();
    }
    if (begun) {
      out.close();
    }
    return begun;
  }
}
