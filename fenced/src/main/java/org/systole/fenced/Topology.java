package org.systole.fenced;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.NodeName;

/// Which devices fence which nodes, in which order: levels are tried one after the other, and in a
/// level every device has to succeed.
final class Topology {
  static final int LEVEL_MAX = 9;

  /// The nodes a level is for: by name, by a pattern for names, or by an attribute.
  sealed interface Target {
    record Name(NodeName name) implements Target {}

    record Matching(String pattern) implements Target {}

    record Having(String attribute, String value) implements Target {}

    /// Reads a target as commands write it: `NAME`, `@PATTERN` or `ATTRIBUTE=VALUE`; null if it is
    /// none of them.
    static @Nullable Target parse(String text) {
      if (text.startsWith("@")) {
        return new Matching(text.substring(1));
      }
      var at = text.indexOf('=');
      if (at > 0) {
        return new Having(text.substring(0, at), text.substring(at + 1));
      }
      var name = NodeName.of(text);
      return name == null ? null : new Name(name);
    }
  }

  record Level(Target target, int index, List<String> devices) {}

  private List<Level> configured = List.of();
  private final List<Level> registered = new ArrayList<>();
  private Map<NodeName, Map<String, String>> attributes = Map.of();

  /// Takes over the levels of the CIB.
  ///
  /// @param nodeAttributes by node name
  void configure(List<Level> levels, Map<NodeName, Map<String, String>> nodeAttributes) {
    configured = List.copyOf(levels);
    attributes = nodeAttributes;
  }

  /// Adds a level, or devices to one that was registered before.
  void register(Level level) {
    var devices = new LinkedHashSet<String>();
    for (var before : registered) {
      if (before.target().equals(level.target()) && before.index() == level.index()) {
        devices.addAll(before.devices());
      }
    }
    devices.addAll(level.devices());
    deregister(level.target(), level.index());
    registered.add(new Level(level.target(), level.index(), List.copyOf(devices)));
  }

  /// @param index 0 for all levels of the target
  void deregister(Target target, int index) {
    registered.removeIf(
        level -> level.target().equals(target) && (index == 0 || level.index() == index));
  }

  /// The levels for a node, each a list of devices; empty if there is no topology for it. Levels by
  /// name come before those by pattern, and those before levels by attribute.
  List<List<String>> levels(NodeName node) {
    for (var rank = 0; rank < 3; rank++) {
      var found = levels(node, rank);
      if (!found.isEmpty()) {
        return found;
      }
    }
    return List.of();
  }

  private List<List<String>> levels(NodeName node, int rank) {
    var all = new ArrayList<>(configured);
    all.addAll(registered);
    var byIndex = new TreeMap<Integer, List<String>>();
    @Nullable Target first = null;
    for (var level : all) {
      if (rank(level.target()) != rank || !matches(level.target(), node)) {
        continue;
      }
      if (first == null || first.equals(level.target())) {
        first = level.target();
        byIndex.computeIfAbsent(level.index(), _ -> new ArrayList<>()).addAll(level.devices());
      }
    }
    return List.copyOf(byIndex.values());
  }

  private static int rank(Target target) {
    return switch (target) {
      case Target.Name _ -> 0;
      case Target.Matching _ -> 1;
      case Target.Having _ -> 2;
    };
  }

  private boolean matches(Target target, NodeName node) {
    return switch (target) {
      case Target.Name(var name) -> name.equalsIgnoreCase(node);
      case Target.Matching(var pattern) -> matchesPattern(pattern, node);
      case Target.Having(var attribute, var value) ->
          value.equals(attributes.getOrDefault(node, Map.of()).get(attribute));
    };
  }

  private static boolean matchesPattern(String pattern, NodeName node) {
    var regex = ExtendedRegex.compileIgnoringCase(pattern);
    return regex != null && regex.isIn(node.text());
  }
}
