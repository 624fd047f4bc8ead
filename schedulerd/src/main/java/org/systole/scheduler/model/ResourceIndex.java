package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds resources by id or history id as a walk over the list of resources would.
final class ResourceIndex {
  private final List<Resource> resources;
  private final Map<String, Resource> byId = new HashMap<>();
  private final Map<String, List<Resource>> byHistoryId = new HashMap<>();

  ResourceIndex(List<Resource> resources) {
    this.resources = resources;
  }

  void add(Resource resource) {
    byId.putIfAbsent(resource.id(), resource);
    for (var child : resource.children()) {
      add(child);
    }
  }

  /// Adds something new inside a resource that may not have been added itself yet.
  void addTo(Resource resource) {
    var top = resource.top(true);
    if (byId.get(top.id()) == top) {
      add(resource);
    }
  }

  void addHistoryId(Resource resource, String id) {
    var known = byHistoryId.computeIfAbsent(id, key -> new ArrayList<>());
    if (!known.contains(resource)) {
      known.add(resource);
    }
  }

  @Nullable Resource find(String id) {
    var exact = byId.get(id);
    var known = byHistoryId.get(id);
    if (known == null) {
      return exact;
    }
    known.removeIf(resource -> !id.equals(resource.historyId()));
    if (known.isEmpty()) {
      return exact;
    }
    if (exact == null && known.size() == 1) {
      return known.getFirst();
    }
    return walk(id, exact, known);
  }

  private @Nullable Resource walk(String id, @Nullable Resource exact, List<Resource> known) {
    var top = known.getFirst().top(true);
    if ((exact == null || exact.top(true) == top)
        && known.stream().allMatch(resource -> resource.top(true) == top)) {
      return top.find(id, Resource.Match.HISTORY);
    }
    for (var resource : resources) {
      var found = resource.find(id, Resource.Match.HISTORY);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
