package org.systole.fenced;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.options.ClusterOptions;
import org.systole.common.rules.NameValues;
import org.systole.common.rules.RuleContext;
import org.systole.common.rules.Rules;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.IsoTime;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// Reads fence devices and topology out of a CIB, as far as they concern this node: devices that
/// are not disabled and not banned from it, whether or not they are "started" here.
final class CibDevices {
  record Configured(
      String name, String agent, DeviceParameters parameters, boolean providesUnfencing) {}

  private final Element cib;
  private final String localNode;
  private final NameValues values;
  private final RuleContext context;
  private final Map<String, Map<String, String>> nodeAttributes;
  private final Rules rules;
  private final ClusterOptions options;

  CibDevices(Element cib, String localNode, IsoTime now) {
    this.cib = cib;
    this.localNode = localNode;
    this.options = ClusterOptions.read(cib, now);
    this.rules = new Rules(cib, Diagnostics.NONE);
    this.values = new NameValues(rules);
    this.nodeAttributes = attributesOfNodes();
    this.context =
        RuleContext.at(now).withNodeAttributes(nodeAttributes.getOrDefault(localNode, Map.of()));
  }

  Map<String, Map<String, String>> nodeAttributes() {
    return nodeAttributes;
  }

  private Map<String, Map<String, String>> attributesOfNodes() {
    var all = new TreeMap<String, Map<String, String>>();
    var nodes = cib.path("configuration", "nodes");
    for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
      var attributes = new TreeMap<String, String>();
      attributes.put("#uname", node.get("uname", ""));
      attributes.put("#id", node.get("id", ""));
      pairs(node, attributes);
      all.put(node.get("uname", ""), attributes);
    }
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var name = state.get("uname", "");
      var transients = state.first("transient_attributes");
      if (transients != null) {
        pairs(transients, all.computeIfAbsent(name, _ -> new TreeMap<>(Map.of("#uname", name))));
      }
    }
    return all;
  }

  private static void pairs(Element parent, Map<String, String> into) {
    for (var block : parent.children("instance_attributes")) {
      for (var pair : block.children("nvpair")) {
        into.put(pair.get("name", ""), pair.get("value", ""));
      }
    }
  }

  List<Configured> devices() {
    var devices = new ArrayList<Configured>();
    var resources = cib.path("configuration", "resources");
    if (resources != null) {
      for (var resource : resources.children()) {
        collect(resource, List.of(), devices);
      }
    }
    return devices;
  }

  /// @param above the group and clone the resource is in, outermost first
  private void collect(Element resource, List<Element> above, List<Configured> into) {
    switch (resource.name()) {
      case "primitive" -> {
        var device = device(resource, above);
        if (device != null) {
          into.add(device);
        }
      }
      case "group", "clone", "master" -> {
        var further = new ArrayList<>(above);
        further.add(resource);
        for (var child : resource.children()) {
          collect(child, further, into);
        }
      }
      default -> {}
    }
  }

  private @Nullable Configured device(Element primitive, List<Element> above) {
    var template = template(primitive);
    var whole = template == null ? primitive : template;
    if (!AgentName.FENCING.equals(primitive.get("class", whole.get("class", "")))) {
      return null;
    }
    var meta = new LinkedHashMap<String, String>();
    read(primitive, template, "meta_attributes", meta);
    for (var at = above.size() - 1; at >= 0; at--) {
      values.unpack(above.get(at), "meta_attributes", context, meta);
    }
    var defaults = cib.path("configuration", "rsc_defaults");
    if (defaults != null) {
      values.unpack(defaults, "meta_attributes", context, meta);
    }
    if ("stopped".equalsIgnoreCase(meta.getOrDefault("target-role", ""))
        || isBanned(primitive, above)) {
      return null;
    }
    var parameters = new LinkedHashMap<String, String>();
    read(primitive, template, "instance_attributes", parameters);
    return new Configured(
        primitive.get("id", ""),
        primitive.get("type", whole.get("type", "")),
        new DeviceParameters(parameters),
        "unfencing".equalsIgnoreCase(meta.getOrDefault("provides", "")));
  }

  private @Nullable Element template(Element primitive) {
    var name = primitive.get("template");
    var resources = cib.path("configuration", "resources");
    return name == null || resources == null ? null : resources.first("template", name);
  }

  private void read(
      Element primitive, @Nullable Element template, String blocks, Map<String, String> into) {
    values.unpack(primitive, blocks, context, into);
    if (template != null) {
      values.unpack(template, blocks, context, into);
    }
  }

  private boolean isBanned(Element primitive, List<Element> above) {
    if (isBanned(score(primitive.get("id", "")))) {
      return true;
    }
    for (var outer : above) {
      var score = score(outer.get("id", ""));
      if (score != null && score < 0) {
        return true;
      }
    }
    return false;
  }

  /// In an opt-in cluster what is not allowed is banned.
  private boolean isBanned(@Nullable Integer score) {
    return score == null ? !options.isTrue("symmetric-cluster") : score < 0;
  }

  /// What the location constraints say about a resource on this node; null if nothing.
  private @Nullable Integer score(String resource) {
    @Nullable Integer sum = null;
    var constraints = cib.path("configuration", "constraints");
    if (constraints == null) {
      return null;
    }
    for (var location : constraints.children("rsc_location")) {
      var matched = matches(location, resource);
      if (matched == null || "never".equals(role(location))) {
        continue;
      }
      for (var one : scores(location, matched)) {
        sum = sum == null ? one : Integer.valueOf(Score.add(sum, one));
      }
    }
    return sum;
  }

  /// A constraint for another role than started says nothing about fence devices.
  private static String role(Element location) {
    var role = location.get("role", "Started").toLowerCase(Locale.ROOT);
    return role.equals("promoted") || role.equals("master") ? "never" : role;
  }

  /// What a pattern matched, empty for a match by name, null for none.
  private @Nullable List<String> matches(Element location, String resource) {
    if (resource.equals(location.get("rsc"))) {
      return List.of();
    }
    var pattern = location.get("rsc-pattern");
    if (pattern != null) {
      return matchesPattern(pattern, resource);
    }
    for (var set : location.children("resource_set")) {
      for (var reference : set.children("resource_ref")) {
        if (resource.equals(reference.id())) {
          return List.of();
        }
      }
    }
    return null;
  }

  private static @Nullable List<String> matchesPattern(String pattern, String resource) {
    var negated = pattern.startsWith("!");
    var regex = ExtendedRegex.compile(negated ? pattern.substring(1) : pattern);
    if (regex == null) {
      return null;
    }
    var groups = regex.groups(resource);
    return negated ? groups == null ? List.of() : null : groups;
  }

  private List<Integer> scores(Element location, List<String> matched) {
    if (location.has("node")) {
      return localNode.equalsIgnoreCase(location.get("node", ""))
          ? List.of(Score.parse(location.get("score"), 0))
          : List.of();
    }
    var found = new ArrayList<Integer>();
    for (var child : location.children("rule")) {
      var rule = rules.resolve(child);
      if (rule != null && rules.evaluate(rule, context.withSubmatches(matched), null).passes()) {
        var attribute = rule.get("score-attribute");
        found.add(
            attribute == null
                ? Score.parse(rule.get("score"), 0)
                : Score.parse(context.nodeAttributes().get(attribute), 0));
      }
    }
    return found;
  }

  List<Topology.Level> levels() {
    var levels = new ArrayList<Topology.Level>();
    var topology = cib.path("configuration", "fencing-topology");
    for (var child : topology == null ? List.<Element>of() : topology.children("fencing-level")) {
      var level = rules.resolve(child);
      var target = level == null ? null : target(level);
      var index = level == null ? 0 : Numbers.parseInt(level.get("index", ""), 0);
      if (level != null && target != null && index >= 1 && index <= Topology.LEVEL_MAX) {
        levels.add(
            new Topology.Level(target, index, DeviceParameters.names(level.get("devices", ""))));
      }
    }
    return levels;
  }

  private static Topology.@Nullable Target target(Element level) {
    var name = level.get("target");
    if (name != null) {
      return new Topology.Target.Name(name);
    }
    var pattern = level.get("target-pattern");
    if (pattern != null) {
      return new Topology.Target.Matching(pattern);
    }
    var attribute = level.get("target-attribute");
    var value = level.get("target-value");
    return attribute == null || value == null ? null : new Topology.Target.Having(attribute, value);
  }
}
