package org.systole.scheduler.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Section;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeNames;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoredNode;

/// Shows clones: instances without anything special to them are summed up by role.
final class CloneView {
  private final View view;
  private final Clone clone;
  private final Section section;
  private final List<Node> promoted = new ArrayList<>();
  private final List<Node> started = new ArrayList<>();

  /// What is stopped, with a word on why.
  private final Map<String, String> stopped = new LinkedHashMap<>();

  private CloneView(View view, Clone clone) {
    this.view = view;
    this.clone = clone;
    this.section = new Section(view.out(), false, title(view, clone));
  }

  static boolean show(View view, Clone clone) {
    if (Filters.hides(view.resources(), clone, true)) {
      return false;
    }
    return view.out() instanceof XmlOutput xml
        ? showXml(view, xml, clone)
        : new CloneView(view, clone).showText();
  }

  private static boolean isSkipped(View view, Clone clone, Resource instance) {
    return Filters.hidesByNode(view.nodes(), instance)
        || Filters.hides(view.resources(), instance, Filters.isNamed(view.resources(), clone));
  }

  private boolean showText() {
    for (var instance : clone.children()) {
      if (!isSkipped(view, clone, instance) && isShownAlone(instance)) {
        section.begin();
        ResourceView.show(view.withResources(NameFilter.ALL), instance);
      }
    }
    if (view.shows(Show.CLONE_DETAIL)) {
      section.end();
      return true;
    }
    var active = item("Promoted", names(promoted));
    active += item(startedWord(), names(started));
    if (view.shows(Show.INACTIVE)) {
      showStopped(active);
    }
    return section.end();
  }

  private String startedWord() {
    if (!clone.is(ResourceFlag.PROMOTABLE)) {
      return "Started";
    }
    return targetRole() == Role.UNPROMOTED ? "Unpromoted (target-role)" : "Unpromoted";
  }

  /// Sorts an instance into one of the sums unless it needs a line of its own.
  private boolean isShownAlone(Resource instance) {
    var partly = instance.isActive(false);
    if (clone.is(ResourceFlag.UNIQUE)) {
      return view.shows(Show.CLONE_DETAIL) || partly || !clone.is(ResourceFlag.REMOVED);
    }
    if (view.shows(Show.PENDING)
        && instance.pendingAction() != null
        && !instance.pendingAction().equals("probe")) {
      return true;
    }
    if (!partly) {
      if (!instance.is(ResourceFlag.REMOVED)
          && !view.shows(Show.CLONE_DETAIL)
          && view.shows(Show.INACTIVE)) {
        stopped.put(instance.id(), "Stopped");
      }
      return view.shows(Show.CLONE_DETAIL);
    }
    return isSpecial(instance) || !sumUp(instance) || view.shows(Show.CLONE_DETAIL);
  }

  private static boolean isSpecial(Resource instance) {
    return any(instance, ResourceFlag.REMOVED)
        || !all(instance, ResourceFlag.MANAGED)
        || any(instance, ResourceFlag.FAILED)
        || !instance.isActive(true);
  }

  private static boolean any(Resource rsc, ResourceFlag flag) {
    return rsc.is(flag) || rsc.children().stream().anyMatch(child -> any(child, flag));
  }

  private static boolean all(Resource rsc, ResourceFlag flag) {
    return rsc.is(flag) && rsc.children().stream().allMatch(child -> all(child, flag));
  }

  private boolean sumUp(Resource instance) {
    var where = location(instance);
    if (where == null || !where.online() && where.unclean()) {
      return false;
    }
    (instance.role(true).above(Role.UNPROMOTED) ? promoted : started).add(where);
    return true;
  }

  private static @Nullable Node location(Resource instance) {
    var nodes = instance.nodes(Resource.Where.CURRENT);
    return nodes.size() == 1 ? nodes.getFirst() : null;
  }

  private List<String> names(List<Node> nodes) {
    var names = new ArrayList<String>();
    for (var node : nodes) {
      if (view.nodes().hasNode(node.name())) {
        names.add(node.name());
      }
    }
    names.sort(NodeNames.ORDER);
    return names;
  }

  private int item(String word, List<String> names) {
    if (!names.isEmpty()) {
      section.begin();
      view.out().item(word + ": [ " + String.join(" ", names) + " ]");
    }
    return names.size();
  }

  private void showStopped(int active) {
    if (!clone.is(ResourceFlag.UNIQUE) && clone.max() > active) {
      stopped.clear();
      collectStopped();
    }
    if (stopped.isEmpty()) {
      if (active == 0) {
        section.begin();
      }
      return;
    }
    for (var word : new TreeSet<>(stopped.values())) {
      var names = new TreeMap<String, String>(NodeNames.ORDER);
      stopped.forEach(
          (name, state) -> {
            if (state.equals(word)) {
              names.put(name, state);
            }
          });
      item(word, List.copyOf(names.keySet()));
    }
  }

  private void collectStopped() {
    var candidates = clone.allowed().isEmpty() ? clone.probed() : clone.allowed();
    for (ScoredNode candidate : candidates) {
      var node = candidate.node();
      if (clone.active().contains(node) || !view.nodes().hasNode(node.name())) {
        continue;
      }
      var probe = Failures.failedProbe(clone, node.name());
      if (probe != null) {
        var code = Numbers.parseInt(probe.get("rc-code"), 0);
        stopped.put(node.name(), "Stopped (" + ExitStatus.text(code) + ")");
      } else {
        stopped.put(node.name(), targetRole() == Role.STOPPED ? "Stopped (disabled)" : "Stopped");
      }
    }
  }

  private Role targetRole() {
    return Role.parse(targetRoleText(clone));
  }

  private static @Nullable String targetRoleText(Clone clone) {
    var text = clone.meta().get("target-role");
    return text == null && !clone.children().isEmpty()
        ? clone.children().getFirst().meta().get("target-role")
        : text;
  }

  private static String title(View view, Clone clone) {
    var remarks = new ArrayList<String>();
    if (clone.is(ResourceFlag.PROMOTABLE)) {
      remarks.add("promotable");
    }
    if (clone.is(ResourceFlag.UNIQUE)) {
      remarks.add("unique");
    }
    ResourceView.addManagement(remarks, clone);
    var child = clone.childXml() == null ? null : clone.childXml().id();
    return "Clone Set: "
        + clone.id()
        + " ["
        + child
        + "]"
        + ResourceView.remarks(remarks)
        + ResourceView.inParentheses(ResourceView.description(view, clone));
  }

  private static boolean showXml(View view, XmlOutput out, Clone clone) {
    var begun = false;
    for (var instance : clone.children()) {
      if (isSkipped(view, clone, instance)) {
        continue;
      }
      if (!begun) {
        begun = true;
        out.open("clone", "id", clone.id())
            .attr("multi_state", clone.is(ResourceFlag.PROMOTABLE))
            .attr("unique", clone.is(ResourceFlag.UNIQUE))
            .attr("maintenance", clone.is(ResourceFlag.MAINTENANCE))
            .attr("managed", clone.is(ResourceFlag.MANAGED))
            .attr("disabled", clone.isDisabled())
            .attr("failed", clone.is(ResourceFlag.FAILED))
            .attr("failure_ignored", clone.is(ResourceFlag.IGNORE_FAILURE))
            .attr("target_role", targetRoleText(clone))
            .attr("description", ResourceView.description(view, clone));
      }
      ResourceView.show(view.withResources(NameFilter.ALL), instance);
    }
    if (begun) {
      out.close();
    }
    return begun;
  }
}
