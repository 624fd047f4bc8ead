package org.systole.scheduler.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.systole.common.xml.Element;

/// Changes a CIB at random: into one that is malformed, contradicts itself, refers to nothing, runs
/// in circles or holds numbers nobody can mean.
final class Mutator {
  private static final List<String> NASTY =
      List.of(
          "",
          " ",
          "0",
          "-1",
          "1",
          "2",
          "true",
          "false",
          "bogus",
          "INFINITY",
          "-INFINITY",
          "2147483647",
          "-2147483648",
          "2147483648",
          "99999999999999999999",
          "-99999999999999999999",
          "1e999",
          "%1",
          "(((((",
          "[",
          "P99999999999Y",
          "99999999999999s",
          "9999-99-99T99:99:99",
          "2023-366",
          "Stopped",
          "Promoted",
          "\u0000\uffff\ud800",
          "x".repeat(3000));
  private static final List<String> META =
      List.of(
          "target-role",
          "is-managed",
          "priority",
          "resource-stickiness",
          "migration-threshold",
          "failure-timeout",
          "multiple-active",
          "clone-max",
          "clone-node-max",
          "clone-min",
          "promoted-max",
          "promotable",
          "interleave",
          "ordered",
          "notify",
          "globally-unique",
          "remote-node",
          "requires",
          "allow-migrate",
          "critical",
          "maintenance");
  private static final List<String> OPTIONS =
      List.of(
          "no-quorum-policy",
          "placement-strategy",
          "node-health-strategy",
          "node-health-base",
          "shutdown-lock",
          "shutdown-lock-limit",
          "node-pending-timeout",
          "fencing-enabled",
          "symmetric-cluster",
          "maintenance-mode",
          "priority-fencing-delay",
          "batch-limit",
          "migration-limit",
          "cluster-delay",
          "stop-all-resources",
          "concurrent-fencing");

  private final Random random;
  private final List<String> ids = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private int made;

  Mutator(Random random) {
    this.random = random;
  }

  Element mutate(Element cib) {
    ids.clear();
    nodes.clear();
    collect(cib);
    var changed = cib;
    for (var left = 1 + random.nextInt(8); left > 0; left--) {
      changed = once(changed);
    }
    return changed;
  }

  private void collect(Element element) {
    switch (element.name()) {
      case "primitive", "group", "clone", "bundle", "template", "tag" -> {
        if (element.id() != null) {
          ids.add(element.get("id", ""));
        }
      }
      case "node" -> nodes.add(element.get("uname", ""));
      default -> {}
    }
    element.children().forEach(this::collect);
  }

  private Element once(Element cib) {
    return switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> damage(cib, random.nextInt(Math.max(1, count(cib))));
      case 4, 5 -> add(cib, "constraints", constraint());
      case 6 -> add(cib, "constraints", ring(random.nextBoolean()));
      case 7 -> setting(cib, "meta_attributes", pick(META));
      case 8 -> add(cib, "crm_config", block("cluster_property_set", pick(OPTIONS), nasty()));
      case 9 -> add(cib, "tags", tag());
      case 10 -> add(cib, "constraints", location(rules(random.nextInt(4) == 0 ? 300 : 3)));
      case 11 -> template(cib);
      case 12 -> setting(cib, "utilization", random.nextBoolean() ? "cpu" : "memory");
      default -> add(cib, "constraints", sets());
    };
  }

  private String pick(List<String> from) {
    return from.isEmpty() ? "nothing" : from.get(random.nextInt(from.size()));
  }

  private String nasty() {
    return switch (random.nextInt(8)) {
      case 0 -> pick(ids);
      case 1 -> pick(nodes);
      case 2 -> Integer.toString(random.nextInt(10));
      default -> pick(NASTY);
    };
  }

  private String newId() {
    return "fuzz-" + made++;
  }

  private static int count(Element element) {
    var sum = 1;
    for (var child : element.children()) {
      sum += count(child);
    }
    return sum;
  }

  // The element with that number, in document order, is damaged.
  private Element damage(Element element, int at) {
    if (at == 0) {
      return damaged(element);
    }
    var left = at - 1;
    for (var index = 0; index < element.childCount(); index++) {
      var child = element.child(index);
      var size = count(child);
      if (left >= size) {
        left -= size;
      } else if (left == 0 && random.nextInt(3) == 0) {
        return switch (random.nextInt(3)) {
          case 0 -> element.remove(index);
          case 1 -> element.insert(index, child);
          default -> element.insert(random.nextInt(element.childCount()), child);
        };
      } else {
        return element.replace(index, damage(child, left));
      }
    }
    return element;
  }

  private Element damaged(Element element) {
    if (element.isComment() || element.attributeCount() == 0) {
      return element;
    }
    var name = element.attributeName(random.nextInt(element.attributeCount()));
    return random.nextInt(3) == 0 ? element.without(name) : element.with(name, nasty());
  }

  private static Element add(Element cib, String section, Element child) {
    var configuration = cib.first("configuration");
    if (configuration == null) {
      return cib;
    }
    var found = configuration.first(section);
    var changed =
        found == null
            ? configuration.plus(Element.of(section).plus(child))
            : configuration.replace(configuration.indexOf(found), found.plus(child));
    return cib.replace(cib.indexOf(configuration), changed);
  }

  private Element constraint() {
    var one = pick(ids);
    var other = pick(ids);
    var made =
        switch (random.nextInt(4)) {
          case 0 ->
              Element.of(
                  "rsc_colocation", "id", newId(), "rsc", one, "with-rsc", other, "score", score());
          case 1 -> Element.of("rsc_order", "id", newId(), "first", one, "then", other);
          case 2 -> Element.of("rsc_ticket", "id", newId(), "rsc", one, "ticket", "ticket");
          default ->
              Element.of(
                  "rsc_location", "id", newId(), "rsc", one, "node", pick(nodes), "score", score());
        };
    var extra =
        pick(
            List.of(
                "rsc-role",
                "with-rsc-role",
                "first-action",
                "then-action",
                "kind",
                "symmetrical",
                "require-all",
                "influence",
                "node-attribute",
                "loss-policy",
                "role",
                "resource-discovery",
                "rsc-pattern"));
    return random.nextInt(3) == 0 ? made.with(extra, nasty()) : made;
  }

  private String score() {
    return random.nextInt(3) == 0 ? nasty() : pick(List.of("INFINITY", "-INFINITY", "10", "-10"));
  }

  // One constraint over all resources that leads back to where it begins.
  private Element ring(boolean order) {
    var set = Element.builder("resource_set").attr("id", newId());
    for (var id : ids) {
      set.add(Element.of("resource_ref", "id", id));
    }
    if (!ids.isEmpty()) {
      set.add(Element.of("resource_ref", "id", ids.getFirst()));
    }
    var made =
        order
            ? Element.of("rsc_order", "id", newId(), "kind", "Mandatory")
            : Element.of("rsc_colocation", "id", newId(), "score", "INFINITY");
    var built = set.build();
    return random.nextBoolean() ? made.plus(built) : made.plus(built).plus(built);
  }

  private Element sets() {
    var made = ring(random.nextBoolean());
    for (var left = random.nextInt(3); left > 0; left--) {
      var set = Element.builder("resource_set").attr("id", newId());
      set.attr(pick(List.of("sequential", "require-all", "role", "action", "score")), nasty());
      set.add(Element.of("resource_ref", "id", pick(ids)));
      made = made.plus(set.build());
    }
    return made;
  }

  private Element location(Element rule) {
    return Element.of("rsc_location", "id", newId(), "rsc", pick(ids)).plus(rule);
  }

  private Element rules(int depth) {
    var rule = Element.builder("rule").attr("id", newId()).attr("score", score());
    if (depth > 0) {
      rule.add(rules(depth - 1));
    }
    rule.add(
        switch (random.nextInt(3)) {
          case 0 ->
              Element.of(
                  "date_expression", "id", newId(), "operation", "in_range", "start", nasty());
          case 1 ->
              Element.of("date_expression", "id", newId(), "operation", "date_spec")
                  .plus(Element.of("date_spec", "id", newId(), "hours", nasty(), "years", nasty()));
          default ->
              Element.of(
                  "expression",
                  "id",
                  newId(),
                  "attribute",
                  "#uname",
                  "operation",
                  "lt",
                  "type",
                  pick(List.of("string", "integer", "number", "version")),
                  "value",
                  nasty());
        });
    return rule.build();
  }

  private Element block(String kind, String name, String value) {
    var id = newId();
    var pair = Element.of("nvpair", "id", id + "-1", "name", name, "value", value);
    var made = Element.of(kind, "id", id, "score", score());
    return random.nextInt(4) == 0 ? made.plus(rules(1)).plus(pair) : made.plus(pair);
  }

  private Element tag() {
    var id = random.nextBoolean() ? pick(ids) : newId();
    ids.add(id);
    return Element.of("tag", "id", id)
        .plus(Element.of("obj_ref", "id", pick(ids)))
        .plus(Element.of("obj_ref", "id", id));
  }

  private Element setting(Element cib, String kind, String name) {
    return resource(cib, rsc -> rsc.insert(0, block(kind, name, nasty())));
  }

  private Element template(Element cib) {
    var id = newId();
    var made = Element.of("template", "id", id, "class", "ocf", "provider", "x", "type", "y");
    var changed = resource(cib, rsc -> rsc.with("template", random.nextBoolean() ? id : pick(ids)));
    return add(changed, "resources", random.nextBoolean() ? made.with("template", id) : made);
  }

  private Element resource(Element cib, java.util.function.UnaryOperator<Element> how) {
    var wanted = pick(ids);
    return resource(cib, wanted, how);
  }

  private static Element resource(
      Element element, String id, java.util.function.UnaryOperator<Element> how) {
    for (var at = 0; at < element.childCount(); at++) {
      var child = element.child(at);
      switch (child.name()) {
        case "primitive", "group", "clone", "bundle" -> {
          if (id.equals(child.id())) {
            return element.replace(at, how.apply(child));
          }
        }
        default -> {}
      }
      var changed = resource(child, id, how);
      if (changed != child) {
        return element.replace(at, changed);
      }
    }
    return element;
  }
}
