package org.systole.common.schema.upgrade;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Constraints as they were written before schema 4.0: with several rules, with a lifetime.
final class ConstraintUpgrade {
  private final List<String> warnings;

  ConstraintUpgrade(List<String> warnings) {
    this.warnings = warnings;
  }

  Element upgrade(Element cib) {
    var used = new HashSet<String>();
    collectRules(cib, used);
    return Rewrite.all(
        cib, (element, parent) -> element.is("constraints") ? section(element, used) : element);
  }

  /// The location constraints with several rules: id and number of rules.
  static Map<String, Integer> severalRules(Element cib) {
    var several = new LinkedHashMap<String, Integer>();
    var constraints = cib.path("configuration", "constraints");
    if (constraints != null) {
      for (var location : constraints.children("rsc_location")) {
        var rules = location.children("rule").size();
        if (rules > 1) {
          several.put(location.get("id", ""), rules);
        }
      }
    }
    return several;
  }

  /// What finds the parts of a constraint that was split.
  static String partsOf(String location, int parts) {
    var conditions = new ArrayList<String>();
    for (var number = 1; number <= parts; number++) {
      conditions.add("@id = '" + part(location, number) + "'");
    }
    return "//*[" + String.join(" or ", conditions) + "]";
  }

  private static String part(String location, int number) {
    return Unsupported.PREFIX + location + "-" + number;
  }

  /// The ids of rules outside of lifetimes that are dropped.
  private static void collectRules(Element element, Set<String> into) {
    if (element.is("rsc_colocation") || element.is("rsc_order")) {
      return; // rules are nowhere else in these
    }
    if (element.is("rule") && element.id() != null) {
      into.add(element.get("id", ""));
    }
    element.children().forEach(child -> collectRules(child, into));
  }

  /// Rules of dropped lifetimes that others refer to live on in a constraint of no resource.
  private static void keepRules(Element constraint, Set<String> used, List<Element> into) {
    var lifetime = constraint.first("lifetime");
    if (lifetime == null) {
      return;
    }
    for (var rule : lifetime.children("rule")) {
      if (Copies.isOriginal(rule) && used.contains(rule.get("id", ""))) {
        into.add(rule);
      }
    }
  }

  private static Element holder(List<Element> rules) {
    var id = Unsupported.PREFIX + "coloc-order-lifetime-rules";
    var rule = Element.of("rule", "id", id + "-rule", "score", "-INFINITY").withChildren(rules);
    return Element.of("rsc_location", "id", id, "rsc-pattern", "a^").plus(rule);
  }

  private Element section(Element constraints, Set<String> used) {
    var changed = new ArrayList<Element>();
    var kept = new ArrayList<Element>();
    for (var child : constraints.children()) {
      switch (child.name()) {
        case "rsc_location" -> split(child).forEach(part -> changed.add(lifetime(part)));
        case "rsc_colocation", "rsc_order" -> {
          keepRules(child, used, kept);
          changed.add(withoutLifetime(child));
        }
        default -> changed.add(child);
      }
    }
    if (!kept.isEmpty()) {
      changed.add(holder(kept));
    }
    return constraints.withChildren(changed);
  }

  /// One constraint for each rule.
  private static List<Element> split(Element location) {
    var rules = location.children("rule");
    if (rules.size() < 2) {
      return List.of(location);
    }
    var parts = new ArrayList<Element>();
    for (var rule : rules) {
      var number = parts.size() + 1;
      var part = location.with("id", part(location.get("id", ""), number));
      var children = new ArrayList<Element>();
      for (var set : location.children("resource_set")) {
        children.add(number == 1 ? set : Copies.marked(set));
      }
      children.add(rule);
      for (var lifetime : location.children("lifetime")) {
        children.add(number == 1 ? lifetime : Copies.marked(lifetime));
      }
      parts.add(part.withChildren(children));
    }
    return parts;
  }

  /// A lifetime becomes a condition beside the constraint's own.
  private static Element lifetime(Element location) {
    var lifetime = location.first("lifetime");
    if (lifetime == null) {
      return location;
    }
    var prefix = Unsupported.PREFIX + location.id();
    var own = location.first("rule");
    var both =
        Element.of("rule", "id", prefix + "-lifetime-and-rule", "boolean-op", "and")
            .plus(own != null ? own : nodeRule(location, prefix + "-node-score-rule"));
    var limits = lifetime.children("rule");
    if (limits.size() == 1) {
      both = both.plus(limits.getFirst());
    } else if (!limits.isEmpty()) {
      both =
          both.plus(
              Element.of("rule", "id", prefix + "-lifetime-or-rule", "boolean-op", "or")
                  .withChildren(limits));
    }
    var children = new ArrayList<Element>(location.children("resource_set"));
    children.add(both);
    return location.without("node").without("score").withChildren(children);
  }

  private static Element nodeRule(Element location, String id) {
    var rule = Element.builder("rule").attr("id", id).attr("score", location.get("score"));
    return rule.add(
            Element.of(
                "expression",
                "id",
                id + "-expr",
                "attribute",
                "#uname",
                "operation",
                "eq",
                "value",
                location.get("node", "")))
        .build();
  }

  private Element withoutLifetime(Element constraint) {
    var lifetime = constraint.first("lifetime");
    if (lifetime == null) {
      return constraint;
    }
    warnings.add(
        "Dropping lifetime element from constraint "
            + constraint.id()
            + " because lifetime elements are no longer supported. Any rules contained there will"
            + " no longer apply to the constraint");
    return constraint.remove(constraint.indexOf(lifetime));
  }

  /// The CIB without mentions of resources that are gone, and without constraints that are left
  /// with nothing to constrain.
  static Element withoutResources(Element cib, Set<String> gone) {
    return Rewrite.all(cib, (element, parent) -> without(element, gone));
  }

  private static @Nullable Element without(Element element, Set<String> gone) {
    return switch (element.name()) {
      case "resource_ref" -> gone.contains(element.get("id", "")) ? null : element;
      case "resource_set" ->
          element.has("id-ref") || element.first("resource_ref") != null ? element : null;
      case "rsc_location", "rsc_ticket" ->
          names(element, gone, "rsc") || isEmptied(element, "rsc", "rsc-pattern") ? null : element;
      case "rsc_colocation" ->
          names(element, gone, "rsc")
                  || names(element, gone, "with-rsc")
                  || isEmptied(element, "rsc", "with-rsc")
              ? null
              : element;
      case "rsc_order" ->
          names(element, gone, "first")
                  || names(element, gone, "then")
                  || isEmptied(element, "first", "then")
              ? null
              : element;
      default -> element;
    };
  }

  private static boolean names(Element element, Set<String> gone, String attribute) {
    return gone.contains(element.get(attribute, ""));
  }

  private static boolean isEmptied(Element element, String attribute, String other) {
    return !element.has(attribute) && !element.has(other) && element.first("resource_set") == null;
  }
}
