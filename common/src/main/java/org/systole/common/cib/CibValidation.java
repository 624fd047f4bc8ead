package org.systole.common.cib;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// Whether a CIB is one: its outline, required attributes, ids that are names and unique, and
/// references that lead somewhere. The status section is not looked at.
public final class CibValidation {
  private static final int PROBLEMS_MAX = 20;

  /// Elements whose `id` is free text.
  private static final Set<String> FREE_ID =
      Set.of("node", "obj_ref", "acl_target", "acl_user", "acl_group");

  private static final Set<String> REFERENCE_ID = Set.of("resource_ref", "role", "role_ref");

  private static final List<String> REFERENCES =
      List.of("id-ref", "rsc", "with-rsc", "first", "then", "template", "reference");

  private static final Set<String> RESOURCES =
      Set.of("primitive", "group", "clone", "master", "bundle", "template");

  private static final Map<String, Set<String>> CHILDREN = new HashMap<>();
  private static final Map<String, List<String>> REQUIRED = new HashMap<>();

  static {
    CHILDREN.put("cib", Set.of("configuration", "status"));
    CHILDREN.put("configuration", Set.copyOf(CibSections.CONFIGURATION));
    CHILDREN.put("crm_config", Set.of("cluster_property_set"));
    CHILDREN.put("nodes", Set.of("node"));
    CHILDREN.put("resources", RESOURCES);
    CHILDREN.put(
        "constraints", Set.of("rsc_location", "rsc_colocation", "rsc_order", "rsc_ticket"));
    CHILDREN.put("rsc_defaults", Set.of("meta_attributes"));
    CHILDREN.put("op_defaults", Set.of("meta_attributes"));
    CHILDREN.put("fencing-topology", Set.of("fencing-level"));
    CHILDREN.put("tags", Set.of("tag"));
    CHILDREN.put("alerts", Set.of("alert"));
    CHILDREN.put(
        "primitive", Set.of("meta_attributes", "instance_attributes", "operations", "utilization"));
    CHILDREN.put("group", Set.of("meta_attributes", "instance_attributes", "primitive"));
    CHILDREN.put("clone", Set.of("meta_attributes", "instance_attributes", "primitive", "group"));
    CHILDREN.put("operations", Set.of("op"));
    REQUIRED.put("cib", List.of("admin_epoch", "epoch", "num_updates", "validate-with"));
    REQUIRED.put("node", List.of("id", "uname"));
    REQUIRED.put("group", List.of("id"));
    REQUIRED.put("clone", List.of("id"));
    REQUIRED.put("bundle", List.of("id"));
    REQUIRED.put("template", List.of("id", "class", "type"));
    REQUIRED.put("rsc_location", List.of("id"));
    REQUIRED.put("rsc_colocation", List.of("id"));
    REQUIRED.put("rsc_order", List.of("id"));
    REQUIRED.put("rsc_ticket", List.of("id", "ticket"));
    REQUIRED.put("fencing-level", List.of("id", "index", "devices"));
    REQUIRED.put("tag", List.of("id"));
    REQUIRED.put("alert", List.of("id", "path"));
    REQUIRED.put("rule", List.of());
  }

  private final List<String> problems = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final Set<String> freeIds = new HashSet<>();
  private final Map<String, String> references = new HashMap<>();

  private CibValidation() {}

  /// What is wrong with a CIB, one line each; empty if nothing is. `validate-with="none"` turns all
  /// but the outline off.
  public static List<String> problems(Element cib) {
    var validation = new CibValidation();
    validation.check(cib);
    return validation.problems;
  }

  private void problem(String text) {
    if (problems.size() < PROBLEMS_MAX) {
      problems.add(text);
    }
  }

  private void check(Element cib) {
    var schema = cib.get("validate-with");
    if (!cib.is("cib")) {
      problem("the root is <" + cib.name() + ">, not <cib>");
      return;
    }
    if (schema == null || !CibSchemas.isKnown(schema)) {
      problem(schema == null ? "validate-with is missing" : "there is no schema " + schema);
      return;
    }
    if (schema.equals("none")) {
      return;
    }
    outline(cib);
    for (var counter : List.of("admin_epoch", "epoch", "num_updates")) {
      if (!Numbers.isNumber(cib.get(counter, "0"))) {
        problem(counter + " is no number: " + cib.get(counter));
      }
    }
    var configuration = cib.first("configuration");
    if (configuration == null || cib.first("status") == null) {
      problem("<cib> needs <configuration> and <status>");
      return;
    }
    for (var section : List.of("crm_config", "nodes", "resources", "constraints")) {
      if (configuration.first(section) == null) {
        problem("<configuration> needs <" + section + ">");
      }
    }
    walk(configuration);
    references.forEach(
        (id, where) -> {
          if (!ids.contains(id) && !freeIds.contains(id)) {
            problem(where + " refers to " + id + ", which does not exist");
          }
        });
  }

  private void walk(Element element) {
    outline(element);
    identify(element);
    for (var at = 0; at < element.childCount(); at++) {
      var child = element.child(at);
      if (!child.isComment()) {
        walk(child);
      }
    }
  }

  /// What a group or clone is made of must be in it.
  private void content(Element element) {
    var groups = !element.is("group");
    if (element.is("group") || element.is("clone") || element.is("master")) {
      for (var child : element.children()) {
        if (child.is("primitive") || groups && child.is("group")) {
          return;
        }
      }
      problem(named(element) + " holds no resource");
    }
  }

  private void outline(Element element) {
    content(element);
    var allowed = CHILDREN.get(element.name());
    if (allowed != null) {
      for (var child : element.children()) {
        if (!child.isComment() && !allowed.contains(child.name())) {
          problem("<" + child.name() + "> may not be in " + named(element));
        }
      }
    }
    for (var attribute : required(element)) {
      if (!element.has(attribute)) {
        problem(named(element) + " needs " + attribute);
      }
    }
  }

  private static List<String> required(Element element) {
    return switch (element.name()) {
      case "primitive" -> element.has("template") ? List.of("id") : List.of("id", "class", "type");
      case "op", "nvpair" ->
          element.has("id-ref")
              ? List.of()
              : element.is("op") ? List.of("id", "name", "interval") : List.of("id", "name");
      case "meta_attributes", "instance_attributes", "utilization", "cluster_property_set" ->
          element.has("id-ref") ? List.of() : List.of("id");
      default -> REQUIRED.getOrDefault(element.name(), List.of());
    };
  }

  private static String named(Element element) {
    return "<" + element.name() + (element.id() == null ? "" : " id=" + element.id()) + ">";
  }

  private void identify(Element element) {
    var id = element.id();
    if (id != null) {
      if (REFERENCE_ID.contains(element.name())) {
        references.putIfAbsent(id, named(element));
      } else if (FREE_ID.contains(element.name())) {
        freeIds.add(id);
      } else {
        if (!isName(id)) {
          problem(named(element) + ": its id is not a name");
        } else if (!ids.add(id)) {
          problem(named(element) + ": another element has this id");
        }
      }
    }
    for (var attribute : REFERENCES) {
      var value = element.get(attribute);
      if (value != null && isReference(element, attribute)) {
        references.putIfAbsent(value, named(element) + " " + attribute);
      }
    }
  }

  private static boolean isReference(Element element, String attribute) {
    return switch (attribute) {
      case "id-ref" -> true;
      case "template" -> element.is("primitive");
      case "reference" -> element.is("acl_permission");
      default -> element.name().startsWith("rsc_");
    };
  }

  /// Whether a text is an NCName of XML.
  static boolean isName(String text) {
    if (text.isEmpty() || !isNameStart(text.charAt(0))) {
      return false;
    }
    for (var at = 1; at < text.length(); at++) {
      var c = text.charAt(at);
      if (!isNameStart(c) && !Character.isDigit(c) && c != '-' && c != '.' && c != '\u00B7') {
        return false;
      }
    }
    return true;
  }

  private static boolean isNameStart(char c) {
    return Character.isLetter(c) || c == '_' || Character.isSurrogate(c);
  }
}
