package org.systole.scheduler.unpack;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.rules.NextChange;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;

/// Which resources the configuration never has looked for on a node, as their location constraints say (`resource-discovery`): that they were
/// not looked for there tells nothing. Histories are read before constraints are, so these are read here by themselves, with their rules,
/// patterns, templates and tags. Where that cannot be told a resource counts as looked for: a rule counts only where it says the same at any time.
final class NeverSought {
  /// What each node has by itself, and keeps.
  private static final Set<String> OWN = Set.of("#uname", "#id", "#kind", "#cluster-name");

  private enum Here {
    YES,
    NO,
    UNKNOWN
  }

  /// What a constraint names.
  ///
  /// @param submatches of the pattern that it matches
  private record Named(String id, List<String> submatches) {}

  private final WorkingSet ws;
  private final @Nullable NodeName name;
  private final @Nullable Node node; // null if it is not configured any more
  private final Set<String> never = new HashSet<>();
  private final Set<String> exclusive = new HashSet<>(); // looked for only where a constraint says so
  private final Set<String> here = new HashSet<>(); // of these, on this node

  NeverSought(WorkingSet ws, @Nullable NodeName name) {
    this.ws = ws;
    this.name = name;
    this.node = name == null ? null : ws.node(name.text());
    var constraints = ws.cib().path("configuration", "constraints");
    for (var location : constraints == null ? List.<Element>of() : constraints.children("rsc_location")) {
      read(location);
    }
  }

  private void read(Element location) {
    var isExclusive = "exclusive".equalsIgnoreCase(location.get("resource-discovery"));
    if (!isExclusive && !"never".equalsIgnoreCase(location.get("resource-discovery")) || !isRead(location)) {
      return;
    }
    for (var it : named(location)) {
      var where = where(location, it);
      if (!isExclusive && where == Here.YES) {
        never.add(it.id);
      } else if (isExclusive) {
        exclusive.add(it.id);
        if (where != Here.NO) {
          here.add(it.id);
        }
      }
    }
  }

  /// Whether the constraint will be read, and counts for what has no role yet. One that names a node that there is not is not.
  private boolean isRead(Element location) {
    var named = location.get("node");
    var rule = named == null ? rule(location) : null;
    var roles = rule == null ? location : rule;
    return isPlain(roles) && (named != null ? isThis(named) || ws.node(named) != null : rule != null && isValid(rule));
  }

  private static boolean isPlain(Element roles) {
    var role = Role.parse(roles.get("role"));
    return !roles.has("role") || role == Role.STARTED || role == Role.UNPROMOTED;
  }

  private boolean isThis(String named) {
    return name != null && name.text().equalsIgnoreCase(named);
  }

  private @Nullable Element rule(Element location) {
    var rule = location.first("rule");
    return rule == null ? null : ws.rules().resolve(rule);
  }

  private boolean isValid(Element rule) {
    var score = rule.get("score");
    var combine = rule.get("boolean-op", "and").toLowerCase(Locale.ROOT);
    return rule.id() != null
        && (combine.equals("and") || combine.equals("or"))
        && (rule.has("score-attribute") || score != null && Health.read(ws, score) != null);
  }

  private List<Named> named(Element location) {
    var found = new ArrayList<Named>();
    if (location.has("rsc")) {
      add(location.get("rsc", ""), found);
    }
    location.children("resource_set").stream()
        .filter(NeverSought::isPlain)
        .forEach(set -> set.children("resource_ref").forEach(it -> add(it.id(), found)));
    var text = location.get("rsc-pattern");
    var invert = text != null && text.startsWith("!");
    var pattern = text == null ? null : ExtendedRegex.compile(invert ? text.substring(1) : text);
    for (var it : pattern == null ? List.<Resource>of() : ws.resources()) {
      var groups = pattern.groups(it.id());
      if (groups == null == invert) {
        found.add(new Named(it.configId(), groups == null ? List.of() : groups));
      }
    }
    return found;
  }

  /// A resource, all that are derived from a template, or all that have a tag.
  private void add(@Nullable String id, List<Named> found) {
    var several = id == null || ws.resource(id) != null ? null : ws.templates().containsKey(id) ? ws.templates().get(id) : ws.tags().get(id);
    if (several != null) {
      several.refs().forEach(it -> found.add(new Named(it, List.of())));
    } else if (id != null) {
      found.add(new Named(id, List.of()));
    }
  }

  private Here where(Element location, Named what) {
    var named = location.get("node");
    if (named != null) {
      return isThis(named) ? Here.YES : Here.NO;
    }
    var rule = rule(location);
    if (rule == null || node == null || rule.has("score-attribute") || rule.find(it -> !isLasting(it)) != null) {
      return Here.UNKNOWN;
    }
    var context = ws.ruleContext().withNodeAttributes(node.attributes()).withSubmatches(what.submatches);
    return ws.rules().evaluate(rule, context, new NextChange()).passes() ? Here.YES : Here.NO;
  }

  /// Whether a part of a rule says the same of the node at any time. It may have been looked at, and have been used, when it had attributes that
  /// were lost with its connection.
  private boolean isLasting(Element part) {
    var attribute = part.get("attribute");
    return !part.has("value-source")
        && !part.has("id-ref")
        && !part.is("date_expression")
        && (attribute == null || OWN.contains(attribute) || isSet(attribute, "nodes") && !isSet(attribute, "status"));
  }

  /// Whether any node has an attribute in a section: permanently, or until it is restarted.
  private boolean isSet(String attribute, String section) {
    var within = section.equals("nodes") ? ws.cib().path("configuration", section) : ws.cib().first(section);
    for (var each : within == null ? List.<Element>of() : within.children()) {
      var parent = section.equals("nodes") ? each : each.first("transient_attributes");
      var sets = parent == null ? List.<Element>of() : parent.children("instance_attributes");
      if (sets.stream().anyMatch(it -> it.find(pair -> pair.is("nvpair") && attribute.equals(pair.get("name"))) != null)) {
        return true;
      }
    }
    return false;
  }

  boolean has(Resource resource) {
    var isNever = false;
    for (var it = resource; it != null; it = it.parent()) {
      var id = it.configId();
      if (here.contains(id)) {
        return false; // of several constraints this one counts
      }
      isNever |= never.contains(id) || exclusive.contains(id);
    }
    return isNever;
  }
}
