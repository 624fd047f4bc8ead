package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// What schema 4.0 has no place for any more.
final class Unsupported {
  static final String PREFIX = "pcmk__3_10_upgrade-";

  private static final Set<String> GONE_CLASSES = Set.of("nagios", "upstart");
  private static final Set<String> RESOURCE_HOLDERS =
      Set.of("template", "primitive", "group", "clone", "master", "bundle", "rsc_defaults");
  private static final Set<String> BLOCKS =
      Set.of("cluster_property_set", "instance_attributes", "meta_attributes", "utilization");
  private static final Map<String, String> RENAMED =
      Map.of(
          "crmd-finalization-timeout", "join-finalization-timeout",
          "crmd-integration-timeout", "join-integration-timeout",
          "crmd-transition-delay", "transition-delay");

  private final List<String> warnings;
  private boolean changed;

  private Unsupported(List<String> warnings) {
    this.warnings = warnings;
  }

  private static boolean isGoneOption(Element pair) {
    var name = pair.get("name", "");
    return RENAMED.containsKey(name)
        || name.equals("remove-after-stop")
        || name.equals("stonith-action") && "poweroff".equals(pair.get("value"));
  }

  private static boolean isGoneMeta(String name, @Nullable Element holder) {
    if (holder == null) {
      return false;
    }
    return switch (name) {
      case "restart-type" -> RESOURCE_HOLDERS.contains(holder.name());
      case "can_fail", "role_after_failure" -> holder.is("op") || holder.is("op_defaults");
      default -> false;
    };
  }

  static Element upgrade(Element cib, List<String> warnings) {
    return new Unsupported(warnings).run(cib);
  }

  private Element run(Element cib) {
    var pinged = new ArrayList<String>();
    collectPingNodes(cib, pinged);
    var result = Rewrite.all(Copies.unfold(cib), this::simple);
    result = Rewrite.all(result, (element, parent) -> unique(sorted(element)));
    var split = ConstraintUpgrade.severalRules(result);
    result = new ConstraintUpgrade(warnings).upgrade(result);
    if (!pinged.isEmpty()) {
      result =
          Rewrite.all(
              result,
              (element, parent) -> element.is("constraints") ? banFrom(pinged, element) : element);
    }
    result = Rewrite.all(dropResources(result), this::meta);
    return access(Copies.fold(result), split);
  }

  /// Rights to what is gone lead nowhere; rights to a constraint that was split are rights to its
  /// parts.
  private Element access(Element cib, Map<String, Integer> split) {
    var ids = new HashSet<String>();
    collectIds(cib, ids);
    var result =
        Rewrite.all(
            cib,
            (element, parent) -> {
              var reference = element.get("reference");
              if (!element.is("acl_permission") || reference == null) {
                return element;
              }
              var parts = split.get(reference);
              if (parts != null) {
                changed = true;
                return replaced(element, ConstraintUpgrade.partsOf(reference, parts));
              }
              return ids.contains(reference) ? element : replaced(element, "/*[false()]");
            });
    if (changed && Rewrite.any(result, it -> it.is("acl_permission") && it.has("xpath"))) {
      warnings.add(
          "CIB syntax changes may invalidate ACLs that use \"xpath\". It is strongly recommended to"
              + " run \"cibadmin --upgrade\" and then examine the updated CIB carefully to ensure"
              + " ACLs still match the desired intent.");
    }
    return result;
  }

  private static Element replaced(Element permission, String xpath) {
    return Rewrite.attributes(
        permission,
        (name, value) ->
            name.equals("reference") ? new String[] {"xpath", xpath} : new String[] {name, value});
  }

  private static void collectIds(Element element, Set<String> into) {
    var id = element.id();
    if (id != null) {
      into.add(id);
    }
    element.children().forEach(child -> collectIds(child, into));
  }

  private @Nullable Element simple(Element element, @Nullable Element parent) {
    return switch (element.name()) {
      case "nvpair" -> element.has("value") || element.has("id-ref") ? element : null;
      case "cluster_property_set" -> options(element);
      case "date_spec" -> withoutMoon(element);
      case "node" -> "ping".equals(element.get("type")) ? member(element) : element;
      case "master" -> promotable(element);
      case "docker", "podman" -> element.has("masters") ? promotable(element, "masters") : element;
      case "fencing-level" -> Numbers.parse(element.get("index"), 0) > 9 ? null : element;
      default -> element;
    };
  }

  private Element member(Element pinged) {
    changed = true;
    return pinged.with("type", "member");
  }

  private Element promotable(Element container, String old) {
    changed = true;
    return Rewrite.attributes(
        container, (name, value) -> new String[] {name.equals(old) ? "promoted-max" : name, value});
  }

  private Element options(Element block) {
    var kept = new ArrayList<Element>();
    for (var pair : block.children()) {
      var name = pair.get("name", "");
      if (pair.is("nvpair") && name.equals("remove-after-stop")) {
        warnings.add(
            "Dropping nvpair "
                + pair.id()
                + " because the remove-after-stop property is unsupported");
      } else if (pair.is("nvpair") && isGoneOption(pair)) {
        changed = true;
        kept.add(
            RENAMED.containsKey(name)
                ? pair.with("name", RENAMED.getOrDefault(name, name))
                : pair.with("value", "off"));
      } else {
        kept.add(pair);
      }
    }
    return block.withChildren(kept);
  }

  private Element meta(Element block, @Nullable Element holder) {
    if (!block.is("meta_attributes")) {
      return block;
    }
    var kept = new ArrayList<Element>();
    for (var pair : block.children()) {
      var name = pair.get("name", "");
      if (!pair.is("nvpair") || !isGoneMeta(name, holder)) {
        kept.add(pair);
        continue;
      }
      warnings.add(
          "Dropping "
              + name
              + " meta-attribute from "
              + block.id()
              + " because it is no longer supported. Consider setting the \""
              + (name.equals("restart-type")
                  ? "kind\" attribute for relevant constraints"
                  : "on-fail\" operation attribute instead"));
    }
    return block.withChildren(kept);
  }

  private Element withoutMoon(Element specification) {
    if (specification.has("moon")) {
      changed = true;
      warnings.add(
          "Dropping moon attribute from date spec "
              + specification.id()
              + " because moon phase is no longer supported");
    }
    return specification.without("moon");
  }

  private Element promotable(Element master) {
    changed = true;
    var block = PREFIX + "promotable-legacy-" + master.id() + "-meta_attributes";
    var pair =
        Element.of("nvpair", "id", block + "-promotable", "name", "promotable", "value", "true");
    return master
        .withName("clone")
        .insert(0, Element.of("meta_attributes", "id", block, "score", "INFINITY").plus(pair));
  }

  /// Children as they were, but with blocks of pairs behind the rest, those that count more first.
  private static Element sorted(Element parent) {
    var blocks = new ArrayList<Element>();
    var rest = new ArrayList<Element>();
    for (var child : parent.children()) {
      (BLOCKS.contains(child.name()) ? blocks : rest).add(child);
    }
    if (blocks.isEmpty()) {
      return parent;
    }
    blocks.sort(
        Comparator.comparing(
                (Element block) ->
                    !(block.is("cluster_property_set")
                        && "cib-bootstrap-options".equals(block.id())))
            .thenComparing(block -> Score.parse(block.get("score"), 0), Comparator.reverseOrder()));
    rest.addAll(blocks);
    return parent.withChildren(rest);
  }

  /// Of several pairs of one name only the one that counts.
  private static Element unique(Element block) {
    if (!BLOCKS.contains(block.name())) {
      return block;
    }
    var chosen = new HashMap<String, Element>();
    for (var pair : block.children("nvpair")) {
      var name = pair.get("name", "");
      var before = chosen.get(name);
      if (before == null || isDefault(pair) || isDefault(before)) {
        chosen.put(name, pair);
      }
    }
    var kept = new ArrayList<Element>();
    for (var child : block.children()) {
      if (!child.is("nvpair") || !child.has("name") || chosen.get(child.get("name", "")) == child) {
        kept.add(child);
      }
    }
    return kept.size() == block.childCount() ? block : block.withChildren(kept);
  }

  private static boolean isDefault(Element pair) {
    return "#default".equals(pair.get("value"));
  }

  private static void collectPingNodes(Element element, List<String> into) {
    if (element.is("node") && "ping".equals(element.get("type"))) {
      into.add(element.get("uname", ""));
    }
    element.children().forEach(child -> collectPingNodes(child, into));
  }

  /// Nothing may run on what was only pinged.
  private static Element banFrom(List<String> nodes, Element constraints) {
    var changed = constraints;
    for (var node : nodes) {
      changed =
          changed.plus(
              Element.of(
                  "rsc_location",
                  "id",
                  PREFIX + "ping-node-ban-" + node,
                  "rsc-pattern",
                  ".*",
                  "node",
                  node,
                  "score",
                  "-INFINITY",
                  "resource-discovery",
                  "never"));
    }
    return changed;
  }

  private Element dropResources(Element cib) {
    var gone = new HashSet<String>();
    var templates = new HashMap<String, String>();
    collectTemplates(cib, templates);
    var kept =
        Rewrite.all(cib, (element, parent) -> isGone(element, templates, gone) ? null : element);
    return gone.isEmpty() ? kept : ConstraintUpgrade.withoutResources(kept, gone);
  }

  private static void collectTemplates(Element element, Map<String, String> into) {
    if (element.is("template")) {
      into.put(element.get("id", ""), element.get("class", ""));
    }
    element.children().forEach(child -> collectTemplates(child, into));
  }

  private static boolean isGoneClass(String name) {
    return GONE_CLASSES.contains(name.toLowerCase(java.util.Locale.ROOT));
  }

  /// Whether its template is of a class that is gone, or none at all.
  private static boolean isMadeOfGone(Element primitive, Map<String, String> templates) {
    var template = primitive.get("template");
    if (template == null) {
      return false;
    }
    var kind = templates.get(template);
    return kind == null || isGoneClass(kind);
  }

  private static boolean isGoneClass(Element element) {
    return isGoneClass(element.get("class", ""));
  }

  private boolean isGone(Element element, Map<String, String> templates, Set<String> gone) {
    var why =
        switch (element.name()) {
          case "template" -> isGoneClass(element) ? "template" : null;
          case "primitive" ->
              isGoneClass(element) || isMadeOfGone(element, templates) ? "resource" : null;
          case "group", "clone" -> element.find(it -> it.is("primitive")) == null ? "empty" : null;
          case "bundle" -> element.first("rkt") != null ? "bundle" : null;
          default -> null;
        };
    if (why == null) {
      return false;
    }
    if (!why.equals("template")) {
      gone.add(element.get("id", ""));
    }
    if (why.equals("bundle")) {
      warnings.add(
          "Dropping bundle resource "
              + element.id()
              + " because rkt containers are no longer supported");
    } else if (!why.equals("empty")) {
      warnings.add(
          "Dropping "
              + why
              + " "
              + element.id()
              + " because "
              + element.get("class", templates.getOrDefault(element.get("template", ""), ""))
              + " resources are no longer supported");
    }
    return true;
  }
}
