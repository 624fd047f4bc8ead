package org.systole.fenced;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.options.ClusterOptionTable;
import org.systole.common.rules.Rules;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;

/// Reads fence devices and topology out of a CIB, as far as they concern this node: devices that
/// are neither disabled nor banned from it, whether or not they are "started" here.
///
/// The scheduler says what a resource is made of and where it may run. It is given the fence
/// devices and the location constraints only.
final class CibDevices {
  record Configured(
      String name, String agent, DeviceParameters parameters, boolean providesUnfencing) {}

  /// What devices were read from, and which.
  private record Known(NodeName node, Element input, List<Configured> devices) {}

  /// Devices as they were read last. Most changes of a configuration do not touch what decides about them;
  /// to have the scheduler look at all of it again is most of what such a change costs the fencer.
  static final class Last {
    private @Nullable Known known;
  }

  /// What the root says of a version of the CIB and of who wrote it: nothing of what is in it.
  private static final List<String> OF_VERSION =
      List.of(
          "admin_epoch",
          "epoch",
          "num_updates",
          "cib-last-written",
          "update-origin",
          "update-client",
          "update-user");

  private static final Set<String> OPTIONS = optionNames();

  private final Element cib;
  private final NodeName localNode;
  private final Instant now;
  private final ZoneId zone;
  private final Map<NodeName, Map<String, String>> nodeAttributes;
  private final Rules rules;

  CibDevices(Element cib, NodeName localNode, Instant now, ZoneId zone) {
    this.cib = cib;
    this.localNode = localNode;
    this.now = now;
    this.zone = zone;
    this.rules = new Rules(cib, Diagnostics.NONE);
    this.nodeAttributes = attributesOfNodes();
  }

  Map<NodeName, Map<String, String>> nodeAttributes() {
    return nodeAttributes;
  }

  private Map<NodeName, Map<String, String>> attributesOfNodes() {
    var all = new TreeMap<NodeName, Map<String, String>>();
    var nodes = cib.path("configuration", "nodes");
    for (var node : nodes == null ? List.<Element>of() : nodes.children("node")) {
      var attributes = new TreeMap<String, String>();
      attributes.put("#uname", node.get("uname", ""));
      attributes.put("#id", node.get("id", ""));
      pairs(node, attributes);
      var name = NodeName.of(node.get("uname"));
      if (name != null) {
        all.put(name, attributes);
      }
    }
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var name = NodeName.of(state.get("uname"));
      var transients = state.first("transient_attributes");
      if (transients != null && name != null) {
        pairs(
            transients,
            all.computeIfAbsent(name, _ -> new TreeMap<>(Map.of("#uname", name.text()))));
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

  /// As [#devices()], without looking again if what it goes by is as it was last time.
  List<Configured> devices(Last last) {
    var input = input();
    var known = last.known;
    if (known != null && known.node().equals(localNode) && known.input().equals(input)) {
      return known.devices();
    }
    var devices = List.copyOf(devices(input));
    var goesByTime = input != null && input.find(it -> it.is("date_expression")) != null;
    last.known = input == null || goesByTime ? null : new Known(localNode, input, devices);
    return devices;
  }

  List<Configured> devices() {
    return devices(input());
  }

  private @Nullable Element input() {
    var known = SchemaUpgrade.toCurrent(cib).cib(); // what cannot be upgraded is read as it is
    for (var attribute : OF_VERSION) {
      known = known.without(attribute);
    }
    return forDevices(known);
  }

  private List<Configured> devices(@Nullable Element input) {
    var devices = new ArrayList<Configured>();
    if (input == null) {
      return devices;
    }
    var flags = Set.of(ClusterFlag.LOCATION_ONLY, ClusterFlag.NO_COUNTS);
    var cluster = Scheduler.run(input, now, zone, flags).cluster();
    var local = cluster.node(localNode.text());
    if (local != null) {
      cluster.resources().forEach(resource -> collect(resource, local, devices));
    }
    return devices;
  }

  /// What the scheduler needs of a CIB to place the fence devices; null if there are none.
  private @Nullable Element forDevices(Element whole) {
    var configuration = whole.first("configuration");
    var resources = configuration == null ? null : configuration.first("resources");
    if (configuration == null || resources == null) {
      return null;
    }
    var templates = new TreeSet<String>();
    resources.children("template").stream()
        .filter(CibDevices::isFencing)
        .forEach(template -> templates.add(template.get("id", "")));
    var kept =
        resources.children().stream()
            .filter(
                it -> it.is("template") || it.find(inner -> isDevice(inner, templates)) != null)
            .toList();
    if (kept.stream().allMatch(it -> it.is("template"))) {
      return null;
    }
    var sections = new ArrayList<Element>();
    for (var section : configuration.children()) {
      switch (section.name()) {
        case "resources" -> sections.add(section.withChildren(kept));
        case "constraints" ->
            sections.add(section.withChildren(section.children("rsc_location")));
        case "nodes" -> sections.add(withLocalNode(section));
        case "crm_config" -> sections.add(withKnownOptions(section));
        case "rsc_defaults", "tags" -> sections.add(section);
        default -> {}
      }
    }
    if (configuration.first("nodes") == null) {
      sections.add(withLocalNode(Element.of("nodes")));
    }
    return whole.withChildren(List.of(configuration.withChildren(sections)));
  }

  /// The cluster's options without properties that only others know: people and tools keep notes of their own
  /// there, and write them often.
  private static Element withKnownOptions(Element options) {
    var sets = new ArrayList<Element>();
    for (var set : options.children()) {
      var kept = set.children().stream().filter(CibDevices::mayBeOption).toList();
      sets.add(kept.size() == set.childCount() ? set : set.withChildren(kept));
    }
    return options.withChildren(sets);
  }

  private static boolean mayBeOption(Element pair) {
    var name = pair.get("name");
    return !pair.is("nvpair") || name == null || OPTIONS.contains(name);
  }

  private static Set<String> optionNames() {
    var names = new TreeSet<String>();
    for (var option : ClusterOptionTable.ALL) {
      names.add(option.name());
      if (option.oldName() != null) {
        names.add(option.oldName());
      }
    }
    return names;
  }

  private static boolean isFencing(Element resource) {
    return AgentName.FENCING.equals(resource.get("class"));
  }

  private static boolean isDevice(Element resource, Set<String> templates) {
    return resource.is("primitive")
        && (isFencing(resource) || templates.contains(resource.get("template", "")));
  }

  /// Adds this node if the DC has not recorded it yet: it can use devices before that. Its
  /// transient attributes count as well.
  private Element withLocalNode(Element nodes) {
    var children = new ArrayList<Element>();
    for (var node : nodes.children("node")) {
      children.add(isLocal(node) ? withTransientAttributes(node) : node);
    }
    if (children.stream().noneMatch(this::isLocal)) {
      children.add(
          withTransientAttributes(
              Element.of("node", "id", localNode.text(), "uname", localNode.text())));
    }
    return nodes.withChildren(children);
  }

  private boolean isLocal(Element named) {
    return localNode.text().equalsIgnoreCase(named.get("uname", ""));
  }

  private Element withTransientAttributes(Element node) {
    var status = cib.first("status");
    var blocks = new ArrayList<Element>();
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var passing = isLocal(state) ? state.first("transient_attributes") : null;
      if (passing != null) {
        passing.children("instance_attributes").forEach(it -> blocks.add(withoutFailures(it)));
      }
    }
    blocks.addAll(node.children());
    return node.withChildren(blocks);
  }

  /// That a device failed on this node bans its resource from it, and not the node from the device: nobody else may be left who
  /// could use it.
  private static Element withoutFailures(Element block) {
    return block.withChildren(block.children().stream().filter(it -> !FailureAttribute.isOne(it.get("name", ""))).toList());
  }

  private void collect(Resource resource, Node local, List<Configured> into) {
    var children = resource.children();
    if (!children.isEmpty()) {
      // one instance of a clone stands for all
      var count = resource.isClone() ? 1 : children.size();
      children.subList(0, count).forEach(child -> collect(child, local, into));
      return;
    }
    if (!AgentName.FENCING.equals(resource.standard())
        || resource.isDisabled()
        || !mayRun(resource, local)) {
      return;
    }
    var group = resource.parent();
    if (group != null && group.isGroup() && isBanned(group, local)) {
      return;
    }
    into.add(
        new Configured(
            resource.printableId(),
            resource.xml().get("type", ""),
            new DeviceParameters(resource.parameters(local)),
            "unfencing".equalsIgnoreCase(resource.meta().get("provides"))));
  }

  private static boolean mayRun(Resource resource, Node node) {
    return resource.allowed().contains(node) && !isBanned(resource, node);
  }

  private static boolean isBanned(Resource resource, Node node) {
    var entry = resource.allowed().get(node);
    return entry != null && entry.score() < 0;
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
      var node = NodeName.of(name);
      return node == null ? null : new Topology.Target.Name(node);
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
