package org.systole.scheduler.status;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.scheduler.model.NodeNames;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// Shows how many resources of each type are active on each node.
final class BriefResources {
  private BriefResources() {}

  static boolean show(View view, List<Resource> list) {
    var totals = new TreeMap<String, Integer>();
    var active = new TreeMap<String, Map<String, Integer>>(NodeNames.ORDER);
    for (var rsc : list) {
      if (rsc.isPrimitive()) {
        var agent = PrimitiveView.agent(rsc);
        totals.merge(agent, 1, Integer::sum);
        countActive(rsc, agent, active);
      }
    }
    var shown = false;
    for (var total : totals.entrySet()) {
      shown |= showType(view, total.getKey(), total.getValue(), active);
    }
    return shown;
  }

  private static void countActive(
      Resource rsc, String agent, Map<String, Map<String, Integer>> active) {
    for (var node : rsc.active()) {
      if (node.unclean() || node.online() || !rsc.is(ResourceFlag.MANAGED)) {
        active.computeIfAbsent(node.name(), name -> new TreeMap<>()).merge(agent, 1, Integer::sum);
      }
    }
  }

  private static boolean showType(
      View view, String agent, int total, Map<String, Map<String, Integer>> active) {
    var shown = false;
    for (var node : active.entrySet()) {
      var count = node.getValue().getOrDefault(agent, 0);
      if (count > 0) {
        var name = view.shows(Show.RESOURCE_ONLY) ? "" : node.getKey();
        view.out().item(count(view, count, total) + "\t(" + agent + "):\tActive " + name);
        shown = true;
      }
    }
    if (!shown && view.shows(Show.INACTIVE)) {
      view.out().item("0/" + total + "\t(" + agent + "):\tActive");
      shown = true;
    }
    return shown;
  }

  private static String count(View view, int count, int total) {
    return view.shows(Show.INACTIVE) ? count + "/" + total : Integer.toString(count);
  }
}
