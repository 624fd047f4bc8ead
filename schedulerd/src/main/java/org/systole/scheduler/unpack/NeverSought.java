package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;

/// Which resources the configuration never has looked for on a node, as their location constraints say (`resource-discovery`): that they were
/// not looked for there tells nothing. Histories are read before constraints are, so only those are seen that name resource and
/// node plainly; where a rule or a pattern decides, a resource counts as looked for.
final class NeverSought {
  private final Set<String> never = new HashSet<>();
  private final Set<String> exclusive = new HashSet<>(); // looked for only where a constraint says so
  private final Set<String> here = new HashSet<>(); // of these, on this node

  NeverSought(WorkingSet ws, @Nullable NodeName node) {
    var constraints = ws.cib().path("configuration", "constraints");
    for (var location : constraints == null ? List.<Element>of() : constraints.children("rsc_location")) {
      read(location, node);
    }
  }

  private void read(Element location, @Nullable NodeName node) {
    var named = location.get("node");
    var is = node != null && node.text().equalsIgnoreCase(named);
    switch (location.get("resource-discovery", "")) {
      case "never" -> {
        if (is) {
          never.addAll(resources(location));
        }
      }
      case "exclusive" -> {
        exclusive.addAll(resources(location));
        if (is || named == null) {
          here.addAll(resources(location));
        }
      }
      default -> {
        // it is looked for there
      }
    }
  }

  private static List<String> resources(Element location) {
    var found = new ArrayList<String>();
    if (location.has("rsc")) {
      found.add(location.get("rsc", ""));
    }
    for (var set : location.children("resource_set")) {
      set.children("resource_ref").forEach(it -> found.add(it.id()));
    }
    return found;
  }

  boolean has(Resource resource) {
    for (var it = resource; it != null; it = it.parent()) {
      var id = it.configId();
      if (never.contains(id) || exclusive.contains(id) && !here.contains(id)) {
        return true;
      }
    }
    return false;
  }
}
