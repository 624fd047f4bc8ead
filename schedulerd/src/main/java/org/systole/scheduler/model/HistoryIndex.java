package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.TaskName;
import org.systole.common.xml.Element;

/// Finds the operation history of a resource on a node by both names as written.
public final class HistoryIndex {
  private final Map<String, Map<String, List<Element>>> byNode = new LinkedHashMap<>();

  HistoryIndex(@Nullable Element status) {
    if (status == null) {
      return;
    }
    for (var state : status.children("node_state")) {
      var lrm = state.path("lrm", "lrm_resources");
      var node = state.get("uname");
      if (lrm != null && node != null) {
        var resources = byNode.computeIfAbsent(node, key -> new HashMap<>());
        for (var resource : lrm.children("lrm_resource")) {
          resources
              .computeIfAbsent(resource.get("id", ""), key -> new ArrayList<>(1))
              .add(resource);
        }
      }
    }
  }

  /// The nodes that have a history, in document order: also those that are not configured any more.
  public Set<String> nodes() {
    return Collections.unmodifiableSet(byNode.keySet());
  }

  /// All `lrm_resource` elements of that resource and node, in document order.
  public List<Element> resources(String node, String resource) {
    return byNode.getOrDefault(node, Map.of()).getOrDefault(resource, List.of());
  }

  /// What is recorded of a resource on a node, in document order.
  public List<HistoryEntry> entries(Node node, Resource resource) {
    return resources(node.name(), resource.nameInHistories()).stream()
        .flatMap(it -> it.children(HistoryEntry.ELEMENT).stream())
        .map(HistoryEntry::new)
        .toList();
  }

  /// The results of what that node's executor was asked for, in no particular order. Those of connections to
  /// remote nodes are not its own: the calls to them are counted apart.
  public List<Element> entries(String node) {
    var found = new ArrayList<Element>();
    for (var resources : byNode.getOrDefault(node, Map.of()).values()) {
      for (var resource : resources) {
        if (AgentName.of(resource).isRemoteConnection()) {
          continue;
        }
        found.addAll(resource.children(HistoryEntry.ELEMENT));
      }
    }
    return found;
  }

  /// The first entry of that operation; for a migration, of the one with that other node.
  ///
  /// @param otherNode target of a `migrate_to` or source of a `migrate_from`; null for any
  public @Nullable Element operation(
      String node, String resource, String task, @Nullable String otherNode) {
    var attribute =
        switch (task) {
          case TaskName.MIGRATE_TO -> "migrate_target";
          case TaskName.MIGRATE_FROM -> "migrate_source";
          default -> null;
        };
    for (var history : resources(node, resource)) {
      for (var entry : history.children(HistoryEntry.ELEMENT)) {
        if (task.equals(entry.get("operation"))
            && (otherNode == null || attribute == null || otherNode.equals(entry.get(attribute)))) {
          return entry;
        }
      }
    }
    return null;
  }
}
