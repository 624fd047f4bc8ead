package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Options as they were named and placed before schema 3.0.
final class OldNames {
  private static final Set<String> GONE_STACKS =
      Set.of("heartbeat", "openais", "classic openais", "classic openais (with plugin)", "cman");

  /// Cluster options under a new name.
  private static final Map<String, String> RENAMED =
      Map.ofEntries(
          Map.entry("cluster_recheck_interval", "cluster-recheck-interval"),
          Map.entry("dc_deadtime", "dc-deadtime"),
          Map.entry("election_timeout", "election-timeout"),
          Map.entry("no_quorum_policy", "no-quorum-policy"),
          Map.entry("remove_after_stop", "remove-after-stop"),
          Map.entry("shutdown_escalation", "shutdown-escalation"),
          Map.entry("startup_fencing", "startup-fencing"),
          Map.entry("stonith_action", "stonith-action"),
          Map.entry("stonith_enabled", "stonith-enabled"),
          Map.entry("stop_orphan_actions", "stop-orphan-actions"),
          Map.entry("stop_orphan_resources", "stop-orphan-resources"),
          Map.entry("symmetric_cluster", "symmetric-cluster"),
          Map.entry("transition_idle_timeout", "cluster-delay"));

  /// Cluster options that became defaults of resources.
  private static final Map<String, String> RESOURCE_DEFAULTS =
      Map.ofEntries(
          Map.entry("default-resource-stickiness", "resource-stickiness"),
          Map.entry("default_resource_stickiness", "resource-stickiness"),
          Map.entry("default-resource-failure-stickiness", "migration-threshold"),
          Map.entry("default_resource_failure_stickiness", "migration-threshold"),
          Map.entry("is-managed-default", "is-managed"),
          Map.entry("is_managed_default", "is-managed"));

  /// Cluster options that became defaults of operations.
  private static final Map<String, String> OPERATION_DEFAULTS =
      Map.of("default-action-timeout", "timeout", "default_action_timeout", "timeout");

  private static final Set<String> DROPPED =
      Set.of(
          "default-migration-threshold",
          "default_migration_threshold",
          "expected-quorum-votes",
          "notification-agent",
          "notification-recipient");

  /// Instance attributes of fence devices under a new name.
  private static final Map<String, String> FENCING =
      Map.of(
          "pcmk_list_cmd", "pcmk_list_action",
          "pcmk_monitor_cmd", "pcmk_monitor_action",
          "pcmk_off_cmd", "pcmk_off_action",
          "pcmk_on_cmd", "pcmk_on_action",
          "pcmk_reboot_cmd", "pcmk_reboot_action",
          "pcmk_status_cmd", "pcmk_status_action");

  private static final Set<String> ISOLATION =
      Set.of("isolation", "isolation-host", "isolation-instance", "isolation-wrapper");

  private static final Set<String> FAILURE_STICKINESS =
      Set.of("resource-failure-stickiness", "resource_failure_stickiness");

  /// Meta-attributes of operations that could be given as instance attributes.
  private static final Set<String> OPERATION_META =
      Set.of(
          "interval-origin",
          "start-delay",
          "enabled",
          "on-fail",
          "record-pending",
          "role",
          "timeout");

  private final List<Element> resourceDefaults = new ArrayList<>();
  private final List<Element> operationDefaults = new ArrayList<>();

  private OldNames() {}

  private static boolean hasPair(Element block, java.util.function.Predicate<Element> wanted) {
    return block.children("nvpair").stream().anyMatch(wanted);
  }

  private static boolean isOldOption(Element pair) {
    var name = pair.get("name", "");
    return name.equals("cluster-infrastructure")
        ? GONE_STACKS.contains(pair.get("value", ""))
        : RENAMED.containsKey(name)
            || RESOURCE_DEFAULTS.containsKey(name)
            || OPERATION_DEFAULTS.containsKey(name)
            || DROPPED.contains(name);
  }

  static Element upgrade(Element cib) {
    return new OldNames().run(cib);
  }

  private Element run(Element cib) {
    var renamed = References.fold(Rewrite.all(References.unfold(cib), this::rule));
    return Rewrite.all(
        renamed,
        (element, parent) -> {
          if (!element.is("configuration")) {
            return element;
          }
          var withResources = addDefaults(element, "rsc_defaults", resourceDefaults);
          return addDefaults(withResources, "op_defaults", operationDefaults);
        });
  }

  private static Element addDefaults(Element configuration, String section, List<Element> pairs) {
    if (pairs.isEmpty()) {
      return configuration;
    }
    var existing = configuration.first(section);
    var id = "upgraded-" + section;
    var block = Element.of("meta_attributes", "id", id);
    for (var pair : pairs) {
      var name = pair.get("name", "");
      var defined =
          existing != null
              && existing.find(it -> it.is("nvpair") && name.equals(it.get("name"))) != null;
      if (!defined) {
        block = block.plus(pair);
      }
    }
    if (block.childCount() == 0) {
      return configuration;
    }
    return existing == null
        ? configuration.plus(Element.of(section).plus(block))
        : configuration.replace(configuration.indexOf(existing), existing.plus(block));
  }

  private @Nullable Element rule(Element element, @Nullable Element parent) {
    return switch (element.name()) {
      case "nvpair" -> pair(element, parent);
      case "node" ->
          "normal".equals(element.get("type")) ? element.with("type", "member") : element;
      case "rsc_colocation" -> element.without("score-attribute").without("score-attribute-mangle");
      case "op" -> operation(element);
      case "primitive", "template" -> resource(element);
      default -> element;
    };
  }

  private @Nullable Element pair(Element pair, @Nullable Element block) {
    return Rewrite.is(block, "cluster_property_set") ? option(pair) : pair;
  }

  private @Nullable Element option(Element pair) {
    var name = pair.get("name", "");
    if (!isOldOption(pair)) {
      return pair;
    }
    var renamed = RENAMED.get(name);
    if (renamed != null) {
      return pair.with("name", renamed);
    }
    var operation = OPERATION_DEFAULTS.get(name);
    if (operation != null) {
      operationDefaults.add(pair.with("name", operation));
    }
    var resource = RESOURCE_DEFAULTS.get(name);
    if (resource != null && resource.equals("migration-threshold")) {
      if ("-INFINITY".equals(pair.get("value"))) {
        resourceDefaults.add(pair.with("name", resource).with("value", "1"));
      }
    } else if (resource != null) {
      resourceDefaults.add(pair.with("name", resource));
    }
    return null;
  }

  private static boolean isStart(Element op) {
    return "start".equals(op.get("name")) || "promote".equals(op.get("name"));
  }

  /// What instance attributes of an operation say about the operation becomes its meta-attributes.
  private static Element operation(Element op) {
    var moved = new ArrayList<Element>();
    var children = new ArrayList<Element>();
    for (var child : op.children()) {
      if (!child.is("instance_attributes")) {
        children.add(child);
        continue;
      }
      var kept = new ArrayList<Element>();
      for (var pair : child.children()) {
        var name = pair.get("name", "");
        if (OPERATION_META.contains(name) || name.equals("requires")) {
          moved.add(pair);
        } else {
          kept.add(pair);
        }
      }
      if (kept.stream().anyMatch(it -> it.is("nvpair")) || child.has("id-ref")) {
        children.add(child.withChildren(kept));
      }
    }
    if (!moved.isEmpty()) {
      moved.removeIf(pair -> pair.get("name", "").equals("requires") && !isStart(op));
    }
    if (!moved.isEmpty()) {
      children.add(Element.of("meta_attributes", "id", "upgraded-" + op.id()).withChildren(moved));
    }
    return op.withChildren(children);
  }

  private static Element resource(Element resource) {
    var requires = new ArrayList<Element>();
    var cleaned =
        Rewrite.all(
            resource,
            (element, parent) ->
                element.is("op")
                    ? withoutRequires(element, requires)
                    : attribute(element, parent, resource));
    if (requires.isEmpty() || hasMeta(cleaned, "requires")) {
      return cleaned;
    }
    return cleaned.plus(
        Element.of("meta_attributes", "id", "upgraded-" + resource.id()).plus(requires.getFirst()));
  }

  private static boolean hasMeta(Element resource, String name) {
    return resource.children("meta_attributes").stream()
        .anyMatch(block -> hasPair(block, pair -> name.equals(pair.get("name"))));
  }

  private static Element withoutRequires(Element op, List<Element> found) {
    var value = op.get("requires");
    if (value != null && isStart(op)) {
      found.add(
          Element.of(
              "nvpair",
              "id",
              "upgraded-" + op.id() + "-requires",
              "name",
              "requires",
              "value",
              value));
    }
    var children = new ArrayList<Element>();
    for (var child : op.children()) {
      if (!child.is("meta_attributes")) {
        children.add(child);
        continue;
      }
      var kept = new ArrayList<Element>();
      for (var pair : child.children()) {
        if (!"requires".equals(pair.get("name"))) {
          kept.add(pair);
        } else if (isStart(op)) {
          found.add(pair);
        }
      }
      if (kept.size() == child.childCount() || kept.stream().anyMatch(it -> it.is("nvpair"))) {
        children.add(child.withChildren(kept));
      }
    }
    return op.without("requires").withChildren(children);
  }

  private static @Nullable Element attribute(
      Element pair, @Nullable Element block, Element resource) {
    if (!pair.is("nvpair") || block == null) {
      return pair;
    }
    var name = pair.get("name", "");
    var value = pair.get("value", "");
    if (block.is("instance_attributes")) {
      if (name.equals("pcmk_arg_map")) {
        return value.startsWith("port:") && value.indexOf(',') < 0
            ? pair.with("name", "pcmk_host_argument").with("value", value.substring(5))
            : null;
      }
      return pair.with("name", FENCING.getOrDefault(name, name));
    }
    if (!block.is("meta_attributes")) {
      return pair;
    }
    if (ISOLATION.contains(name)) {
      return hasMeta(resource, "target-role")
          ? null
          : pair.with("name", "target-role").with("value", "Stopped");
    }
    if (FAILURE_STICKINESS.contains(name)) {
      return value.equals("-INFINITY")
          ? pair.with("name", "migration-threshold").with("value", "1")
          : null;
    }
    return pair;
  }
}
