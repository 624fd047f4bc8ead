package org.systole.roles.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.view.LiveRoles;

/// What nodes have, as they or their shipped role `agents` told: for each kind of agent what all nodes
/// have, and where they differ; and what resources need and nodes lack.
final class Inventory {
  private static final String ROLE = "agents";

  private Inventory() {}

  /// What the nodes' roles have told.
  static SortedMap<NodeName, Json.Obj> told(LiveRoles roles) {
    var told = new TreeMap<NodeName, Json.Obj>();
    for (var noderole : roles.all().values()) {
      if (noderole.id().role().text().equals(ROLE)
          && noderole.wall().entries().get(ROLE) instanceof Json.Obj it) {
        told.put(noderole.id().node(), it);
      }
    }
    return told;
  }

  static Element of(SortedMap<NodeName, Json.Obj> told) {
    var nodes = new TreeSet<>(told.keySet());
    var agents = new TreeMap<String, SortedMap<String, SortedSet<NodeName>>>(); // kind, agent, nodes
    var packages = new TreeMap<String, SortedMap<NodeName, String>>(); // package, node, version
    var missing = new TreeMap<String, SortedSet<NodeName>>();
    told.forEach((node, it) -> note(node, it.entries(), agents, packages, missing));
    var all = Element.builder("inventory").attr("nodes", names(nodes));
    agents.forEach((kind, of) -> all.add(kind(kind, of, nodes)));
    packages.forEach((name, versions) -> all.add(versions(name, versions, nodes)));
    missing.forEach(
        (agent, on) -> all.add(Element.of("needed", "agent", agent, "missing", names(on))));
    return all.build();
  }

  private static void note(
      NodeName node,
      SortedMap<String, Json> told,
      SortedMap<String, SortedMap<String, SortedSet<NodeName>>> agents,
      SortedMap<String, SortedMap<NodeName, String>> packages,
      SortedMap<String, SortedSet<NodeName>> missing) {
    if (told.get("inventory") instanceof Json.Obj(var kinds)) {
      kinds.forEach(
          (kind, list) ->
              texts(list)
                  .forEach(
                      agent ->
                          agents
                              .computeIfAbsent(kind, _ -> new TreeMap<>())
                              .computeIfAbsent(agent, _ -> new TreeSet<>())
                              .add(node)));
    }
    if (told.get("packages") instanceof Json.Obj(var installed)) {
      installed.forEach(
          (name, version) -> {
            if (version instanceof Json.Text(var text)) {
              packages.computeIfAbsent(name, _ -> new TreeMap<>()).put(node, text);
            }
          });
    }
    texts(told.get("missing"))
        .forEach(agent -> missing.computeIfAbsent(agent, _ -> new TreeSet<>()).add(node));
  }

  private static List<String> texts(@Nullable Json list) {
    var texts = new ArrayList<String>();
    if (list instanceof Json.Arr(var items)) {
      for (var item : items) {
        if (item instanceof Json.Text(var text)) {
          texts.add(text);
        }
      }
    }
    return texts;
  }

  private static String names(SortedSet<NodeName> nodes) {
    return nodes.stream().map(NodeName::text).collect(Collectors.joining(" "));
  }

  private static Element kind(
      String kind,
      SortedMap<String, SortedSet<NodeName>> of,
      SortedSet<NodeName> nodes) {
    var line = Element.builder("agents").attr("kind", kind);
    var everywhere = new TreeSet<String>();
    of.forEach(
        (agent, on) -> {
          if (on.equals(nodes)) {
            everywhere.add(agent);
          }
        });
    line.attr("everywhere", String.join(" ", everywhere));
    of.forEach(
        (agent, on) -> {
          if (!on.equals(nodes)) {
            var missing = new TreeSet<>(nodes);
            missing.removeAll(on);
            line.add(Element.of("differs", "agent", agent, "missing", names(missing)));
          }
        });
    return line.build();
  }

  private static Element versions(
      String name, SortedMap<NodeName, String> versions, SortedSet<NodeName> nodes) {
    var line = Element.builder("package").attr("name", name);
    var same = new TreeSet<>(versions.values());
    if (same.size() == 1 && versions.keySet().equals(nodes)) {
      return line.attr("version", same.first()).build();
    }
    for (var node : nodes) {
      line.add(Element.of("version", "node", node.text(), "is", versions.getOrDefault(node, "none")));
    }
    return line.build();
  }
}
